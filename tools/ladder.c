/* SPDX-License-Identifier: MIT */
#include "ladder.h"

#include <math.h>
#include <string.h>

#include "bars.h"
#include "experiment.h"
#include "results.h"
#include "text.h"
#include "titles.h"
#include "why.h"

enum { PRINTED_LINES = 12 };

enum {
    STEP,
    TITLE,
    SIZE,
    TIME,
    WHOLE,
    CYCLES,
    RATE,
    SHARE,
    FIRST,
    BEFORE,
    BAR,
    ARTICLE,
    LADDER_COLUMNS
};

/* Room goes first to what a ladder is for: times, rates and how the steps compare. */
static const struct column ladder_columns[LADDER_COLUMNS] = {
    [STEP] = {.header = "step", .key = true, .least = 8},
    [TITLE] = {.header = "what changes", .least = 16, .drop = 5, .second_line = true},
    [SIZE] = {.header = "n", .right = true, .drop = 3},
    [TIME] = {.header = "time", .right = true},
    [WHOLE] = {.header = "with copies", .right = true, .drop = 7},
    [CYCLES] = {.header = "cycles", .right = true, .drop = 9},
    [RATE] = {.header = "rate", .right = true, .drop = 4},
    [SHARE] = {.header = "of peak", .right = true, .drop = 8},
    [FIRST] = {.header = "x first", .right = true, .drop = 6},
    [BEFORE] = {.header = "x before", .right = true, .drop = 1},
    [BAR] = {.header = "time", .picture = true, .drop = 2},
    [ARTICLE] = {.header = "in the article", .drop = 10},
};

enum {
    NAME,
    LANES,
    INSTRUCTIONS,
    LOADS,
    LOAD_SECTORS,
    STORE_SECTORS,
    SHARED,
    SHARED_LOADS,
    SHARED_STORES,
    CONFLICTS,
    DIVERGENT,
    BARRIERS,
    OCCUPANCY,
    BOUND,
    COUNTER_COLUMNS
};

static const struct column counter_columns[COUNTER_COLUMNS] = {
    [NAME] = {.header = "counted", .key = true, .least = 8},
    [LANES] = {.header = "active lanes", .right = true, .drop = 1},
    [INSTRUCTIONS] = {.header = "warp instructions", .right = true, .place = ON_PAGES},
    [LOADS] = {.header = "global load requests", .right = true, .drop = 6},
    [LOAD_SECTORS] = {.header = "sectors per load", .right = true},
    [STORE_SECTORS] = {.header = "sectors per store", .right = true, .drop = 7},
    [SHARED] = {.header = "shared requests", .right = true, .drop = 3, .place = NOT_ON_PAGES},
    [SHARED_LOADS] = {.header = "shared load requests", .right = true, .place = ON_PAGES},
    [SHARED_STORES] = {.header = "shared store requests", .right = true, .place = ON_PAGES},
    [CONFLICTS] = {.header = "bank conflicts", .right = true, .drop = 2},
    [DIVERGENT] = {.header = "divergent branches", .right = true, .drop = 5},
    [BARRIERS] = {.header = "barriers", .right = true, .place = ON_PAGES},
    [OCCUPANCY] = {.header = "occupancy", .right = true, .drop = 4},
    [BOUND] = {.header = "bound by"},
};

/* A counter by its key, or else a ratio. */
static const struct {
    const char *key;
    int ratio;
} counters[COUNTER_COLUMNS] = {
    [LANES] = {NULL, RATIO_LANES},
    [INSTRUCTIONS] = {"warp_instructions", 0},
    [LOADS] = {"global_loads", 0},
    [LOAD_SECTORS] = {NULL, RATIO_SECTORS_LOAD},
    [STORE_SECTORS] = {NULL, RATIO_SECTORS_STORE},
    [SHARED_LOADS] = {"shared_loads", 0},
    [SHARED_STORES] = {"shared_stores", 0},
    [CONFLICTS] = {"shared_bank_conflicts", 0},
    [DIVERGENT] = {"divergent_branches", 0},
    [BARRIERS] = {"barriers", 0},
};

static struct rungs rungs_of(const json_t *results, const char *chapter)
{
    const json_t *steps = json_object_get(results, "steps"), *result;
    struct rungs rungs = {chapter, allocate(json_array_size(steps) * sizeof(void *)), 0};
    size_t i;

