/* SPDX-License-Identifier: MIT */
#include "runner.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "builder.h"
#include "child.h"
#include "cores.h"
#include "experiment.h"
#include "progress.h"
#include "results.h"
#include "text.h"

enum { EXIT_REFUSED = 2, EXIT_SKIPPED = 77, WHY_LIMIT = 400, STDOUT = 0, STDERR = 1, EXTRA = 2 };

/* --- What a step said ------------------------------------------------------------------------- */

static char *cleaned_line(const char *line)
{
    char *text = text_format("%.*s", WHY_LIMIT, line);

    text_clean(text);
    return text;
}

char *emulator_says(const char *line)
{
    static const char mark[] = "emu: ";

    return strncmp(line, mark, strlen(mark)) ? NULL : (char *)line + strlen(mark);
}

/* The line that matters of what the step said on stderr: the first that mentions an error, else the
 * last; NULL if there is none. */
static char *telling_line(const char *text)
{
    char *last = NULL;

    for (char **line = text_lines(text); *line; line++) {
        if (!**line || emulator_says(*line))
            continue;
        last = *line;
        if (strcasestr(last, "error"))
            break;
    }
    return last ? cleaned_line(last) : NULL;
}

static const char ended[] = "ended by signal "; /* what the emulator says when it is to end */

/* Is it a message of the emulator about what stops no program? */
static bool is_aside(const char *message)
{
    static const char *const asides[] = {"checked, ", "note: ", "race: ", "init: ", "leak: "};

    for (size_t i = 0; i < sizeof(asides) / sizeof(asides[0]); i++)
        if (!strncmp(message, asides[i], strlen(asides[i])))
            return true;
    return strstr(message, " is older than its source ") || strstr(message, ended);
}

char *runner_finding(const char *text)
{
    char *finding = NULL;

    for (char **line = text_lines(text); *line; line++) {
        const char *said = emulator_says(*line);
        const bool goes_on = said && *said == ' ';

        if (finding && !goes_on)
            break;
        if (finding)
            finding = text_format("%s; %s", finding, cleaned_line(said + strspn(said, " ")));
        else if (said && !goes_on && !is_aside(said))
            finding = cleaned_line(said);
    }
    return finding;
}

/* `line` without the "v3_coalesced: " that a program puts before what it says. */
static void drop_name(char *line)
{
    const size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (name > 0 && !strncmp(line + name, ": ", 2))
        memmove(line, line + name + 2, strlen(line + name + 2) + 1);
}

/* `what`, and what the step said about it. */
static char *explain(const char *what, const struct child *child)
{
    char *line = telling_line(child->streams[STDERR]);

    if (line)
        drop_name(line);
    else
        line = runner_finding(child->streams[STDERR]);
    if (!line)
        return copy_text(*what ? what : "it gave no reason");
    return *what ? text_format("%s: %s", what, line) : line;
}

/* `what`, and what the emulator found, if anything. */
static char *add_finding(char *what, const struct child *child)
{
    char *finding = runner_finding(child->streams[STDERR]);

    return finding ? text_format("%s; %s", what, finding) : what;
}

/* Where a program was that had to be ended, as in " in kernel spin, x.cu:8, block ...", if the
 * emulator says so. */
static const char *last_place(const struct child *child)
{
    static const char interrupted[] = "interrupted", separator[] = ": ";

    for (char **line = text_lines(child->streams[STDERR]); *line; line++) {
        const char *said = emulator_says(*line), *end = said ? strstr(said, ended) : NULL;
        if (end && !strncmp(said, interrupted, strlen(interrupted)))
            return text_format("%.*s", (int)(end - strlen(separator) - said - strlen(interrupted)),
                               said + strlen(interrupted));
    }
    return "";
}

/* What the emulator found, from which the rest follows; without that, what explain() says. */
static char *find_cause(const char *what, const struct child *child)
{
    char *finding = runner_finding(child->streams[STDERR]);

    return finding ? finding : explain(what, child);
}

