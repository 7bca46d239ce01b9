/* SPDX-License-Identifier: MIT */
#include "checkup.h"

#include <string.h>

#include "child.h"
#include "progress.h"
#include "results.h"
#include "text.h"

enum { CODE_FAILED = 1, CODE_REFUSED = 2, CODE_SKIPPED = 77, STDOUT = 0, STDERR = 1 };

static const char *const schedules[] = {"forward", "reverse", "random:1"};
static const char *const kinds[] = {"memory", "race", "sync", "init", "leak"};

enum { SCHEDULES = sizeof(schedules) / sizeof(schedules[0]), RUNS = 1 + SCHEDULES };
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* What has become of one step. */
struct checkup {
    const struct step *step;
    json_t *checkers; /* the result under them */
    json_t *reports, *finding; /* NULL: they gave no account */
    json_t *orders[SCHEDULES]; /* the results; NULL: not run */
    char *printed[RUNS]; /* by a program of one's own */
    bool faulted[RUNS]; /* under the checkers, then in each order: the emulator stopped it */
    bool wrong; /* on purpose */
};

/* --- What the emulator said --------------------------------------------------------------- */

/* "checked, 2 reports: memory 0, race 2, ..." as an object; NULL for any other line. */
static json_t *read_reports(const char *line)
{
    json_t *reports;

    if (strncmp(line, "checked, ", strlen("checked, ")) != 0)
        return NULL;
    reports = json_object();
    for (int i = 0; i < KINDS; i++) {
        char *word = text_format(" %s ", kinds[i]);
        const char *found = strstr(line, word);

        json_object_set_new(reports, kinds[i],
                            json_integer(found ? atoll(found + strlen(word)) : 0));
    }
    return reports;
}

/* "race: 4 bytes at ..., kernel add": the finding that such a line opens; NULL for any other. */
static json_t *read_heading(const char *line)
{
    const char *const word = ", kernel ";
    const char *kernel = NULL;

    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
        kernel = at + strlen(word);
    for (int i = 0; i < KINDS; i++) {
        const size_t length = strlen(kinds[i]);

        if (!strncmp(line, kinds[i], length) && !strncmp(line + length, ": ", 2))
            return json_pack("{s:s, s:s, s:s?}", "kind", kinds[i], "what", line + length + 2,
                             "kernel", kernel);
    }
    return NULL;
}

/* "load at sumsq/v5.cu:31, block (0,0,0), ...": adds act, place and thread of the first such line;
 * the others as they are. */
static void read_detail(json_t *finding, const char *line)
{
    const char *at = strstr(line, " at "), *place = at ? at + strlen(" at ") : NULL;
    const char *end = place ? strstr(place, ", block (") : NULL;
    const char *more = result_text(finding, "more");

    if (end && !json_object_get(finding, "place")) {
        json_object_set_new(finding, "act", json_stringn(line, (size_t)(at - line)));
        json_object_set_new(finding, "place", json_stringn(place, (size_t)(end - place)));
        json_object_set_new(finding, "thread", json_string(end + strlen(", ")));
        return;
    }
    json_object_set_new(finding, "more",
                        json_string(text_format("%s%s%s", more, *more ? "; " : "", line)));
}

/* Take the first finding, and how many of each kind there are, from what was said on stderr. */
static void read_findings(struct checkup *checkup, const char *text)
{
    bool in_first = false;
    json_t *reports;

    for (char **line = text_lines(text); *line; line++) {
        char *said = emulator_says(*line);

        if (!said)
            continue;
        text_clean(said);
        if (!strncmp(said, "    ", 4)) { /* it belongs to the finding above */
            if (in_first)
                read_detail(checkup->finding, said + 4);
            continue;
        }
        in_first = !checkup->finding && (checkup->finding = read_heading(said));
        reports = read_reports(said);
        if (reports)
            checkup->reports = reports;
    }
}