    json_array_foreach(steps, i, result)
        if (!strcmp(result_text(result, "chapter"), chapter))
            rungs.results[rungs.count++] = result;
    return rungs;
}

/* The problem that begins with the step at `index`, where the steps of a chapter solve several;
 * else NULL. */
static const char *problem_at(struct rungs rungs, int index)
{
    const char *problem = result_problem(rungs.results[index]);
    bool others = false;

    for (int i = 0; i < rungs.count; i++)
        others = others || (*result_problem(rungs.results[i]) &&
                            strcmp(result_problem(rungs.results[i]), problem));
    return *problem && others &&
                   (index == 0 ||
                    !result_same_problem(rungs.results[index - 1], rungs.results[index]))
               ? problem
               : NULL;
}

/* Whether all have the same number at `path`, if any: it goes to `*value`, NaN for none. */
static bool is_uniform(struct rungs rungs, const char *path, double *value)
{
    *value = NAN;
    for (int i = 0; i < rungs.count; i++) {
        const double number = result_number(rungs.results[i], path);

        if (!isnan(*value) && !isnan(number) && number != *value)
            return false;
        *value = isnan(number) ? *value : number;
    }
    return true;
}

/* How many times as fast `result` is as `before`; NaN where that says nothing. */
static double gain_of(const json_t *before, const json_t *result)
{
    return before && result && before != result && why_comparable(before, result)
               ? result_time(before) / result_time(result)
               : (double)NAN;
}

/* The first result that was timed and says something about `result`; NULL: none. */
static const json_t *first_of(struct rungs rungs, const json_t *result)
{
    for (int i = 0; i < rungs.count && result; i++)
        if (!isnan(result_time(rungs.results[i])) && why_comparable(rungs.results[i], result))
            return rungs.results[i];
    return NULL;
}

const char *ladder_footnote(struct rungs rungs)
{
    for (int i = 0; i < rungs.count; i++)
        if (result_number(rungs.results[i], "report.share") > 1)
            return result_text(rungs.results[i], "report.limit");
    return NULL;
}

/* Is there a result of which this holds? */
static bool any(struct rungs rungs, bool (*holds)(const json_t *result))
{
    for (int i = 0; i < rungs.count; i++)
        if (holds(rungs.results[i]))
            return true;
    return false;
}

static bool is_timed(const json_t *result)
{
    return !isnan(result_time(result));
}

static bool is_counted(const json_t *result)
{
    return result_counter(result, "warp_instructions") > 0;
}

static bool has_figure(const json_t *result)
{
    return ladder_has_figure(result, "article");
}

static bool has_occupancy(const json_t *result)
{
    return !isnan(result_occupancy(result));
}

/* The time of all that the step does on the device, allocation and copies included, and readings of
 * its own clock, of the block that took longest. */
static const char whole_time[] = "report.total_ms", cycles[] = "report.cycles";

static bool has(const json_t *result, const char *path)
{
    return *result_text(result, path) || !isnan(result_number(result, path));
}

static bool any_has(struct rungs rungs, const char *path)
{
    for (int i = 0; i < rungs.count; i++)
        if (has(rungs.results[i], path))
            return true;
    return false;
}

/* Do these steps measure nothing? Then what they show is that their results are right. */
static bool are_untimed(struct rungs rungs)
{
    return any(rungs, result_is_good) && !any(rungs, is_timed);
}

/* --- Above the ladder ------------------------------------------------------------------------- */

static char *device_of(struct rungs rungs, enum language language)
{
    for (int i = 0; i < rungs.count; i++)
        if (ladder_device(rungs.results[i], language))
            return ladder_device(rungs.results[i], language);
    return copy_text(phrase_text(language, SAY_NO_DEVICE));
}

char *ladder_conditions(struct rungs rungs, enum language language)
{
    char *line = device_of(rungs, language);
    double n, runs;

    if (is_uniform(rungs, "report.n", &n) && !isnan(n))
        line = say(language, SAY_WITH_SIZE, line, text_count(n));
    if (any(rungs, result_modelled) && !are_untimed(rungs))
        return say(language, SAY_FROM_MODEL, line);
    return is_uniform(rungs, "report.runs", &runs) && runs > 1
               ? say(language, SAY_MEDIAN, line, text_format("%.0f", runs))
               : line;
}

