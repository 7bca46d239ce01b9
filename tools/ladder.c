/* SPDX-License-Identifier: MIT */
#include "ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "experiment.h"
#include "results.h"
#include "text.h"
#include "why.h"

enum { BAR_WIDTH = 12 };

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
    LOADS,
    LOAD_SECTORS,
    STORE_SECTORS,
    SHARED,
    CONFLICTS,
    DIVERGENT,
    OCCUPANCY,
    BOUND,
    COUNTER_COLUMNS
};

static const struct column counter_columns[COUNTER_COLUMNS] = {
    [NAME] = {.header = "counted", .key = true, .least = 8},
    [LANES] = {.header = "active lanes", .right = true, .drop = 1},
    [LOADS] = {.header = "global load requests", .right = true, .drop = 6},
    [LOAD_SECTORS] = {.header = "sectors per load", .right = true},
    [STORE_SECTORS] = {.header = "sectors per store", .right = true, .drop = 7},
    [SHARED] = {.header = "shared requests", .right = true, .drop = 3},
    [CONFLICTS] = {.header = "bank conflicts", .right = true, .drop = 2},
    [DIVERGENT] = {.header = "divergent branches", .right = true, .drop = 5},
    [OCCUPANCY] = {.header = "occupancy", .right = true, .drop = 4},
    [BOUND] = {.header = "bound by"},
};