static int64_t count_reports(const struct checkup *checkup, const char *kind)
{
    return json_integer_value(json_object_get(checkup->reports, kind));
}

static int64_t count_all_reports(const struct checkup *checkup)
{
    int64_t sum = 0;

    for (int i = 0; i < KINDS; i++)
        sum += count_reports(checkup, kinds[i]);
    return sum;
}

/* --- The runs ----------------------------------------------------------------------------- */

/* That of the GPU that the emulator plays unless told. What needs more is checked as an H100. */
enum { DEFAULT_CAPABILITY = 75 };

/* The step under the emulator with `option`. Its arguments are those of the chapter's tests
 * (cmake/AddStep.cmake), which say why the checkers go without poison and guard. */
static struct child run(const struct runner *runner, const struct step *step, const char *option,
                        bool bare, struct progress *progress)
{
    static const char *const options[] = {"--json", "--no-poison", "--no-guard", NULL};
    static const char *const json[] = {"--json", NULL};
    const char *able = step->minimum > DEFAULT_CAPABILITY ? "h100" : NULL;
    char **argv = runner_command(runner, step, runner->gpu ? runner->gpu : able,
                                 (const char *[]){option, NULL}, bare ? options : json, true);

    return child_run(argv, false, (double)runner->timeout, progress_show, progress);
}

/* The line of `text` that differs from `other`'s. */
static char *differing_line(const char *text, const char *other)
{
    const char *line = text;
    char *copy;

    for (; *text && *text == *other; text++, other++)
        if (*text == '\n')
            line = text + 1;
    copy = text_format("%.*s", (int)strcspn(line, "\n"), line);
    text_clean(copy);
    return copy;
}

/* A program of one's own has no answer to compare with but what it prints in forward order, if that
 * is the same each time: the order must not change it. */
static void compare_printed(const struct checkup *checkup, int index, json_t *result)
{
    char *const *printed = checkup->printed;

    if (!checkup->step->own || index < 2 || strcmp(printed[0], printed[1]) != 0 ||
        !strcmp(printed[index], printed[1]) || result_outcome(result) != OUTCOME_MATCH)
        return;
    json_object_set_new(result, "outcome", json_string(outcome_name(OUTCOME_MISMATCH)));
    json_object_set_new(result, "why",
                        json_string(text_format("it prints '%s', not '%s'",
                                                differing_line(printed[index], printed[1]),
                                                differing_line(printed[1], printed[index]))));
}

/* Run `index`, the checkers' or that of an order: what it says of the step. Returns the result. */
static json_t *judge_run(struct checkup *checkup, int index, const struct child *child,
                         double timeout)
{
    json_t *result = runner_result(checkup->step, child, timeout);

    checkup->wrong = checkup->wrong || *result_text(result, "report.wrong");
    checkup->faulted[index] = runner_finding(child->streams[STDERR]) != NULL;
    checkup->printed[index] = copy_text(child->streams[STDOUT]);
    compare_printed(checkup, index, result);
    return result;
}

static void run_checkers(struct checkup *checkup, const struct runner *runner,
                         struct progress *progress)
{
    struct child child;

    progress->what = "checkers";
    child = run(runner, checkup->step, "--check=all,leak", true, progress);
    checkup->checkers = judge_run(checkup, 0, &child, (double)runner->timeout);
    read_findings(checkup, child.streams[STDERR]);
}

static void run_order(struct checkup *checkup, const struct runner *runner, int order,
                      struct progress *progress)
{
    struct child child;

    progress->what = schedules[order];
    child =
        run(runner, checkup->step, text_format("--schedule=%s", schedules[order]), false, progress);
    checkup->orders[order] = judge_run(checkup, 1 + order, &child, (double)runner->timeout);
}

/* A step that is skipped or refuses does so every time; for one that hangs, once is enough. */
static bool goes_on(const json_t *result)
{
    const enum outcome outcome = result_outcome(result);

    return outcome != OUTCOME_SKIPPED && outcome != OUTCOME_REFUSED && outcome != OUTCOME_TIMEOUT &&
           !child_interrupted();
}