static void print_title(struct rungs rungs, const char *title, FILE *file,
                        const struct style *style)
{
    fputs(style->markdown ? "### " : "", file);
    tone_print(file, style, TONE_STRONG, say(style->language, SAY_OUTCOME, rungs.chapter, title));
    fputc('\n', file);
}

static void print_heading(struct rungs rungs, const char *title, FILE *file,
                          const struct style *style)
{
    print_title(rungs, title, file, style);
    fputs(style->markdown ? "\n" : "", file);
    ladder_print_parts(ladder_conditions(rungs, style->language), file, style);
    fputc('\n', file);
}

/* --- The rungs -------------------------------------------------------------------------------- */

static void set_gain(struct row *row, int column, enum tone tone, double gain,
                     const struct style *style)
{
    if (!isnan(gain))
        table_set(row, column, tone, text_format("%s %s", text_number(gain), style_times(style)));
}

static void fill_figures(struct row *row, struct rungs rungs, int index, const struct bars *bars,
                         const struct style *style)
{
    const json_t *result = rungs.results[index];
    const double first = gain_of(first_of(rungs, result), result);
    const double before = gain_of(index > 0 ? rungs.results[index - 1] : NULL, result);

    table_set(row, TIME, TONE_STRONG, text_time(result_time(result)));
    if (!is_timed(result))
        return;
    if (has(result, whole_time))
        table_set(row, WHOLE, TONE_PLAIN, ladder_whole(result));
    if (has(result, cycles))
        table_set(row, CYCLES, TONE_PLAIN, text_count(result_number(result, cycles)));
    table_set(row, RATE, TONE_PLAIN, ladder_rate(result));
    table_set(row, SHARE, result_number(result, "report.share") > 1 ? TONE_BAD : TONE_PLAIN,
              ladder_share(result));
    set_gain(row, FIRST, first < 1 ? TONE_DIM : TONE_GOOD, first, style);
    set_gain(row, BEFORE, before < 1 ? TONE_DIM : TONE_PLAIN, before, style);
    if (!isnan(bars->parts[index]))
        table_set_bar(row, BAR, bars->parts[index], style);
}

/* Is the reason why a step has no time that of the next one too? Then it stands below that. */
static bool repeats_reason(struct rungs rungs, int index)
{
    return index + 1 < rungs.count && !strcmp(result_text(rungs.results[index], "why"),
                                              result_text(rungs.results[index + 1], "why"));
}

/* Where another problem begins: which, and how its bars are drawn if those of others are drawn
 * otherwise; NULL: nowhere. */
static char *heading_of(struct rungs rungs, int index, const struct bars *bars,
                        const struct style *style)
{
    const char *problem = problem_at(rungs, index);

    if (!problem)
        return NULL;
    return bars->logarithmic[index] && !bars->all_logarithmic && !style->markdown
               ? say(style->language, SAY_LOG_SCALE, text_in(style->language, problem))
               : copy_text(problem);
}

static void fill_row(struct row *row, struct rungs rungs, int index, const struct bars *bars,
                     const struct style *style)
{
    const json_t *result = rungs.results[index];
    const enum outcome outcome = result_outcome(result);
    const double n = result_number(result, "report.n");

    row->heading = heading_of(rungs, index, bars, style);
    table_set(row, STEP, TONE_PLAIN, copy_text(result_text(result, "step")));
    table_set(row, TITLE, TONE_PLAIN, copy_text(result_text(result, "title")));
    table_set(row, ARTICLE, TONE_DIM, copy_text(ladder_article(result, "article")));
    if (!isnan(n))
        table_set(row, SIZE, TONE_PLAIN, text_count(n));
    row->note_tone = outcome_is_failure(outcome) ? TONE_BAD : TONE_DIM;
    if ((style->markdown && outcome != OUTCOME_SAMPLED) || outcome == OUTCOME_MATCH ||
        !repeats_reason(rungs, index))
        row->note = *result_text(result, "why") ? copy_text(result_text(result, "why")) : NULL;
    if (outcome_is_good(outcome) && are_untimed(rungs)) {
        table_set(row, TIME, TONE_GOOD, copy_text(outcome_name(outcome)));
        return;
    }
    if (outcome_is_good(outcome)) {
        fill_figures(row, rungs, index, bars, style);
        return;
    }
    table_set(row, TIME, row->note_tone, copy_text(outcome_name(outcome)));
}

