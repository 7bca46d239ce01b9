/* SPDX-License-Identifier: MIT */
/* The runner behind the `tour` script: run steps, show the ladder. The script says what there is to
 * ask for (./tour --help) and hands over names as chapter/step. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "checkup.h"
#include "child.h"
#include "compare.h"
#include "diff.h"
#include "ladder.h"
#include "manifest.h"
#include "report.h"
#include "results.h"
#include "runner.h"
#include "settings.h"
#include "slides.h"
#include "table.h"
#include "text.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_BUILD = 3, EXIT_SKIP = 77 };
enum {
    MAX_N = 1 << 30,
    MAX_RUNS = 10000,
    MAX_TIMEOUT = 86400,
    MAX_SLOWER = 1000,
    MAX_JOBS = 1024,
    DEFAULT_TIMEOUT = 600
};

static const char usage[] =
    "Usage: tour --build DIR --on gpu|emulator [--checkout DIR] [--gpu NAME] [--n N] [--runs N]\n"
    "            [--timeout SECONDS] [--json FILE] [--html FILE] [--compare OLD.json ...]\n"
    "            [--fail-slower PERCENT] [--markdown] [--counters] [--all] [--make PROGRAM]\n"
    "            [--jobs N] run [CHAPTER/STEP ...] | diff CHAPTER/STEP CHAPTER/STEP |\n"
    "            check CHAPTER/STEP ... | slides [CHAPTER/STEP ...]\n"
    "The script ./tour calls this; ./tour --help says what the options mean. With --make, Ninja "
    "or\n"
    "make, run builds each chapter before its steps; where that fails it exits with 3, and what "
    "was\n"
    "said is in DIR/tour.log.\n";

enum command { RUN, DIFF, CHECK, SLIDES, COMMANDS };

struct request {
    struct runner runner;
    enum command command;
    const char *checkout, *json, *html;
    const char *compare[REPORT_MAX_RUNS]; /* older runs */
    int compare_count;
    int64_t slower; /* percent; -1: any */
    bool markdown, counters;
    bool all; /* of a diff, on however many screens */
    char **names;
    int name_count;
};

/* What came of it. */
struct outcomes {
    json_t *results;
    bool moved; /* to another GPU, so that both steps of a diff have the same */
    bool built; /* all that was to be run */
};

/* What becomes of the ladders as their chapters end. */
struct printer {
    const struct request *request;
    const struct manifest *manifest;
    size_t printed; /* how many results are in ladders that were printed */
};

/* Does all that goes to stdout arrive? The errno of the first time that it did not, or 0. */
static int print_error(void)
{
    static int error;

    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && !error)
        error = errno ? errno : EIO;
    return error;
}

/* Did it all arrive? Says so if not; where nobody reads any more, that is the end, as for any
 * program. */
static bool printed(void)
{
    const int error = print_error();

    if (error == EPIPE)
        raise(SIGPIPE);
    if (error)
        complain("cannot print: %s", strerror(error));
    return !error;
}

/* Do the options go with check? */
static bool check_takes(const struct request *request)
{
    if (request->runner.emulated && request->runner.runs < 0 && request->compare_count == 0 &&
        !request->html)
        return true;
    complain("check takes --on emulator, and no --runs, --compare or --html");
    return false;
}

/* What stands after the options. */
static bool read_command(int argc, char **argv, struct request *request)
{
    static const struct {
        const char *name;
        int least, most; /* steps */
        const char *takes;
    } commands[COMMANDS] = {[RUN] = {"run", 0, INT_MAX, NULL},
                            [DIFF] = {"diff", 2, 2, "two steps"},
                            [CHECK] = {"check", 1, INT_MAX, "steps"},
                            [SLIDES] = {"slides", 0, INT_MAX, NULL}};
    const char *name = argc > 0 ? argv[0] : "";
    enum command command = RUN;

    while (command < COMMANDS && strcmp(name, commands[command].name) != 0)
        command++;
    request->command = command;
    request->names = argv + 1;
    request->name_count = argc - 1;
    if (command == COMMANDS)
        complain("the command line takes run, diff, check or slides, not '%s'", name);
    else if (argc - 1 < commands[command].least || argc - 1 > commands[command].most)
        complain("%s takes %s", name, commands[command].takes);
    else if (request->all && command != DIFF)
        complain("--all goes with diff");
    else
        return command != CHECK || check_takes(request);
    return false;
}