/* --- The verdict -------------------------------------------------------------------------- */

/* Adds one more thing to a list of them. */
static void add(char **list, const char *separator, char *more)
{
    *list = *list ? text_format("%s%s%s", *list, separator, more) : more;
}

static void add_reason(char **why, char *more)
{
    add(why, "; ", more);
}

/* "race in kernel add, load at sumsq/v5_shared.cu:31", and where it is none on purpose all that was
 * said of it. */
static char *describe_finding(const struct checkup *checkup)
{
    const json_t *finding = checkup->finding;
    const char *kernel = result_text(finding, "kernel"), *place = result_text(finding, "place");
    const char *what = result_text(finding, "what"), *more = result_text(finding, "more");
    const int64_t count = count_all_reports(checkup);
    int length = (int)strlen(what);
    char *text;

    if (*kernel && *place) {
        length -= (int)(strlen(", kernel ") + strlen(kernel));
        text = text_format("%s in kernel %s, %s at %s", result_text(finding, "kind"), kernel,
                           result_text(finding, "act"), place);
        if (!checkup->wrong)
            add(&text, ", ", text_format("%s: %.*s", result_text(finding, "thread"), length, what));
    } else {
        text = text_format("%s: %s", result_text(finding, "kind"), what);
    }
    if (!checkup->wrong && *more)
        add(&text, "; ", copy_text(more));
    if (count > 1)
        add(&text, " ", text_format("(the first of %lld reports)", (long long)count));
    return text;
}

/* Sums that do not match are what a step that is wrong on purpose is for. */
static bool is_wrong_sum(const struct checkup *checkup, const json_t *result)
{
    (void)checkup;
    return result_outcome(result) == OUTCOME_MISMATCH || result_outcome(result) == OUTCOME_WRONG;
}

static bool is_trouble(const struct checkup *checkup, const json_t *result)
{
    return outcome_is_failure(result_outcome(result)) &&
           !(checkup->wrong && is_wrong_sum(checkup, result));
}

/* The run `i` of all: under the checkers, then each schedule; NULL: not made. */
static const json_t *run_of(const struct checkup *checkup, int i)
{
    return i == 0 ? checkup->checkers : checkup->orders[i - 1];
}

/* Has run `i` ended as run `k`? A fault is told in other words in each order, which may have met it
 * in another block. */
static bool is_like(const struct checkup *checkup, int i, int k)
{
    const json_t *a = run_of(checkup, i), *b = run_of(checkup, k);

    return a && b && result_outcome(a) == result_outcome(b) &&
           ((checkup->faulted[i] && checkup->faulted[k]) ||
            !strcmp(result_text(a, "why"), result_text(b, "why")));
}

/* "schedules reverse, random:1: crash: signal 11": the run `first` and those like it. */
static char *describe_runs(const struct checkup *checkup, int first)
{
    const json_t *result = run_of(checkup, first);
    const char *why = result_text(result, "why"), *what = result_text(checkup->finding, "what");
    const bool is_told = *what && strstr(why, what); /* as the finding */
    char *names = first == 0 ? copy_text("with the checkers") : NULL;
    int count = first == 0;

    for (int i = 1; i < RUNS; i++) {
        if (!is_like(checkup, i, first))
            continue;
        add(&names, ", ", text_format("schedule %s", schedules[i - 1]));
        count++;
    }
    return text_format("%s: %s%s%s", count == RUNS ? "every run" : names,
                       outcome_name(result_outcome(result)), is_told ? "" : ": ",
                       is_told ? "" : why);
}

typedef bool run_test(const struct checkup *checkup, const json_t *result);