/* A table of the ladder's columns that this chapter can fill. */
static struct table empty_ladder(struct rungs rungs)
{
    struct table table = table_new(ladder_columns, LADDER_COLUMNS);

    table.columns[WHOLE].hidden = !any_has(rungs, whole_time);
    table.columns[CYCLES].hidden = !any(rungs, result_modelled) || !any_has(rungs, cycles);
    if (any(rungs, result_modelled) && !are_untimed(rungs))
        table.columns[TIME].header = "modelled";
    return table;
}

static void hide_columns(struct table *table, const bool *hidden)
{
    for (int i = 0; i < LADDER_COLUMNS; i++)
        table->columns[i].hidden = table->columns[i].hidden || hidden[i];
}

struct table ladder_table(struct rungs rungs, const struct bars *bars, const struct style *style)
{
    static const bool of_times[LADDER_COLUMNS] = {
        [RATE] = true, [SHARE] = true, [FIRST] = true, [BEFORE] = true, [BAR] = true};
    struct table table = empty_ladder(rungs);
    double n;

    table.columns[SIZE].hidden = is_uniform(rungs, "report.n", &n);
    table.columns[ARTICLE].hidden = !any_has(rungs, "article");
    if (style->utf8) {
        table.columns[FIRST].header = "× first";
        table.columns[BEFORE].header = "× before";
    }
    if (are_untimed(rungs)) {
        hide_columns(&table, of_times);
        table.columns[TIME].header = "result";
    }
    if (bars->rates)
        table.columns[BAR].header = "rate";
    if (bars->all_logarithmic)
        table.columns[BAR].header = bars->rates ? "log of rate" : "log scale";
    for (int i = 0; i < rungs.count; i++)
        if (rungs.results[i])
            fill_row(table_row(&table), rungs, i, bars, style);
    return table;
}

static void print_rungs(struct rungs rungs, FILE *file, const struct style *style)
{
    const struct bars bars = bars_of(rungs.results, rungs.count);
    struct table table = ladder_table(rungs, &bars, style);

    table_print(&table, file, style);
    if (ladder_footnote(rungs))
        style_printf(file, style, "\n(!) %s\n", ladder_footnote(rungs));
}

/* --- Counters --------------------------------------------------------------------------------- */

static void fill_counters(struct row *row, const json_t *result, enum language language)
{
    table_set(row, NAME, TONE_PLAIN, copy_text(result_text(result, "step")));
    for (int i = LANES; i < OCCUPANCY; i++)
        table_set(row, i, TONE_PLAIN,
                  counters[i].key
                      ? text_count(result_counter(result, counters[i].key))
                      : text_number(result_ratio(result, &result_ratios[counters[i].ratio])));
    table_set(row, SHARED, TONE_PLAIN, text_count(result_shared_requests(result)));
    if (!isnan(result_occupancy(result))) {
        table_set(row, OCCUPANCY, TONE_PLAIN, ladder_percent(result_occupancy(result)));
        table_set(row, BOUND, TONE_PLAIN,
                  copy_text(word_for_limit(language, result_bound(result))));
    }
}

struct table ladder_counters(struct rungs rungs, const struct style *style)
{
    struct table table = table_new(counter_columns, COUNTER_COLUMNS);

    table.columns[OCCUPANCY].hidden = table.columns[BOUND].hidden = !any(rungs, has_occupancy);
    for (int i = 0; i < rungs.count; i++)
        if (is_counted(rungs.results[i]))
            fill_counters(table_row(&table), rungs.results[i], style->language);
    return table;
}

static void print_counters(struct rungs rungs, FILE *file, const struct style *style)
{
    struct table table = ladder_counters(rungs, style);

    if (table.row_count > 0)
        table_print(&table, file, style);
    else
        style_printf(file, style, "nothing was counted: the emulator does that (--on emulator)\n");
}