/* The report among what the step printed: one JSON object, of this step, with a verdict, or a line
 * for each variant of an experiment, which go to `*variants`. NULL if it is anything else. */
static json_t *read_report(const char *text, const struct step *step, json_t **variants)
{
    json_t *experiment = experiment_read(text, variants);
    json_t *report = experiment ? experiment : json_loads(text, 0, NULL);
    const char *verdict = result_text(report, "verdict");

    if (report && !strcmp(result_text(report, "chapter"), step->chapter) &&
        !strcmp(result_text(report, "step"), step->name) &&
        (!strcmp(verdict, "match") || !strcmp(verdict, "mismatch") ||
         !strcmp(verdict, "unchecked")))
        return report;
    *variants = NULL;
    return NULL;
}

/* What stands in the place of a report for a program of one's own: that it came to a good end, and
 * the device and time of its profile, if there is one. NULL where it did not. */
static json_t *own_report(const struct step *step, const struct child *child)
{
    json_t *profile = json_loads(child->streams[EXTRA], 0, NULL), *report, *kernel;
    const bool good = child_succeeded(child) && !runner_finding(child->streams[STDERR]);
    double ms = 0;
    size_t i;

    json_array_foreach(json_object_get(profile, "kernels"), i, kernel)
        ms += result_number(kernel, "modelled_ms");
    report = json_pack("{s:s, s:s, s:s, s:i, s:i, s:{s:s, s:b}, s:{s:f}}", "chapter", step->chapter,
                       "step", step->name, "verdict", "match", "n", 0, "runs", 1, "device", "name",
                       result_text(profile, "device"), "modelled", 1, "ms", "median", ms);
    return good ? report : NULL;
}

static char *explain_mismatch(const json_t *report)
{
    const char *why = result_text(report, "why");
    char *text = text_format("result %s, reference %s%s%s", result_text(report, "result"),
                             result_text(report, "reference"), *why ? ": " : "", why);

    text_clean(text);
    return text;
}

/* A step that ended with 0 or 1: what it printed must agree. */
static enum outcome judge_report(const json_t *report, int code, const struct child *child,
                                 char **why)
{
    const bool match = report && !strcmp(result_text(report, "verdict"), "match");

    if (report && code == 0 && !strcmp(result_text(report, "verdict"), "unchecked")) {
        *why = copy_text("time of a sample of the blocks");
        return OUTCOME_SAMPLED;
    }
    if (report && match == (code == 0)) {
        *why = match ? NULL : add_finding(explain_mismatch(report), child);
        return match ? OUTCOME_MATCH : OUTCOME_MISMATCH;
    }
    if (report && !match && *result_text(report, "wrong")) {
        *why = text_format("on purpose: %s", result_text(report, "wrong"));
        return OUTCOME_WRONG;
    }
    if (report) {
        *why = text_format("it says %s, but its exit status is %d", result_text(report, "verdict"),
                           code);
        return OUTCOME_GARBLED;
    }
    *why = code == 0 ? explain("it did not print one report", child) : find_cause("", child);
    return code == 0 ? OUTCOME_GARBLED : OUTCOME_FAILED;
}

/* The outcome of a step, and why in `*why` (NULL for a match). What an exit code means
 * `own` programs decide themselves. */
static enum outcome judge(const struct child *child, const json_t *report, bool own, double timeout,
                          char **why)
{
    char *what;
    int code;

    if (child->start_error) {
        *why = text_format("cannot be started: %s", strerror(child->start_error));
        return OUTCOME_FAILED;
    }
    if (child->timed_out) {
        *why = add_finding(text_format("stopped after %g s%s", timeout, last_place(child)), child);
        return OUTCOME_TIMEOUT;
    }
    if (WIFSIGNALED(child->status)) {
        what = text_format("signal %d, %s", WTERMSIG(child->status),
                           strsignal(WTERMSIG(child->status)));
        *why = runner_finding(child->streams[STDERR]) ? add_finding(what, child)
                                                      : explain(what, child);
        return OUTCOME_CRASH;
    }
    code = WEXITSTATUS(child->status);
    if (own ? report != NULL : code == 0 || code == 1)
        return judge_report(report, code, child, why);
    if (!own && (code == EXIT_REFUSED || code == EXIT_SKIPPED)) {
        *why = explain("", child);
        return code == EXIT_REFUSED ? OUTCOME_REFUSED : OUTCOME_SKIPPED;
    }
    *why = find_cause(text_format("exit status %d", code), child);
    return OUTCOME_FAILED;
}