/* Adds to `*why` the runs that pass the test, like ones once. Returns the first, or NULL. */
static const json_t *add_runs(const struct checkup *checkup, run_test *test, char **why)
{
    const json_t *found = NULL;

    for (int i = 0; i < RUNS; i++) {
        const json_t *result = run_of(checkup, i);
        bool is_new = result && test(checkup, result);

        for (int k = 0; k < i && is_new; k++)
            is_new = !is_like(checkup, k, i);
        if (is_new)
            add_reason(why, describe_runs(checkup, i));
        if (is_new && !found)
            found = result;
    }
    return found;
}

/* Adds the runs that went wrong to `*why`. Returns what to call that: what became of the first,
 * but "schedule" where the result hangs on the order; NULL: none did. */
static const char *judge_runs(const struct checkup *checkup, char **why)
{
    const json_t *trouble = add_runs(checkup, is_trouble, why);
    bool some_match = false;

    for (int i = 0; i < SCHEDULES; i++)
        some_match = some_match || result_outcome(checkup->orders[i]) == OUTCOME_MATCH;
    if (!trouble)
        return NULL;
    return some_match && trouble != checkup->checkers ? "schedule"
                                                      : outcome_name(result_outcome(trouble));
}

/* Has what is wrong on purpose shown itself, and nothing else? */
static bool is_flagged(const struct checkup *checkup)
{
    bool shown = count_all_reports(checkup) > 0;

    if (checkup->step->racy)
        return shown && count_reports(checkup, "race") == count_all_reports(checkup);
    for (int i = 0; i < SCHEDULES; i++)
        shown = shown || is_wrong_sum(checkup, checkup->orders[i]);
    return shown;
}

/* The verdict on a step that ran; the reasons are added to `*why`. */
static const char *judge(const struct checkup *checkup, char **why)
{
    const char *runs;

    if (checkup->finding)
        add_reason(why, describe_finding(checkup));
    runs = judge_runs(checkup, why);
    if (!checkup->reports && !runs) {
        add_reason(why, copy_text("the checkers gave no account"));
        return outcome_name(OUTCOME_GARBLED);
    }
    if (!checkup->wrong)
        return count_all_reports(checkup) > 0 ? "found" : runs ? runs : "clean";
    if (runs)
        return runs;
    if (is_flagged(checkup)) {
        if (!checkup->finding)
            add_runs(checkup, is_wrong_sum, why);
        return "flagged";
    }
    add_reason(why, copy_text(checkup->step->racy
                                  ? "wrong by a race on purpose: that alone should be found"
                                  : "wrong on purpose, and nothing shows it"));
    return "unflagged";
}

static json_t *runs_of(const struct checkup *checkup)
{
    json_t *runs = json_object();

    json_object_set_new(runs, "checkers",
                        json_string(outcome_name(result_outcome(checkup->checkers))));
    for (int i = 0; i < SCHEDULES && checkup->orders[i]; i++)
        json_object_set_new(runs, schedules[i],
                            json_string(outcome_name(result_outcome(checkup->orders[i]))));
    return runs;
}

static json_t *or_null(json_t *value)
{
    return value ? value : json_null();
}

/* Did the step do all its work on the CPU? */
static bool is_on_cpu(const struct checkup *checkup)
{
    return result_outcome(checkup->checkers) == OUTCOME_MATCH && !checkup->reports &&
           !*result_text(checkup->checkers, "report.device.compute");
}

static json_t *verdict_of(const struct checkup *checkup)
{
    const bool on_cpu = is_on_cpu(checkup);
    const enum outcome outcome = on_cpu ? OUTCOME_SKIPPED : result_outcome(checkup->checkers);
    const bool ran = outcome != OUTCOME_SKIPPED && outcome != OUTCOME_REFUSED;
    char *why = ran      ? NULL
                : on_cpu ? copy_text("it runs on the CPU alone: nothing to check")
                         : copy_text(result_text(checkup->checkers, "why"));
    const char *verdict = ran ? judge(checkup, &why) : outcome_name(outcome);
    const bool fine = !ran || !strcmp(verdict, "clean") || !strcmp(verdict, "flagged");
    json_t *object = json_pack("{s:s, s:s, s:b, s:s, s:b, s:s}", "chapter", checkup->step->chapter,
                               "step", checkup->step->name, "wrong", checkup->wrong, "verdict",
                               verdict, "fine", fine, "why", why ? why : "");

    json_object_set(object, "reports", or_null(checkup->reports));
    json_object_set(object, "finding", or_null(checkup->finding));
    json_object_set_new(object, "runs", runs_of(checkup));
    return object;
}