/* What the article measured, beside what was measured here. */
static void print_article(struct rungs rungs, FILE *file, const struct style *style)
{
    static const bool not_measured[LADDER_COLUMNS] = {
        [TITLE] = true, [SIZE] = true,   [SHARE] = true,
        [FIRST] = true, [BEFORE] = true, [BAR] = true};
    struct table table = empty_ladder(rungs);
    const struct bars bars = bars_of(rungs.results, rungs.count);

    if (!any(rungs, has_figure))
        return;
    hide_columns(&table, not_measured);
    table.columns[ARTICLE].drop = 0;
    table.columns[ARTICLE].wraps = true;
    table.columns[ARTICLE].least = 26;
    for (int i = 0; i < rungs.count; i++)
        if (has_figure(rungs.results[i]) && is_timed(rungs.results[i]))
            fill_row(table_row(&table), rungs, i, &bars, style);
    fputc('\n', file);
    table_print(&table, file, style);
}

/* A table for each experiment, and a line for each that did not run. */
static void print_experiments(struct rungs rungs, const char *title, FILE *file,
                              const struct style *style)
{
    print_title(rungs, title, file, style);
    for (int i = 0; i < rungs.count; i++) {
        const json_t *result = rungs.results[i];

        fputc('\n', file);
        if (experiment_is(result))
            experiment_print(result, file, style);
        else
            style_printf(file, style, "%s%s: %s: %s\n", style->markdown ? "- " : "",
                         result_text(result, "step"), result_text(result, "outcome"),
                         result_text(result, "why"));
    }
}

/* Of a step asked for alone, what its kernels printed: as much as a screen has room for. */
static void print_printed(struct rungs rungs, FILE *file, const struct style *style)
{
    char **lines = text_lines(rungs.count == 1 ? result_text(rungs.results[0], "printed") : "");

    if (*lines)
        style_printf(file, style, "\nprinted:\n");
    for (int i = 0; lines[i] && i <= PRINTED_LINES; i++)
        fprintf(file, "  %s\n", i < PRINTED_LINES ? lines[i] : "...");
}

/* Of a step asked for alone, what its main kernel might do next. */
static void print_advice(struct rungs rungs, FILE *file, const struct style *style)
{
    const json_t *only = rungs.count == 1 ? rungs.results[0] : NULL;
    char *advice = only && result_is_good(only) ? result_advice(only, style->language) : NULL;

    if (advice) {
        fputc('\n', file);
        style_print_wrapped(advice, file, style);
    }
}

/* A page has room for all of it, a screen for one thing at a time. */
static void print_ladder(struct rungs rungs, const char *title, enum ladder_view view, FILE *file,
                         const struct style *style)
{
    print_heading(rungs, title, file, style);
    if (view == LADDER_COUNTERS) {
        print_counters(rungs, file, style);
        print_article(rungs, file, style);
        return;
    }
    print_rungs(rungs, file, style);
    if (!style->markdown) {
        print_printed(rungs, file, style);
        print_advice(rungs, file, style);
    }
    if (style->markdown && any(rungs, is_counted)) {
        fputc('\n', file);
        print_counters(rungs, file, style);
    }
}

void ladder_print(const json_t *results, size_t printed, const struct manifest *manifest,
                  const char *checkout, const char *build, enum ladder_view view, FILE *file,
                  const struct style *style)
{
    json_t *titled = titles_in(style->language, manifest, checkout, results);
    const json_t *result;
    const char *chapter = "";
    size_t i;

    json_array_foreach(json_object_get(titled, "steps"), i, result) {
        struct rungs rungs;
        char *title;

        if (i < printed || !strcmp(result_text(result, "chapter"), chapter))
            continue;
        if (i > 0)
            fputc('\n', file);
        chapter = result_text(result, "chapter");
        rungs = rungs_of(titled, chapter);
        title = title_of_chapter(manifest, checkout, chapter, style->language);
        if (any(rungs, experiment_is))
            print_experiments(rungs, title, file, style);
        else
            print_ladder(rungs, title, view, file, style);
        if (!style->markdown && view == LADDER_TIMES)
            style_printf(file, style, "\nprograms: %s/%s%s\n", build, chapter,
                         any(rungs, is_counted) && !any(rungs, experiment_is)
                             ? "; what was counted: --counters"
                             : "");
    }
}
