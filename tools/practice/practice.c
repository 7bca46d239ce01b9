/* SPDX-License-Identifier: MIT */
/* Behind ./tour puzzle and its kin: lays out puzzles, grades submissions, shows hints. */
#include "practice.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "runner.h"
#include "settings.h"
#include "text.h"

static const char usage[] =
    "Usage: practice [--checkout DIR] [--build DIR] [--from DIR] [--on gpu|emulator] [--gpu NAME]\n"
    "                [--card CAPABILITY] [--check CHECKERS] [--json FILE] [--html FILE]\n"
    "                [--timeout SECONDS]\n"
    "                VERB ... [-- ARGUMENT ...]\n"
    "       puzzle [PUZZLE]   hint PUZZLE   solution PUZZLE   mine FILE.cu\n"
    "       check [OPTION ...] FILE.cu ...   diff [OPTION ...] FILE.cu FILE.cu\n"
    "       watch FILE.cu|PUZZLE   grade DIR ...\n"
    "       try PUZZLE FILE      grade one file as a solution of PUZZLE\n"
    "The script ./tour calls this; ./tour --help says what the verbs do.\n";

/* VERB and what stands behind it. */
static int run_verb(const struct practice *practice, int argc, char **argv)
{
    static const char one[] = "the number of one puzzle";
    static const struct {
        const char *verb;
        int (*run)(const struct practice *practice, const char *argument);
        const char *takes; /* NULL: nobody types it */
    } verbs[] = {
        {"puzzle", do_puzzle, one},
        {"hint", show_hint, one},
        {"solution", show_solution, one},
        {"watch", watch, "the number of one puzzle or a .cu file"},
        {"mine", do_file, NULL},
    };
    const char *verb = argc > 0 ? argv[0] : "";

    if (!strcmp(verb, "puzzle") && argc == 1)
        return show_progress(practice);
    if (!strcmp(verb, "grade"))
        return grade_class(practice, argc, argv);
    if (!strcmp(verb, "check") || !strcmp(verb, "diff"))
        return own_tour(practice, verb, argc - 1, argv + 1);
    if (!strcmp(verb, "try") && argc == 3) {
        const struct puzzle_entry *entry = puzzle_find(argv[1]);
        return entry ? grade_file(practice, entry, argv[2]) : EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verb, verbs[i].verb) != 0)
            continue;
        if (argc == 2)
            return verbs[i].run(practice, argv[1]);
        if (verbs[i].takes) {
            complain("%s takes %s, as in ./tour %s 1", verb, verbs[i].takes, verb);
            return EXIT_USAGE;
        }
    }
    fputs(usage, stderr);
    return EXIT_USAGE;
}

/* Returns the index of the verb; -1 after a line on stderr. */
static int take_options(int argc, char **argv, struct practice *practice, const char **from)
{
    const char *on = "";
    const struct setting settings[] = {
        {"checkout", .text = &practice->checkout},
        {"build", .text = &practice->build},
        {"from", .text = from},
        {"on", .text = &on},
        {"gpu", .text = &practice->gpu},
        {"card", .text = &practice->card},
        {"check", .text = &practice->checks},
        {"json", .text = &practice->json},
        {"html", .text = &practice->html},
        {"timeout", .number = &practice->timeout, .min = 1, .max = MAX_TIMEOUT},
        {0},
    };
    const int verb = settings_read(argc, argv, settings, true);

    practice->on_gpu = !strcmp(on, "gpu");
    return verb;
}

/* What stands behind "--", for a program of one's own; `*argc` is then what stands before it. */
static char **take_arguments(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++) {
        if (!strcmp(argv[i], "--")) {
            *argc = i;
            return argv + i + 1;
        }
    }
    return argv + *argc;
}

int main(int argc, char **argv)
{
    struct practice practice = {
        .checkout = CHECKOUT,
        .build = BUILD,
        .style = style_for(stdout, false),
        .timeout = DEFAULT_TIMEOUT,
        .arguments = take_arguments(&argc, argv),
    };
    const char *from = NULL;
    const int verb = take_options(argc, argv, &practice, &from);

    language_of_children(LANGUAGE_ENGLISH); /* we read what they say */
    if (verb < 0)
        return EXIT_USAGE;
    if (from && chdir(from)) {
        complain("cannot go back to %s: %s", from, strerror(errno));
        return EXIT_FAILED;
    }
    char *scratch = scratch_make();
    if (!scratch) {
        complain("cannot make a folder for temporary files: %s", strerror(errno));
        return EXIT_FAILED;
    }
    practice.scratch = scratch;
    child_catch_signals();
    signal(SIGPIPE, SIG_IGN); /* that nobody reads on is an error of printing */
    int code = run_verb(&practice, argc - verb, argv + verb);
    if (fflush(stdout) || ferror(stdout)) {
        complain("cannot print: %s", strerror(errno));
        code = EXIT_FAILED;
    }
    scratch_remove(scratch);
    if (child_interrupted()) { /* end as it would have ended us */
        signal(child_interrupted(), SIG_DFL);
        raise(child_interrupted());
    }
    return code;
}