/* What kernels printed, or a program of one's own, and no message of the emulator: lines, or
 * NULL. */
static const char *printed(const char *text)
{
    char *lines;
    FILE *file = text_open(&lines);

    for (char **line = text_lines(text); *line; line++)
        if (!emulator_says(*line))
            fprintf(file, "%s\n", cleaned_line(*line));
    fclose(file);
    return *lines ? lines : NULL;
}

/* --- Running ---------------------------------------------------------------------------------- */

/* Calls of libraries that the CPU answered take no modelled time: what is left of the step's time
 * says nothing, and goes. Returns why, or NULL where there were none. */
static char *drop_times(json_t *report, const json_t *profile)
{
    static const char *const times[] = {"ms", "total_ms", "gbs", "gflops", "share"};

    if (!json_array_size(json_object_get(profile, "on_cpu")))
        return NULL;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (json_object_get(report, times[i]))
            json_object_set_new(report, times[i], json_null());
    return copy_text("a stand-in of the library computes on the CPU, in no modelled time");
}

struct child_limits runner_limits(const struct runner *runner, child_tick *tick, void *self)
{
    enum { GRACE = 3 };

    return (struct child_limits){.seconds = (double)runner->timeout,
                                 .grace = runner->emulated ? GRACE : 0,
                                 .tick = tick,
                                 .self = self};
}

json_t *runner_result(const struct step *step, const struct child *child, double timeout)
{
    json_t *variants = NULL;
    json_t *report =
        step->own ? own_report(step, child) : read_report(child->streams[STDOUT], step, &variants);
    const json_t *profile = json_loads(child->streams[EXTRA], 0, NULL);
    json_t *kernels = json_object_get(profile, "kernels");
    char *why = NULL;
    const enum outcome outcome = judge(child, report, step->own, timeout, &why);

    char *untimed = outcome_is_good(outcome) ? drop_times(report, profile) : NULL;
    why = untimed ? untimed : why;
    if (variants)
        experiment_count(variants, kernels);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s?, s:o?, s:s*, s:o*, s:O?}", "chapter", step->chapter, "step",
        step->name, "title", step->title, "article", step->article, "outcome",
        outcome_name(outcome), "why", why, "report", report, "printed",
        outcome_is_good(outcome) || outcome == OUTCOME_MISMATCH || outcome == OUTCOME_WRONG
            ? printed(child->streams[step->own ? STDOUT : STDERR])
            : NULL,
        "variants", variants, "kernels", kernels);
}

/* The GPU to emulate; NULL: the emulator's own choice. */
static const char *gpu_for(const struct runner *runner, const struct manifest *manifest,
                           const struct step *step)
{
    return runner->gpu ? runner->gpu : manifest_shown_on(manifest, step);
}

/* What goes on while we wait. */
struct work {
    const struct runner *runner;
    const struct manifest *manifest;
    struct progress progress;
    struct builder builder;
    struct running **begun; /* by step: it runs, or has run; NULL: not yet */
};