/* Returns -1 to go on, else what to exit with. */
static int read_request(int argc, char **argv, struct request *request)
{
    struct runner *runner = &request->runner;
    const char *on = NULL;
    bool help = false;
    const struct setting settings[] = {
        {"build", .text = &runner->build},
        {"checkout", .text = &request->checkout},
        {"on", .text = &on},
        {"gpu", .text = &runner->gpu},
        {"n", .number = &runner->n, .max = MAX_N},
        {"runs", .number = &runner->runs, .min = 1, .max = MAX_RUNS},
        {"timeout", .number = &runner->timeout, .min = 1, .max = MAX_TIMEOUT},
        {"json", .text = &request->json},
        {"compare", .text = request->compare, .count = &request->compare_count,
         .max = REPORT_MAX_RUNS - 1},
        {"markdown", .flag = &request->markdown},
        {"html", .text = &request->html},
        {"counters", .flag = &request->counters},
        {"all", .flag = &request->all},
        {"make", .text = &runner->make},
        {"jobs", .number = &runner->jobs, .min = 1, .max = MAX_JOBS},
        {"fail-slower", .number = &request->slower, .max = MAX_SLOWER},
        {"help", .flag = &help},
        {0},
    };
    const int command = settings_read(argc, argv, settings, false);

    if (command < 0)
        return EXIT_USAGE;
    if (help) {
        fputs(usage, stdout);
        return printed() ? 0 : EXIT_FAILED;
    }
    if (!runner->build || !on) {
        complain("--build and --on are needed; see --help");
        return EXIT_USAGE;
    }
    runner->emulated = !strcmp(on, "emulator");
    if (!runner->emulated && strcmp(on, "gpu") != 0)
        return settings_refuse("on", on, "gpu or emulator"), EXIT_USAGE;
    return read_command(argc - command, argv + command, request) ? -1 : EXIT_USAGE;
}

/* Select the steps that are asked for; all without names. */
static bool select_steps(const struct request *request, struct manifest *manifest)
{
    for (int i = 0; i < manifest->step_count && request->name_count == 0; i++)
        manifest->steps[i].selected = true;
    for (int i = 0; i < request->name_count; i++) {
        struct step *step = manifest_find(manifest, request->names[i]);

        if (!step)
            return false;
        step->selected = true;
    }
    return true;
}

static bool all_are(const json_t *results, enum outcome outcome)
{
    const json_t *result;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result)
        if (result_outcome(result) != outcome)
            return false;
    return true;
}

/* The exit code for the results; where nothing ran, a line that says so. */
static int exit_code(const json_t *results)
{
    const json_t *result, *steps = json_object_get(results, "steps");
    size_t i;

    if (all_are(results, OUTCOME_SKIPPED) || all_are(results, OUTCOME_REFUSED)) {
        const bool skipped = all_are(results, OUTCOME_SKIPPED);

        complain("every step %s: %s", skipped ? "was skipped" : "refused",
                 result_text(json_array_get(steps, 0), "why"));
        return skipped ? EXIT_SKIP : EXIT_USAGE;
    }
    json_array_foreach(steps, i, result)
        if (outcome_is_failure(result_outcome(result)))
            return EXIT_FAILED;
    return 0;
}

/* The exit code for a diff, which has nothing to compare where one of the two did not run; a line
 * on stderr for each that says why. */