/* --- All of them -------------------------------------------------------------------------- */

/* NULL where somebody interrupted it. */
static json_t *check_step(const struct runner *runner, const struct step *step,
                          struct progress *progress)
{
    struct checkup checkup = {.step = step, .wrong = step->racy};
    const json_t *last;

    run_checkers(&checkup, runner, progress);
    last = checkup.checkers;
    for (int i = 0; i < SCHEDULES && goes_on(last); i++) {
        run_order(&checkup, runner, i, progress);
        last = checkup.orders[i];
    }
    return child_interrupted() ? NULL : verdict_of(&checkup);
}

json_t *checkup_run(const struct runner *runner, const struct manifest *manifest)
{
    struct progress progress = progress_new(manifest);
    json_t *n = runner->n < 0 ? json_null() : json_integer(runner->n);
    json_t *checkup = json_pack("{s:i, s:s?, s:o, s:[]}", "format", RESULTS_FORMAT, "gpu",
                                runner->gpu, "n", n, "checked");
    json_t *checked = json_object_get(checkup, "checked");

    for (int i = 0; i < manifest->step_count && !child_interrupted(); i++) {
        json_t *verdict;

        if (!manifest->steps[i].selected)
            continue;
        progress_next(&progress, &manifest->steps[i]);
        verdict = check_step(runner, &manifest->steps[i], &progress);
        if (verdict)
            json_array_append_new(checked, verdict);
    }
    progress_end(&progress);
    return checkup;
}

static const char *words_for(const char *verdict)
{
    return !strcmp(verdict, "flagged") ? "flagged, as it should be" : verdict;
}

void checkup_print(const json_t *checkup, FILE *file, const struct style *style)
{
    static const struct column columns[] = {
        {.header = "step", .key = true, .least = 12},
        {.header = "verdict"},
        {.header = "what was found", .wraps = true, .least = 20},
    };
    struct table table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
    const json_t *verdict;
    size_t i;

    json_array_foreach(json_object_get(checkup, "checked"), i, verdict) {
        const char *word = result_text(verdict, "verdict"), *why = result_text(verdict, "why");
        const bool fine = json_is_true(json_object_get(verdict, "fine"));
        const bool ran = strcmp(word, "skipped") != 0 && strcmp(word, "refused") != 0;
        struct row *row = table_row(&table);

        table_set(
            row, 0, TONE_STRONG,
            text_format("%s/%s", result_text(verdict, "chapter"), result_text(verdict, "step")));
        table_set(row, 1,
                  !ran   ? TONE_DIM
                  : fine ? TONE_GOOD
                         : TONE_BAD,
                  copy_text(words_for(word)));
        table_set(row, 2, TONE_PLAIN, *why ? copy_text(why) : NULL);
    }
    table_print(&table, file, style);
}

static bool all_are(const json_t *checked, const char *verdict)
{
    const json_t *one;
    size_t i;

    json_array_foreach(checked, i, one)
        if (strcmp(result_text(one, "verdict"), verdict) != 0)
            return false;
    return true;
}

int checkup_code(const json_t *checkup)
{
    const json_t *checked = json_object_get(checkup, "checked"), *verdict;
    size_t i;

    if (all_are(checked, "skipped"))
        return CODE_SKIPPED;
    if (all_are(checked, "refused"))
        return CODE_REFUSED;
    json_array_foreach(checked, i, verdict)
        if (!json_is_true(json_object_get(verdict, "fine")))
            return CODE_FAILED;
    return 0;
}