char **runner_command(const struct runner *runner, const struct step *step, const char *gpu,
                      const char *const *emu_options, const char *const *options, bool small)
{
    struct texts command = {0};
    const json_t *argument;
    size_t i;

    if (runner->emulated) {
        texts_add(&command, text_format("%s/emulator/emu", runner->build));
        texts_add_all(&command, emu_options);
        if (gpu)
            texts_add(&command, text_format("--gpu=%s", gpu));
    }
    texts_add(&command, text_format("%s/%s", runner->build, step->program));
    if (!step->own)
        texts_add_all(&command, options);
    if (runner->n >= 0 && step->sizes)
        texts_add(&command, text_format("--n=%lld", (long long)runner->n));
    if (runner->runs >= 0 && !step->own)
        texts_add(&command, text_format("--runs=%lld", (long long)runner->runs));
    if (runner->n < 0 && (small || step->own))
        json_array_foreach(step->check_size, i, argument)
            texts_add(&command, json_string_value(argument));
    return command.list;
}

/* Start a step at its own size, at a small one, or for the time of a sample; on so many cores, or
 * on all with 0. */
enum size { OWN_SIZE, SMALL_SIZE, OF_A_SAMPLE };
static struct running *begin_at(const struct work *work, const struct step *step, enum size size,
                                int cores)
{
    static const char *const json[] = {"--json", NULL};
    struct runner own = *work->runner;
    struct texts counting = {0};

    texts_add(&counting, "--profile=json");
    texts_add(&counting, "--profile-file=/dev/fd/3");
    if (size == OF_A_SAMPLE)
        texts_add(&counting, "--sample");
    if (cores && !getenv("EMU_WORKERS"))
        texts_add(&counting, text_format("--workers=%d", cores));
    if (size == SMALL_SIZE)
        own.n = -1;
    return child_begin(runner_command(&own, step, gpu_for(&own, work->manifest, step),
                                      (const char *const *)counting.list, json, size == SMALL_SIZE),
                       own.emulated);
}

static bool is_sampled(const struct runner *runner, const struct step *step)
{
    return runner->sample && !step->own;
}

/* The first step selected from `step` on; NULL where there is none. */
static const struct step *first_step(const struct manifest *manifest, const struct step *step)
{
    const struct step *end = manifest->steps + manifest->step_count;

    while (step < end && !step->selected)
        step++;
    return step < end ? step : NULL;
}

/* Must the step run by itself? Modelled times do not depend on who else is at work; those of a card
 * do, and those of a library on the CPU; of strangers' programs nobody knows. */
static bool runs_alone(const struct runner *runner, const struct step *step)
{
    return !runner->emulated || step->own || usable_cores() == 1 ||
           !strncmp(step->name, "library_", 8);
}

static struct running **begun(struct work *work, const struct step *step)
{
    return &work->begun[step - work->manifest->steps];
}

/* From the step that is waited for on, have two at work, on half of the cores each: many a step
 * keeps only one busy. */
static void begin_some(struct work *work, const struct step *step)
{
    enum { AT_ONCE = 2 };
    const struct step *next;
    int running = 0;
    bool alone = false;

    for (; step && !alone && running < AT_ONCE && builder_has(&work->builder, step); step = next) {
        next = first_step(work->manifest, step + 1);
        alone = runs_alone(work->runner, step);
        const bool beside = running > 0 || (next && builder_has(&work->builder, next));
        if (alone && running > 0)
            break;
        if (!*begun(work, step))
            *begun(work, step) =
                begin_at(work, step, is_sampled(work->runner, step) ? SMALL_SIZE : OWN_SIZE,
                         alone || !beside ? 0 : (usable_cores() + 1) / 2);
        running += child_runs(*begun(work, step));
    }
}

/* A child_tick (child.h). */
static void look_around(void *self, double seconds)
{
    struct work *work = self;

    begin_some(work, work->progress.step);
    builder_look(&work->builder);
    work->progress.beside = builder_says(&work->builder);
    progress_show(&work->progress, seconds);
    work->progress.beside = NULL;
}

/* Wait until the step is built. Returns false where it cannot be, or when interrupted. */
static bool await_build(struct work *work, const struct step *step)
{
    enum { TICK_MS = 100 };

    work->progress.what = "not built yet";
    for (int ticks = 0; !builder_has(&work->builder, step); ticks++) {
        if (work->builder.failed || child_interrupted())
            return false;
        look_around(work, ticks * TICK_MS * 1e-3);
        if (!builder_has(&work->builder, step))
            child_await_input(-1, TICK_MS);
    }
    work->progress.what = NULL;
    progress_waited(&work->progress);
    return !child_interrupted();
}