static int diff_code(const json_t *results)
{
    const json_t *result;
    int code = 0;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result) {
        const enum outcome outcome = result_outcome(result);

        if (outcome == OUTCOME_MATCH || outcome == OUTCOME_WRONG)
            continue;
        complain("%s/%s: %s: %s", result_text(result, "chapter"), result_text(result, "step"),
                 outcome_name(outcome), result_text(result, "why"));
        if (outcome_is_failure(outcome))
            code = EXIT_FAILED;
        else if (code != EXIT_FAILED)
            code = outcome == OUTCOME_SKIPPED ? EXIT_SKIP : EXIT_USAGE;
    }
    return code;
}

/* Returns the exit code. */
static int print_diff(const struct request *request, struct manifest *manifest,
                      const struct outcomes *outcomes, struct style style)
{
    const struct step *from = manifest_find(manifest, request->names[0]);
    const struct step *to = manifest_find(manifest, request->names[1]);

    if (request->all)
        style.rows = 0;
    if (!diff_print(request->checkout, manifest, from, to, outcomes->results, outcomes->moved,
                    stdout, &style))
        return EXIT_FAILED;
    fflush(stdout); /* before what goes to stderr */
    return diff_code(outcomes->results);
}

/* Run the selected steps, then show them one by one. Returns the exit code. */
static int slides(const struct request *request, struct manifest *manifest)
{
    json_t *results;
    int code = EXIT_FAILED;

    if (!slides_possible())
        return EXIT_USAGE;
    child_hold_signals();
    results = runner_run(&request->runner, manifest, NULL, NULL, NULL);
    if (!child_interrupted()) {
        code = exit_code(results);
        if (code != EXIT_SKIP && code != EXIT_USAGE)
            slides_show(results, manifest, &request->runner, request->checkout);
    }
    child_release_signals();
    return code;
}

/* Print the ladders of the chapters that have not been printed. */
static void print_ladders(struct printer *printer, const json_t *results)
{
    const struct request *request = printer->request;
    const struct style style = style_for(stdout, request->markdown);

    ladder_print(results, printer->printed, printer->manifest, request->runner.build,
                 request->counters ? LADDER_COUNTERS : LADDER_TIMES, stdout, &style);
    printer->printed = json_array_size(json_object_get(results, "steps"));
}

/* A runner_chapter: a ladder as soon as its chapter is done, but none before a step has run. With
 * nobody to read them, and no file to write, it is over. */
static bool chapter_done(void *self, const json_t *results)
{
    struct printer *printer = self;
    bool arrived;

    if (all_are(results, OUTCOME_SKIPPED) || all_are(results, OUTCOME_REFUSED))
        return true;
    child_allow_signals(true); /* whoever reads what we write may keep us waiting */
    print_ladders(printer, results);
    arrived = print_error() == 0;
    child_allow_signals(false);
    return arrived || printer->request->json || printer->request->html;
}

/* Show what was asked for and has not been shown. Returns the exit code. */
static int show(struct printer *printer, struct manifest *manifest, json_t *const *old,
                const struct outcomes *outcomes)
{
    const struct request *request = printer->request;
    const struct style style = style_for(stdout, request->markdown);
    int code = exit_code(outcomes->results);

    if (code == EXIT_SKIP || code == EXIT_USAGE)
        return code;
    if (request->command == DIFF)
        code = print_diff(request, manifest, outcomes, style);
    for (int i = 0; i < request->compare_count; i++) {
        fputc('\n', stdout);
        compare_print(old[i], outcomes->results, stdout, &style);
        if (request->slower >= 0 &&
            !compare_no_slower(old[i], outcomes->results, (double)request->slower))
            code = EXIT_FAILED;
    }
    return printed() ? code : EXIT_FAILED;
}

/* Run the selected steps. */
static struct outcomes run(struct printer *printer, struct manifest *manifest)
{
    const struct request *request = printer->request;
    const struct step *from, *to;
    struct outcomes outcomes = {NULL, false, true};

    if (request->command != DIFF) {
        outcomes.results =
            runner_run(&request->runner, manifest, chapter_done, printer, &outcomes.built);
        return outcomes;
    }
    from = manifest_find(manifest, request->names[0]);
    to = manifest_find(manifest, request->names[1]);
    outcomes.results = runner_run_pair(&request->runner, manifest, from, to, &outcomes.moved);
    return outcomes;
}

