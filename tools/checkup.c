/* SPDX-License-Identifier: MIT */
#include "checkup.h"

#include <string.h>

#include "child.h"
#include "progress.h"
#include "results.h"
#include "text.h"

enum { FULL_WIDTH = 130 }; /* of a terminal with room for what was found beside the verdict */
enum { CODE_FAILED = 1, CODE_REFUSED = 2, CODE_SKIPPED = 77, STDOUT = 0, STDERR = 1 };

/* What a step goes through. */
static const struct {
    const char *name, *option;
} plan[] = {{"checkers", "--check=all,leak"},
            {"forward", "--schedule=forward"},
            {"reverse", "--schedule=reverse"},
            {"random:1", "--schedule=random:1"}};
enum { CHECKERS, FORWARD, RUNS = sizeof(plan) / sizeof(plan[0]) };

/* The gravest first. */
static const char *const kinds[] = {"memory", "call", "race", "sync", "init", "leak"};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct run {
    json_t *result; /* NULL: not made */
    const char *printed; /* by a program of one's own */
    bool faulted; /* the emulator stopped it */
};

/* What has become of one step. */
struct checkup {
    const struct step *step;
    struct run runs[RUNS]; /* as in the plan */
    json_t *reports, *finding; /* of the checkers; NULL: they gave no account */
    const char *note; /* what they say beside their findings, or NULL */
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

static bool is_of(const json_t *finding, const char *kind)
{
    return !strcmp(result_text(finding, "kind"), kind);
}

/* The lower, the graver: a fault before all else. */
static int weight_of(const json_t *finding)
{
    int i = 0;

    while (i < KINDS && !is_of(finding, kinds[i]))
        i++;
    return i;
}

/* The finding that `line` opens, if it is the one to tell: the first of the gravest kind. */
static bool take_finding(struct checkup *checkup, const char *line)
{
    json_t *finding = read_heading(line);

    if (!finding || (checkup->finding && weight_of(finding) >= weight_of(checkup->finding)))
        return false;
    checkup->finding = finding;
    return true;
}

/* Take that finding, and how many of each kind there are, from what was said on stderr. */
static void read_findings(struct checkup *checkup, const char *text)
{
    bool is_taken = false;
    json_t *reports;

    for (char **line = text_lines(text); *line; line++) {
        char *said = emulator_says(*line);

        if (!said)
            continue;
        text_clean(said);
        if (!strncmp(said, "    ", 4)) { /* it belongs to the finding above */
            if (is_taken)
                read_detail(checkup->finding, said + 4);
            continue;
        }
        is_taken = take_finding(checkup, said);
        if (!strncmp(said, "note: ", strlen("note: ")))
            checkup->note = said;
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

/* "in all race 1, leak 2", where there are reports of several kinds; else NULL. */
static char *list_kinds(const struct checkup *checkup)
{
    char *list = NULL;
    int count = 0;

    for (int i = 0; i < KINDS; i++) {
        const long long reports = count_reports(checkup, kinds[i]);
        if (reports > 0)
            text_join(&list, ", ", text_format("%s %lld", kinds[i], reports));
        count += reports > 0;
    }
    return count > 1 ? text_format("in all %s", list) : NULL;
}

/* --- The runs ----------------------------------------------------------------------------- */

/* That of the GPU that the emulator plays unless told. What needs more is checked as an H100. */
enum { DEFAULT_CAPABILITY = 75 };

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
static void compare_printed(const struct run *forward, struct run *run)
{
    if (!strcmp(run->printed, forward->printed) || result_outcome(run->result) != OUTCOME_MATCH)
        return;
    json_object_set_new(run->result, "outcome", json_string(outcome_name(OUTCOME_MISMATCH)));
    json_object_set_new(run->result, "why",
                        json_string(text_format("it prints '%s', not '%s'",
                                                differing_line(run->printed, forward->printed),
                                                differing_line(forward->printed, run->printed))));
}

/* Run the step as in row `index` of the plan. Its arguments are those of the chapter's tests
 * (cmake/AddStep.cmake), which say why the checkers go without poison and guard. */
static void run_step(struct checkup *checkup, const struct runner *runner, int index,
                     struct progress *progress)
{
    static const char *const bare[] = {"--json", "--no-poison", "--no-guard", NULL};
    static const char *const json[] = {"--json", NULL};
    const struct step *step = checkup->step;
    const char *able = step->minimum > DEFAULT_CAPABILITY ? "h100" : NULL;
    char **argv = runner_command(runner, step, runner->gpu ? runner->gpu : able,
                                 (const char *[]){plan[index].option, NULL},
                                 index == CHECKERS ? bare : json, true);
    const struct run *runs = checkup->runs;
    const struct child_limits limits = runner_limits(runner, progress_show, progress);

    progress->what = plan[index].name;
    const struct child child = child_run(argv, false, &limits);
    checkup->runs[index] =
        (struct run){runner_result(step, &child, limits.seconds), child.streams[STDOUT],
                     runner_finding(child.streams[STDERR]) != NULL};
    checkup->wrong = checkup->wrong || *result_text(runs[index].result, "report.wrong");
    if (index == CHECKERS)
        read_findings(checkup, child.streams[STDERR]);
    if (step->own && index > FORWARD && !strcmp(runs[CHECKERS].printed, runs[FORWARD].printed))
        compare_printed(&runs[FORWARD], &checkup->runs[index]);
}

/* A step that is skipped or refuses does so every time; for one that hangs, once is enough. */
static bool goes_on(const json_t *result)
{
    const enum outcome outcome = result_outcome(result);

    return outcome != OUTCOME_SKIPPED && outcome != OUTCOME_REFUSED && outcome != OUTCOME_TIMEOUT &&
           !child_interrupted();
}

/* --- The verdict -------------------------------------------------------------------------- */

/* "race in kernel add, load at sumsq/v5_shared.cu:31", and where it is none on purpose all that was
 * said of it. */
static char *describe_finding(const struct checkup *checkup)
{
    const json_t *finding = checkup->finding;
    const char *kernel = result_text(finding, "kernel"), *place = result_text(finding, "place");
    const char *what = result_text(finding, "what"), *more = result_text(finding, "more");
    const char *kinds_told = list_kinds(checkup);
    const int64_t count = count_all_reports(checkup);
    int length = (int)strlen(what);
    char *text;

    if (*kernel && *place) {
        length -= (int)(strlen(", kernel ") + strlen(kernel));
        text = text_format("%s in kernel %s, %s at %s", result_text(finding, "kind"), kernel,
                           result_text(finding, "act"), place);
        if (!checkup->wrong)
            text_join(&text, ", ",
                      text_format("%s: %.*s", result_text(finding, "thread"), length, what));
    } else {
        text = text_format("%s: %s", result_text(finding, "kind"), what);
    }
    if (!checkup->wrong && *more)
        text_join(&text, "; ", more);
    if (count > 1)
        text_join(&text, " ", text_format("(the first of %lld reports)", (long long)count));
    if (kinds_told)
        text_join(&text, "; ", kinds_told);
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

/* Have two runs ended alike? A fault is told in other words in each order, which may have met it in
 * another block. */
static bool is_like(const struct run *a, const struct run *b)
{
    return result_outcome(a->result) == result_outcome(b->result) &&
           ((a->faulted && b->faulted) ||
            !strcmp(result_text(a->result, "why"), result_text(b->result, "why")));
}

/* "schedule reverse, schedule random:1: crash: signal 11": the run `first` and those like it. */
static char *describe_runs(const struct checkup *checkup, int first)
{
    const struct run *runs = checkup->runs;
    const char *why = result_text(runs[first].result, "why");
    const char *what = result_text(checkup->finding, "what");
    const bool is_told = *what && strstr(why, what); /* as the finding */
    char *names = NULL;
    int count = 0;

    for (int i = first; i < RUNS && runs[i].result; i++) {
        if (!is_like(&runs[i], &runs[first]))
            continue;
        text_join(&names, ", ",
                  i == CHECKERS ? "with the checkers" : text_format("schedule %s", plan[i].name));
        count++;
    }
    return text_format("%s: %s%s%s", count == RUNS ? "every run" : names,
                       outcome_name(result_outcome(runs[first].result)), is_told ? "" : ": ",
                       is_told ? "" : why);
}

typedef bool run_test(const struct checkup *checkup, const json_t *result);

/* Adds to `*why` the runs that pass the test, like ones once. Returns the first, or NULL. */
static const struct run *add_runs(const struct checkup *checkup, run_test *test, char **why)
{
    const struct run *runs = checkup->runs, *found = NULL;

    for (int i = 0; i < RUNS && runs[i].result; i++) {
        bool is_new = test(checkup, runs[i].result);

        for (int k = 0; k < i && is_new; k++)
            is_new = !is_like(&runs[k], &runs[i]);
        if (is_new)
            text_join(why, "; ", describe_runs(checkup, i));
        if (is_new && !found)
            found = &runs[i];
    }
    return found;
}

/* Adds the runs that went wrong to `*why`. Returns what to call that: what became of the first,
 * but "schedule" where the result hangs on the order; NULL: none did. */
static const char *judge_runs(const struct checkup *checkup, char **why)
{
    const struct run *trouble = add_runs(checkup, is_trouble, why);
    bool some_match = false;

    for (int i = FORWARD; i < RUNS; i++)
        some_match = some_match || result_outcome(checkup->runs[i].result) == OUTCOME_MATCH;
    if (!trouble)
        return NULL;
    return some_match && trouble != &checkup->runs[CHECKERS]
               ? "schedule"
               : outcome_name(result_outcome(trouble->result));
}

/* Has what is wrong on purpose shown itself, and nothing else? */
static bool is_flagged(const struct checkup *checkup)
{
    bool shown = count_all_reports(checkup) > 0;

    if (checkup->step->racy)
        return shown && count_reports(checkup, "race") == count_all_reports(checkup);
    for (int i = FORWARD; i < RUNS; i++)
        shown = shown || is_wrong_sum(checkup, checkup->runs[i].result);
    return shown;
}

/* Did the emulator stop it for what is no finding, as a trap? */
static bool has_fault_of_its_own(const struct checkup *checkup)
{
    return checkup->runs[CHECKERS].faulted && !is_of(checkup->finding, "memory") &&
           !is_of(checkup->finding, "call");
}

/* The verdict on a step that ran; the reasons are added to `*why`. */
static const char *judge(const struct checkup *checkup, char **why)
{
    /* What matters most comes first: a fault, then what the checkers found, but no leaks. */
    const bool last = is_of(checkup->finding, "leak") || has_fault_of_its_own(checkup);

    if (checkup->finding && !last)
        text_join(why, "; ", describe_finding(checkup));
    const char *runs = judge_runs(checkup, why);
    if (checkup->finding && last)
        text_join(why, "; ", describe_finding(checkup));
    if (!checkup->reports && !runs) {
        text_join(why, "; ", "the checkers gave no account");
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
    text_join(why, "; ",
              checkup->step->racy ? "wrong by a race on purpose: that alone should be found"
                                  : "wrong on purpose, and nothing shows it");
    return "unflagged";
}

static json_t *runs_of(const struct checkup *checkup)
{
    json_t *runs = json_object();

    for (int i = 0; i < RUNS && checkup->runs[i].result; i++)
        json_object_set_new(runs, plan[i].name,
                            json_string(outcome_name(result_outcome(checkup->runs[i].result))));
    return runs;
}

/* Did the step do all its work on the CPU? */
static bool is_on_cpu(const struct checkup *checkup)
{
    const json_t *checkers = checkup->runs[CHECKERS].result;

    return result_outcome(checkers) == OUTCOME_MATCH && !checkup->reports &&
           !*result_text(checkers, "report.device.compute");
}

static json_t *verdict_of(const struct checkup *checkup)
{
    const json_t *checkers = checkup->runs[CHECKERS].result;
    const bool on_cpu = is_on_cpu(checkup);
    const enum outcome outcome = on_cpu ? OUTCOME_SKIPPED : result_outcome(checkers);
    const bool ran = outcome != OUTCOME_SKIPPED && outcome != OUTCOME_REFUSED;
    char *why = ran      ? NULL
                : on_cpu ? copy_text("it runs on the CPU alone: nothing to check")
                         : copy_text(result_text(checkers, "why"));
    const char *verdict = ran ? judge(checkup, &why) : outcome_name(outcome);
    if (ran && checkup->note)
        text_join(&why, "; ", checkup->note);
    const bool fine = !ran || !strcmp(verdict, "clean") || !strcmp(verdict, "flagged");

    return json_pack("{s:s, s:s, s:b, s:s, s:b, s:s, s:O?, s:O?, s:o}", "chapter",
                     checkup->step->chapter, "step", checkup->step->name, "wrong", checkup->wrong,
                     "verdict", verdict, "fine", fine, "why", why ? why : "", "reports",
                     checkup->reports, "finding", checkup->finding, "runs", runs_of(checkup));
}

/* --- All of them -------------------------------------------------------------------------- */

/* NULL where somebody interrupted it. */
static json_t *check_step(const struct runner *runner, const struct step *step,
                          struct progress *progress)
{
    struct checkup checkup = {.step = step, .wrong = step->racy};

    for (int i = 0; i < RUNS && (i == 0 || goes_on(checkup.runs[i - 1].result)); i++)
        run_step(&checkup, runner, i, progress);
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
        if (!manifest->steps[i].selected)
            continue;
        progress_next(&progress, &manifest->steps[i]);
        json_array_append_new(checked, check_step(runner, &manifest->steps[i], &progress));
    }
    style_wipe();
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
    const bool narrow = !style->markdown && style->width > 0 && style->width < FULL_WIDTH;
    struct table table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
    const json_t *verdict;
    size_t i;

    table.columns[2].hidden =
        narrow; /* it stands below the row instead, where long names have room */
    json_array_foreach(json_object_get(checkup, "checked"), i, verdict) {
        const char *word = result_text(verdict, "verdict"), *why = result_text(verdict, "why");
        const bool fine = json_is_true(json_object_get(verdict, "fine"));
        const bool ran = strcmp(word, "skipped") != 0 && strcmp(word, "refused") != 0;
        struct row *row = table_row(&table);

        table_set(row, 0, TONE_STRONG,
                  manifest_name(result_text(verdict, "chapter"), result_text(verdict, "step")));
        table_set(row, 1,
                  !ran   ? TONE_DIM
                  : fine ? TONE_GOOD
                         : TONE_BAD,
                  copy_text(words_for(word)));
        if (narrow)
            row->note = *why ? copy_text(why) : NULL;
        else
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
