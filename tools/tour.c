/* SPDX-License-Identifier: MIT */
/* The runner behind the `tour` script: run steps, show the ladder. The script says what there is to
 * ask for (./tour --help), refuses what does not go together, and hands over names as chapter/step.
 * With --make, Ninja or make, `run` builds each chapter before its steps; where that fails it exits
 * with 3, and what was said is in tour.log of the build folder. `slides` builds what is to be run
 * again. */
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
enum { MAX_N = 1 << 30, MAX_RUNS = 10000, MAX_SLOWER = 1000, MAX_JOBS = 1024 };

enum command { RUN, DIFF, CHECK, SLIDES, COMMANDS };

/* What is asked for, and what came of it. */
struct tour {
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
    struct manifest manifest;
    json_t *old[REPORT_MAX_RUNS]; /* what is to be compared */
    json_t *results;
    size_t printed; /* how many of them are in ladders that were printed */
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

/* Is it what the script may ask for, on the device `on`? */
static bool is_meant(const struct tour *tour, const char *on)
{
    static const struct {
        int least, most; /* steps */
    } takes[COMMANDS] = {
        [RUN] = {0, INT_MAX}, [DIFF] = {2, 2}, [CHECK] = {1, INT_MAX}, [SLIDES] = {0, INT_MAX}};
    const struct runner *runner = &tour->runner;
    const enum command command = tour->command;

    if (command == COMMANDS || tour->name_count < takes[command].least ||
        tour->name_count > takes[command].most || !runner->build || !on ||
        (!runner->emulated && strcmp(on, "gpu") != 0))
        return false;
    if (command == CHECK && (runner->runs >= 0 || runner->sample || tour->compare_count > 0 ||
                             tour->html || !runner->emulated))
        return false;
    return (!runner->sample || runner->emulated) && (!tour->all || command == DIFF) &&
           (tour->slower < 0 || tour->compare_count > 0);
}

static bool read_request(int argc, char **argv, struct tour *tour)
{
    static const char *const names[COMMANDS] = {
        [RUN] = "run", [DIFF] = "diff", [CHECK] = "check", [SLIDES] = "slides"};
    struct runner *runner = &tour->runner;
    const char *on = NULL;
    const struct setting settings[] = {
        {"build", .text = &runner->build},
        {"checkout", .text = &tour->checkout},
        {"on", .text = &on},
        {"gpu", .text = &runner->gpu},
        {"n", .number = &runner->n, .max = MAX_N},
        {"sample", .flag = &runner->sample},
        {"runs", .number = &runner->runs, .min = 1, .max = MAX_RUNS},
        {"timeout", .number = &runner->timeout, .min = 1, .max = MAX_TIMEOUT},
        {"json", .text = &tour->json},
        {"compare", .text = tour->compare, .count = &tour->compare_count,
         .max = REPORT_MAX_RUNS - 1},
        {"markdown", .flag = &tour->markdown},
        {"html", .text = &tour->html},
        {"counters", .flag = &tour->counters},
        {"all", .flag = &tour->all},
        {"make", .text = &runner->make},
        {"jobs", .number = &runner->jobs, .min = 1, .max = MAX_JOBS},
        {"fail-slower", .number = &tour->slower, .max = MAX_SLOWER},
        {0},
    };
    const int first = settings_read(argc, argv, settings, false);

    if (first < 0)
        return false;
    while (tour->command < COMMANDS &&
           (first == argc || strcmp(argv[first], names[tour->command]) != 0))
        tour->command++;
    tour->names = argv + first + 1;
    tour->name_count = argc - first - 1;
    runner->emulated = on && !strcmp(on, "emulator");
    const bool meant = is_meant(tour, on);
    if (!meant)
        complain("this is the runner of ./tour, which never asks for that");
    return meant;
}

/* Select the steps that are asked for; all without names. */
static bool select_steps(struct tour *tour)
{
    struct manifest *manifest = &tour->manifest;

    for (int i = 0; i < manifest->step_count && tour->name_count == 0; i++)
        manifest->steps[i].selected = true;
    for (int i = 0; i < tour->name_count; i++) {
        struct step *step = manifest_find(manifest, tour->names[i]);

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

        const char *why = result_text(json_array_get(steps, 0), "why");

        if (skipped && !strcmp(result_text(results, "on"), "emulator"))
            complain("every step was skipped: %s; --gpu list names other GPUs", why);
        else
            complain("every step %s: %s", skipped ? "was skipped" : "refused", why);
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

        if (outcome_is_good(outcome) || outcome == OUTCOME_WRONG)
            continue;
        complain("%s: %s: %s",
                 manifest_name(result_text(result, "chapter"), result_text(result, "step")),
                 outcome_name(outcome), result_text(result, "why"));
        if (outcome_is_failure(outcome))
            code = EXIT_FAILED;
        else if (code != EXIT_FAILED)
            code = outcome == OUTCOME_SKIPPED ? EXIT_SKIP : EXIT_USAGE;
    }
    return code;
}

/* Run the selected steps, which are built, then show them one by one; what is run again there is
 * built first. Returns the exit code. */
static int slides(struct tour *tour)
{
    struct runner built = tour->runner;
    struct timespec began;
    int code = EXIT_FAILED;

    if (!slides_possible())
        return EXIT_USAGE;
    built.make = NULL;
    clock_gettime(CLOCK_REALTIME, &began);
    child_hold_signals();
    tour->results = runner_run(&built, &tour->manifest, NULL, NULL, NULL);
    if (!child_interrupted()) {
        code = exit_code(tour->results);
        if (code != EXIT_SKIP && code != EXIT_USAGE)
            slides_show(tour->results, &began, &tour->manifest, &tour->runner, tour->checkout);
    }
    child_release_signals();
    return code;
}

/* Print the ladders of the chapters that have not been printed. */
static void print_ladders(struct tour *tour, const json_t *results)
{
    const struct style style = style_for(stdout, tour->markdown);

    ladder_print(results, tour->printed, &tour->manifest, tour->checkout, tour->runner.build,
                 tour->counters ? LADDER_COUNTERS : LADDER_TIMES, stdout, &style);
    tour->printed = json_array_size(json_object_get(results, "steps"));
}

/* A runner_chapter: a ladder as soon as its chapter is done, but none before a step has run. With
 * nobody to read them, and no file to write, it is over. */
static bool chapter_done(void *self, const json_t *results)
{
    struct tour *tour = self;
    bool arrived;

    if (all_are(results, OUTCOME_SKIPPED) || all_are(results, OUTCOME_REFUSED))
        return true;
    child_allow_signals(true); /* whoever reads what we write may keep us waiting */
    print_ladders(tour, results);
    arrived = print_error() == 0;
    child_allow_signals(false);
    return arrived || tour->json || tour->html;
}

/* After an interrupt: the ladder of what was done by then. */
static void show_finished(struct tour *tour)
{
    const size_t count = json_array_size(json_object_get(tour->results, "steps"));

    if (count == 0)
        return;
    print_ladders(tour, tour->results);
    printed();
    complain("interrupted; steps done by then: %zu", count);
}

/* What was asked for in files. */
static bool write_files(const struct tour *tour)
{
    const json_t *runs[REPORT_MAX_RUNS] = {tour->results};

    for (int i = 0; i < tour->compare_count; i++)
        runs[i + 1] = tour->old[i];
    if (tour->json && !results_write(tour->results, tour->json))
        return false;
    return !tour->html ||
           report_write(tour->html, runs, 1 + tour->compare_count, &tour->manifest, tour->checkout);
}

/* Show what becomes of older runs. Returns the exit code. */
static int compare(const struct tour *tour, int code)
{
    const struct style style = style_for(stdout, tour->markdown);

    for (int i = 0; i < tour->compare_count; i++) {
        fputc('\n', stdout);
        compare_print(tour->old[i], tour->results, stdout, &style);
        if (tour->slower >= 0 &&
            !compare_no_slower(tour->old[i], tour->results, (double)tour->slower))
            code = EXIT_FAILED;
    }
    return printed() ? code : EXIT_FAILED;
}

/* Run the selected steps, show each ladder as it is done, write files, compare. Returns the exit
 * code. */
static int run(struct tour *tour)
{
    bool built;
    int code;

    child_hold_signals();
    tour->results = runner_run(&tour->runner, &tour->manifest, chapter_done, tour, &built);
    if (child_interrupted())
        show_finished(tour);
    child_release_signals(); /* whoever reads what we write may keep us waiting */
    if (child_interrupted())
        return EXIT_FAILED;
    if (!built)
        return EXIT_BUILD;
    if (!write_files(tour))
        return EXIT_FAILED;
    code = exit_code(tour->results);
    return code == EXIT_SKIP || code == EXIT_USAGE ? code : compare(tour, code);
}

/* Run two steps, and show in what they differ. Returns the exit code. */
static int diff(struct tour *tour)
{
    const struct step *from = manifest_find(&tour->manifest, tour->names[0]);
    const struct step *to = manifest_find(&tour->manifest, tour->names[1]);
    struct style style;
    bool moved;
    int code;

    child_hold_signals();
    tour->results = runner_run_pair(&tour->runner, &tour->manifest, from, to, &moved);
    child_release_signals();
    if (child_interrupted() || !write_files(tour))
        return EXIT_FAILED;
    code = exit_code(tour->results);
    if (code == EXIT_SKIP || code == EXIT_USAGE)
        return code;
    style = style_for(stdout, tour->markdown);
    if (tour->all)
        style.rows = 0;
    if (!diff_print(tour->checkout, &tour->manifest, from, to, tour->results, moved, stdout,
                    &style))
        return EXIT_FAILED;
    fflush(stdout); /* before what goes to stderr */
    return compare(tour, diff_code(tour->results));
}

/* Check, write, show. Returns the exit code. */
static int check(struct tour *tour)
{
    struct style style;
    json_t *checkup;
    size_t count;
    int code;

    child_hold_signals();
    checkup = checkup_run(&tour->runner, &tour->manifest);
    count = json_array_size(json_object_get(checkup, "checked"));
    style = style_for(stdout, tour->markdown);
    if (count > 0)
        checkup_print(checkup, stdout, &style);
    print_error(); /* before what goes to stderr */
    if (child_interrupted())
        complain("interrupted; steps checked by then: %zu", count);
    child_release_signals(); /* whoever reads what we write may keep us waiting */
    code = printed() ? checkup_code(checkup) : EXIT_FAILED;
    if (tour->json && !results_write(checkup, tour->json))
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
    static int (*const commands[])(struct tour * tour) = {
        [RUN] = run, [DIFF] = diff, [CHECK] = check, [SLIDES] = slides};
    struct tour tour = {
        .runner = {.n = -1, .runs = -1, .timeout = DEFAULT_TIMEOUT, .jobs = 1},
        .checkout = ".",
        .slower = -1,
    };

    language_of_children(LANGUAGE_ENGLISH); /* we read what they say */
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* however the script that started us ends */
    if (!open_streams())
        return EXIT_FAILED;
    if (!read_request(argc, argv, &tour))
        return EXIT_USAGE;
    for (int i = 0; i < tour.compare_count; i++)
        if (!(tour.old[i] = results_read(tour.compare[i])))
            return EXIT_USAGE;
    if (!manifest_read(&tour.manifest, tour.runner.build))
        return EXIT_FAILED;
    if (!select_steps(&tour))
        return EXIT_USAGE;
    return commands[tour.command](&tour);
}