/* The results of one chapter. */
struct rungs {
    const char *chapter;
    const json_t **results;
    int count;
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

const char *ladder_heading(const json_t *const *results, int count, int index)
{
    const char *problem = result_problem(results[index]);
    bool others = false;

    for (int i = 0; i < count; i++)
        others =
            others || (*result_problem(results[i]) && strcmp(result_problem(results[i]), problem));
    return *problem && others &&
                   (index == 0 || !result_same_problem(results[index - 1], results[index]))
               ? problem
               : NULL;
}

/* --- Above the ladder ------------------------------------------------------------------------- */

/* Whether every timed result has the same number at `path`; it goes to `*value`, NaN if there is
 * none. */
static bool is_uniform(const struct rungs *rungs, const char *path, double *value)
{
    *value = NAN;
    for (int i = 0; i < rungs->count; i++) {
        const double number = result_number(rungs->results[i], path);

        if (isnan(number))
            continue;
        if (!isnan(*value) && number != *value)
            return false;
        *value = number;
    }
    return true;
}

static bool is_modelled(const struct rungs *rungs)
{
    for (int i = 0; i < rungs->count; i++)
        if (result_modelled(rungs->results[i]))
            return true;
    return false;
}

/* Do these steps measure nothing? Then what they show is that their results are right. */
static bool is_untimed(const struct rungs *rungs)
{
    bool any = false;

    for (int i = 0; i < rungs->count; i++) {
        if (!isnan(result_time(rungs->results[i])))
            return false;
        any = any || result_outcome(rungs->results[i]) == OUTCOME_MATCH;
    }
    return any;
}

static char *rungs_device(const struct rungs *rungs, enum language language)
{
    for (int i = 0; i < rungs->count; i++) {
        char *device = ladder_device(rungs->results[i], language);

        if (device)
            return device;
    }
    return copy_text(phrase_text(language, SAY_NO_DEVICE));
}

char *ladder_conditions(const json_t *const *results, int count, enum language language)
{
    const struct rungs rungs = {"", (const json_t **)results, count};
    char *line = rungs_device(&rungs, language), *number, *longer;
    double n, runs;

    if (is_uniform(&rungs, "report.n", &n) && !isnan(n)) {
        number = text_count(n);
        longer = say(language, SAY_WITH_SIZE, line, number);
        free(number);
        free(line);
        line = longer;
    }
    if (is_modelled(&rungs) && !is_untimed(&rungs)) {
        longer = say(language, SAY_FROM_MODEL, line);
    } else if (is_uniform(&rungs, "report.runs", &runs) && runs > 1) {
        number = text_format("%.0f", runs);
        longer = say(language, SAY_MEDIAN, line, number);
        free(number);
    } else {
        return line;
    }
    free(line);
    return longer;
}

static void print_heading(const struct rungs *rungs, const struct manifest *manifest, FILE *file,
                          const struct style *style)
{
    char *heading = text_format("%s: %s", rungs->chapter, manifest_title(manifest, rungs->chapter));
    char *line = ladder_conditions(rungs->results, rungs->count, LANGUAGE_ENGLISH);

    if (style->markdown)
        fputs("### ", file);
    tone_print(file, style, TONE_STRONG, heading);
    fputs(style->markdown ? "\n\n" : "\n", file);
    ladder_print_parts(line, file, style);
    fputc('\n', file);
    free(line);
    free(heading);
}

/* --- The rungs -------------------------------------------------------------------------------- */

/* A bar that takes `part` of its column. */
static char *bar(double part, bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int steps = (int)fmax(1, round(8 * BAR_WIDTH * part));
    char *text = copy_text(""), *longer;

    for (int i = 0; i < steps / 8 || (!utf8 && i == 0); i++) {
        longer = text_format("%s%s", text, utf8 ? "█" : "#");
        free(text);
        text = longer;
    }
    longer = text_format("%s%s", text, utf8 ? eighths[steps % 8] : "");
    free(text);
    return longer;
}

static char *speed_up(double from, double to, const struct style *style)
{
    char *number, *text;

    if (isnan(from) || isnan(to))
        return copy_text("-");
    number = text_number(from / to);
    text = text_format("%s %s", number, style_times(style));
    free(number);
    return text;
}

/* The first result that was timed and says something about `result`; NULL: none. */
static const json_t *first_comparable(const struct rungs *rungs, const json_t *result)
{
    for (int i = 0; i < rungs->count; i++)
        if (!isnan(result_time(rungs->results[i])) && why_comparable(rungs->results[i], result))
            return rungs->results[i];
    return NULL;
}

/* The time of the step before, if that says something about this one. */
static double time_before(const struct rungs *rungs, int index)
{
    const json_t *before = index > 0 ? rungs->results[index - 1] : NULL;

    return before && why_comparable(before, rungs->results[index]) ? result_time(before)
                                                                   : (double)NAN;
}

static char *share_cell(const json_t *result)
{
    const double share = result_number(result, "report.share");
    char *percent = ladder_percent(share);
    char *text = share > 1 ? text_format("%s (!)", percent) : copy_text(percent);

    free(percent);
    return text;
}

/* The time of all that the step does on the device, allocation and copies included, in seconds;
 * NAN: it was not measured. */
static double whole_of(const json_t *result)
{
    return result_number(result, "report.total_ms") * 1e-3;
}

/* What the step's own clock readings say, of the block that took longest. NAN: it reads none. */
static double cycles_of(const json_t *result)
{
    return result_number(result, "report.cycles");
}

static void fill_figures(struct row *row, const struct rungs *rungs, int index,
                         const struct bars *bars, const struct style *style)
{
    const json_t *result = rungs->results[index], *first = first_comparable(rungs, result);
    const double time = result_time(result), before = time_before(rungs, index);

    table_set(row, TIME, TONE_STRONG, text_time(time));
    if (isnan(time))
        return;
    if (!isnan(whole_of(result)))
        table_set(row, WHOLE, TONE_PLAIN, text_time(whole_of(result)));
    if (!isnan(cycles_of(result)))
        table_set(row, CYCLES, TONE_PLAIN, text_count(cycles_of(result)));
    table_set(row, RATE, TONE_PLAIN, ladder_rate(result));
    table_set(row, SHARE, result_number(result, "report.share") > 1 ? TONE_BAD : TONE_PLAIN,
              share_cell(result));
    if (first && result != first)
        table_set(row, FIRST, TONE_GOOD, speed_up(result_time(first), time, style));
    if (!isnan(before))
        table_set(row, BEFORE, before < time ? TONE_DIM : TONE_PLAIN,
                  speed_up(before, time, style));
    if (!isnan(bars->parts[index]))
        table_set(row, BAR, TONE_BAR, bar(bars->parts[index], style->utf8));
}

/* Does no result of the chapter have what `of` asks for? */
static bool lacks(const struct rungs *rungs, double (*of)(const json_t *result))
{
    for (int i = 0; i < rungs->count; i++)
        if (!isnan(of(rungs->results[i])))
            return false;
    return true;
}

/* Is the reason why a step has no time that of the next one too? Then it stands below that. */
static bool repeats_reason(const struct rungs *rungs, int index)
{
    return index + 1 < rungs->count && !strcmp(result_text(rungs->results[index], "why"),
                                               result_text(rungs->results[index + 1], "why"));
}

/* Where another problem begins: which, and how its bars are drawn if those of others are drawn
 * otherwise. To be freed; NULL: nowhere. */
static char *heading_of(const struct rungs *rungs, int index, const struct bars *bars,
                        const struct style *style)
{
    const char *problem = ladder_heading(rungs->results, rungs->count, index);

    if (!problem)
        return NULL;
    return bars->logarithmic[index] && !bars->all_logarithmic && !style->markdown
               ? say(LANGUAGE_ENGLISH, SAY_LOG_SCALE, problem)
               : copy_text(problem);
}

static void fill_row(struct row *row, const struct rungs *rungs, int index, const struct bars *bars,
                     const struct style *style)
{
    const json_t *result = rungs->results[index];
    const enum outcome outcome = result_outcome(result);
    const double n = result_number(result, "report.n");

    row->heading = heading_of(rungs, index, bars, style);
    table_set(row, STEP, TONE_PLAIN, copy_text(result_text(result, "step")));
    table_set(row, TITLE, TONE_PLAIN, copy_text(result_text(result, "title")));
    table_set(row, ARTICLE, TONE_DIM, copy_text(ladder_article(result, "article")));
    if (!isnan(n))
        table_set(row, SIZE, TONE_PLAIN, text_count(n));
    if (outcome == OUTCOME_MATCH && is_untimed(rungs)) {
        table_set(row, TIME, TONE_GOOD, copy_text(outcome_name(outcome)));
        return;
    }
    if (outcome == OUTCOME_MATCH) {
        fill_figures(row, rungs, index, bars, style);
        return;
    }
    row->note_tone = outcome_is_failure(outcome) ? TONE_BAD : TONE_DIM;
    table_set(row, TIME, row->note_tone, copy_text(outcome_name(outcome)));
    if (style->markdown || !repeats_reason(rungs, index))
        row->note = copy_text(result_text(result, "why"));
}

static void print_footnote(const struct rungs *rungs, FILE *file)
{
    for (int i = 0; i < rungs->count; i++)
        if (result_number(rungs->results[i], "report.share") > 1) {
            fprintf(file, "\n(!) %s\n", result_text(rungs->results[i], "report.limit"));
            return;
        }
}

/* Is there no article, or none that has any of these steps? */
static bool lacks_articles(const struct rungs *rungs)
{
    for (int i = 0; i < rungs->count; i++)
        if (*result_text(rungs->results[i], "article"))
            return false;
    return true;
}

/* No column for what follows from a time. */
static void show_results_only(struct table *table, const struct rungs *rungs)
{
    static const int timed[] = {RATE, SHARE, FIRST, BEFORE, BAR};

    for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++)
        table->columns[timed[i]].hidden = true;
    table->columns[ARTICLE].hidden = lacks_articles(rungs);
    table->columns[TIME].header = "result";
}