/* After an interrupt: the ladder of what was done by then. */
static void show_finished(struct printer *printer, const json_t *results)
{
    const size_t count = json_array_size(json_object_get(results, "steps"));

    if (count == 0 || printer->request->command == DIFF)
        return;
    print_ladders(printer, results);
    printed();
    complain("interrupted; steps done by then: %zu", count);
}

/* What was asked for in files. */
static bool write_files(const struct request *request, const struct manifest *manifest,
                        json_t *const *old, const json_t *results)
{
    const json_t *runs[REPORT_MAX_RUNS] = {results};

    for (int i = 0; i < request->compare_count; i++)
        runs[i + 1] = old[i];
    if (request->json && !results_write(results, request->json))
        return false;
    return !request->html || report_write(request->html, runs, 1 + request->compare_count, manifest,
                                          request->checkout);
}

/* Run, show each ladder as it is done, write, show the rest. Returns the exit code. */
static int tour(const struct request *request, struct manifest *manifest, json_t *const *old)
{
    struct printer printer = {request, manifest, 0};
    struct outcomes outcomes;
    int code;

    child_hold_signals();
    outcomes = run(&printer, manifest);
    if (child_interrupted())
        show_finished(&printer, outcomes.results);
    child_release_signals(); /* whoever reads what we write may keep us waiting */
    if (child_interrupted()) {
        code = EXIT_FAILED;
    } else if (!outcomes.built) {
        code = EXIT_BUILD;
    } else if (!write_files(request, manifest, old, outcomes.results)) {
        code = EXIT_FAILED;
    } else {
        code = show(&printer, manifest, old, &outcomes);
    }
    return code;
}

/* Check, write, show. Returns the exit code. */
static int check(const struct request *request, const struct manifest *manifest)
{
    const struct style style = style_for(stdout, request->markdown);
    json_t *checkup;
    int code;

    child_hold_signals();
    checkup = checkup_run(&request->runner, manifest);
    if (json_array_size(json_object_get(checkup, "checked")) > 0)
        checkup_print(checkup, stdout, &style);
    print_error(); /* before what goes to stderr */
    if (child_interrupted())
        complain("interrupted; steps checked by then: %zu",
                 json_array_size(json_object_get(checkup, "checked")));
    child_release_signals(); /* whoever reads what we write may keep us waiting */
    code = printed() ? checkup_code(checkup) : EXIT_FAILED;
    if (request->json && !results_write(checkup, request->json))
        code = EXIT_FAILED;
    return code;
}

/* A stream that is closed would be the next file that is opened. What is printed to one that was
 * closed has not arrived: its stand-in cannot be written. */
static bool open_streams(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != i)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct request request = {
        .runner = {.n = -1, .runs = -1, .timeout = DEFAULT_TIMEOUT, .jobs = 1},
        .checkout = ".",
        .slower = -1,
    };
    struct manifest manifest;
    json_t *old[REPORT_MAX_RUNS] = {NULL};
    int code;

    prctl(PR_SET_PDEATHSIG, SIGTERM); /* however the script that started us ends */
    if (!open_streams())
        return EXIT_FAILED;
    code = read_request(argc, argv, &request);
    if (code >= 0)
        return code;
    if (request.slower >= 0 && request.compare_count == 0) {
        complain("--fail-slower goes with --compare");
        return EXIT_USAGE;
    }
    for (int i = 0; i < request.compare_count; i++)
        if (!(old[i] = results_read(request.compare[i])))
            return EXIT_USAGE;
    code = EXIT_FAILED;
    if (manifest_read(&manifest, request.runner.build)) {
        if (!select_steps(&request, &manifest))
            code = EXIT_USAGE;
        else if (request.command == CHECK)
            code = check(&request, &manifest);
        else if (request.command == SLIDES)
            code = slides(&request, &manifest);
        else
            code = tour(&request, &manifest, old);
    }
    return code;
}