static json_t *await_result(struct work *work, const struct step *step)
{
    const struct child_limits limits = runner_limits(work->runner, look_around, work);
    const struct child child = child_await(*begun(work, step), &limits);

    return runner_result(step, &child, limits.seconds);
}

/* A step has been checked at a small size: time a sample of it. */
static json_t *add_sample(struct work *work, const struct step *step, json_t *checked)
{
    const double n = result_number(checked, "report.n");
    json_t *sampled;

    if (result_outcome(checked) != OUTCOME_MATCH || child_interrupted())
        return checked;
    *begun(work, step) = begin_at(work, step, OF_A_SAMPLE, 0);
    sampled = await_result(work, step);
    if (result_outcome(sampled) == OUTCOME_SAMPLED && step->sizes)
        json_object_set_new(
            sampled, "why",
            json_string(text_format("time of a sample of the blocks; results checked at n = %s",
                                    text_count(n))));
    return sampled;
}

/* Run one step, once it is built. Returns false where that is the end of it all. */
static bool run_next(struct work *work, const struct step *step, json_t *steps)
{
    json_t *result;

    progress_next(&work->progress, step);
    if (!await_build(work, step))
        return false;
    begin_some(work, step);
    result = await_result(work, step);
    if (is_sampled(work->runner, step))
        result = add_sample(work, step, result);
    if (child_interrupted()) /* it was not let finish */
        return false;
    json_array_append_new(steps, result);
    return true;
}

json_t *runner_run(const struct runner *runner, const struct manifest *manifest,
                   runner_chapter *done, void *self, bool *built)
{
    struct work work = {
        runner,
        manifest,
        progress_new(manifest),
        builder_new(manifest, runner->build, runner->make, runner->jobs),
        allocate((size_t)manifest->step_count * sizeof(struct running *)),
    };
    json_t *results = results_new(runner->emulated ? "emulator" : "gpu", runner->n, runner->runs);
    json_t *steps = json_object_get(results, "steps");
    const struct step *step = first_step(manifest, manifest->steps), *next;
    bool goes_on = true;

    work.progress.foreseen =
        runner->emulated && !runner->gpu && runner->n < 0 && runner->runs < 0 && !runner->sample;
    for (; step && goes_on; step = next) {
        next = first_step(manifest, step + 1);
        goes_on = run_next(&work, step, steps);
        if (goes_on && done && !(next && !strcmp(next->chapter, step->chapter))) {
            style_wipe();
            goes_on = done(self, results);
        }
    }
    for (int i = 0; i < manifest->step_count; i++)
        if (work.begun[i])
            child_drop(work.begun[i]);
    builder_end(&work.builder);
    style_wipe();
    if (built)
        *built = !work.builder.failed;
    return results;
}

static bool any_skipped(const json_t *results)
{
    const json_t *result;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result)
        if (result_outcome(result) == OUTCOME_SKIPPED)
            return true;
    return false;
}

json_t *runner_run_pair(const struct runner *runner, const struct manifest *manifest,
                        const struct step *from, const struct step *to, bool *moved)
{
    static const char *const of_today[] = {"default", "h100"};
    const char *a = gpu_for(runner, manifest, from), *b = gpu_for(runner, manifest, to);
    struct runner other = *runner;
    json_t *results = NULL;

    *moved = false;
    if (a == b || (a && b && !strcmp(a, b)))
        results = runner_run(runner, manifest, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof(of_today) / sizeof(of_today[0]); i++) {
        if (results && (!runner->emulated || runner->gpu || !any_skipped(results)))
            break;
        if (child_interrupted())
            break;
        other.gpu = of_today[i];
        results = runner_run(&other, manifest, NULL, NULL, NULL);
        *moved = true;
    }
    return results;
}