static void print_rungs(const struct rungs *rungs, FILE *file, const struct style *style)
{
    struct table table = table_new(ladder_columns, LADDER_COLUMNS);
    struct bars bars = bars_of(rungs->results, rungs->count);
    double n;

    table.columns[SIZE].hidden = is_uniform(rungs, "report.n", &n);
    table.columns[WHOLE].hidden = lacks(rungs, whole_of);
    table.columns[CYCLES].hidden = !is_modelled(rungs) || lacks(rungs, cycles_of);
    table.columns[ARTICLE].hidden = !style->markdown && lacks_articles(rungs);
    if (style->utf8) {
        table.columns[FIRST].header = "× first";
        table.columns[BEFORE].header = "× before";
    }
    if (is_untimed(rungs))
        show_results_only(&table, rungs);
    else if (is_modelled(rungs))
        table.columns[TIME].header = "modelled";
    if (bars.rates)
        table.columns[BAR].header = "rate";
    if (bars.all_logarithmic)
        table.columns[BAR].header = bars.rates ? "log of rate" : "log scale";
    for (int i = 0; i < rungs->count; i++)
        fill_row(table_row(&table), rungs, i, &bars, style);
    table_print(&table, file, style);
    table_free(&table);
    bars_free(&bars);
    print_footnote(rungs, file);
}

/* --- Counters --------------------------------------------------------------------------------- */

static void fill_counters(struct row *row, const json_t *result)
{
    table_set(row, NAME, TONE_PLAIN, copy_text(result_text(result, "step")));
    table_set(row, LANES, TONE_PLAIN,
              text_number(result_ratio(result, &result_ratios[RATIO_LANES])));
    table_set(row, LOADS, TONE_PLAIN, text_count(result_counter(result, "global_loads")));
    table_set(row, LOAD_SECTORS, TONE_PLAIN,
              text_number(result_ratio(result, &result_ratios[RATIO_SECTORS_LOAD])));
    table_set(row, STORE_SECTORS, TONE_PLAIN,
              text_number(result_ratio(result, &result_ratios[RATIO_SECTORS_STORE])));
    table_set(row, SHARED, TONE_PLAIN, text_count(result_shared_requests(result)));
    table_set(row, CONFLICTS, TONE_PLAIN,
              text_count(result_counter(result, "shared_bank_conflicts")));
    table_set(row, DIVERGENT, TONE_PLAIN, text_count(result_counter(result, "divergent_branches")));
    if (!isnan(result_occupancy(result))) {
        table_set(row, OCCUPANCY, TONE_PLAIN, ladder_percent(result_occupancy(result)));
        table_set(row, BOUND, TONE_PLAIN, copy_text(result_bound(result)));
    }
}

static void print_counters(const struct rungs *rungs, FILE *file, const struct style *style)
{
    struct table table = table_new(counter_columns, COUNTER_COLUMNS);

    table.columns[OCCUPANCY].hidden = table.columns[BOUND].hidden = lacks(rungs, result_occupancy);
    for (int i = 0; i < rungs->count; i++)
        if (result_counter(rungs->results[i], "warp_instructions") > 0)
            fill_counters(table_row(&table), rungs->results[i]);
    if (table.row_count > 0)
        table_print(&table, file, style);
    else
        fputs("nothing was counted: the emulator does that (--on emulator)\n", file);
    table_free(&table);
}

static bool lacks_figures(const struct rungs *rungs)
{
    for (int i = 0; i < rungs->count; i++)
        if (ladder_has_figure(rungs->results[i], "article"))
            return false;
    return true;
}

/* What the article measured, beside what was measured here. */
static void print_article(const struct rungs *rungs, FILE *file, const struct style *style)
{
    static const int shown[] = {STEP, TIME, WHOLE, CYCLES, RATE, ARTICLE};
    struct table table = table_new(ladder_columns, LADDER_COLUMNS);
    struct bars bars;

    if (lacks_figures(rungs))
        return;
    for (int i = 0; i < LADDER_COLUMNS; i++)
        table.columns[i].hidden = true;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        table.columns[shown[i]].hidden = false;
    table.columns[WHOLE].hidden = lacks(rungs, whole_of);
    table.columns[CYCLES].hidden = !is_modelled(rungs) || lacks(rungs, cycles_of);
    table.columns[ARTICLE].drop = 0;
    table.columns[ARTICLE].wraps = true;
    table.columns[ARTICLE].least = 26;
    if (is_modelled(rungs) && !is_untimed(rungs))
        table.columns[TIME].header = "modelled";
    bars = bars_of(rungs->results, rungs->count);
    for (int i = 0; i < rungs->count; i++)
        if (ladder_has_figure(rungs->results[i], "article") &&
            !isnan(result_time(rungs->results[i])))
            fill_row(table_row(&table), rungs, i, &bars, style);
    fputc('\n', file);
    table_print(&table, file, style);
    table_free(&table);
    bars_free(&bars);
}

static bool are_experiments(const struct rungs *rungs)
{
    for (int i = 0; i < rungs->count; i++)
        if (experiment_is(rungs->results[i]))
            return true;
    return false;
}

/* A table for each experiment, and a line for each that did not run. */
static void print_experiments(const struct rungs *rungs, const struct manifest *manifest,
                              FILE *file, const struct style *style)
{
    char *heading = text_format("%s: %s", rungs->chapter, manifest_title(manifest, rungs->chapter));

    if (style->markdown)
        fputs("### ", file);
    tone_print(file, style, TONE_STRONG, heading);
    fputc('\n', file);
    free(heading);
    for (int i = 0; i < rungs->count; i++) {
        const json_t *result = rungs->results[i];

        fputc('\n', file);
        if (experiment_is(result)) {
            experiment_print(result, file, style);
            continue;
        }
        fprintf(file, "%s%s: %s: %s\n", style->markdown ? "- " : "", result_text(result, "step"),
                result_text(result, "outcome"), result_text(result, "why"));
    }
}

static bool are_counted(const struct rungs *rungs)
{
    for (int i = 0; i < rungs->count; i++)
        if (result_counter(rungs->results[i], "warp_instructions") > 0)
            return true;
    return false;
}

/* A page has room for all of it, a screen for one thing at a time. */
static void print_ladder(const struct rungs *rungs, const struct manifest *manifest,
                         enum ladder_view view, FILE *file, const struct style *style)
{
    print_heading(rungs, manifest, file, style);
    if (view == LADDER_COUNTERS) {
        print_counters(rungs, file, style);
        print_article(rungs, file, style);
        return;
    }
    print_rungs(rungs, file, style);
    if (style->markdown && are_counted(rungs)) {
        fputc('\n', file);
        print_counters(rungs, file, style);
    }
}

void ladder_print(const json_t *results, size_t printed, const struct manifest *manifest,
                  const char *build, enum ladder_view view, FILE *file, const struct style *style)
{
    const json_t *result;
    const char *chapter = "";
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result) {
        struct rungs rungs;

        if (i < printed || !strcmp(result_text(result, "chapter"), chapter))
            continue;
        if (i > 0)
            fputc('\n', file);
        chapter = result_text(result, "chapter");
        rungs = rungs_of(results, chapter);
        if (are_experiments(&rungs))
            print_experiments(&rungs, manifest, file, style);
        else
            print_ladder(&rungs, manifest, view, file, style);
        if (!style->markdown && view == LADDER_TIMES)
            fprintf(file, "\nprograms: %s/%s%s\n", build, chapter,
                    are_counted(&rungs) && !are_experiments(&rungs)
                        ? "; what was counted: --counters"
                        : "");
        free(rungs.results);
    }
}
