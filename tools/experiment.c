/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladder_cells.h"
#include "results.h"
#include "text.h"

enum { COUNTERS = 2 };

enum { VARIANT, WHAT, BAR, TIME, RATE, FIGURE, COUNTED, SOURCE = COUNTED + COUNTERS, COLUMNS };

static const struct column columns[COLUMNS] = {
    [VARIANT] = {.header = "variant", .key = true, .least = 8},
    [WHAT] = {.header = "what it does", .wraps = true, .least = 16, .drop = 3, .second_line = true},
    [BAR] = {.header = "rate", .picture = true, .place = ON_PAGES},
    [TIME] = {.header = "time", .right = true},
    [RATE] = {.header = "rate", .right = true, .drop = 1},
    [FIGURE] = {.header = "", .right = true, .drop = 2, .hidden = true},
    [COUNTED] = {.header = "", .right = true, .drop = 2, .hidden = true},
    [COUNTED + 1] = {.header = "", .right = true, .drop = 4, .hidden = true},
    [SOURCE] = {.header = "in the article", .wraps = true, .least = 20, .drop = 5},
};

/* --- What it printed -------------------------------------------------------------------------- */

/* The lines of `text`, which must all be objects with a variant; NULL else. */
static json_t *read_lines(const char *text)
{
    json_t *variants = json_array();

    for (char **line = text_lines(text); *line; line++) {
        json_t *variant = json_loads(*line, 0, NULL);

        if (!*result_text(variant, "variant"))
            return NULL;
        json_array_append_new(variants, variant);
    }
    return variants;
}

json_t *experiment_read(const char *text, json_t **variants)
{
    static const char *const shared[] = {"chapter",   "step",    "title",     "device", "n",
                                         "runs",      "result",  "reference", "error",  "why",
                                         "tolerance", "verdict", "modelled"};
    json_t *lines = read_lines(text), *chosen = json_array_get(lines, 0), *variant, *report;
    size_t i;

    *variants = NULL;
    if (!chosen)
        return NULL;
    json_array_foreach(lines, i, variant)
        if (strcmp(result_text(chosen, "verdict"), "match") == 0 &&
            strcmp(result_text(variant, "verdict"), "match") != 0)
            chosen = variant;
    report = json_object();
    for (i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        json_object_set(report, shared[i], json_object_get(chosen, shared[i]));
    *variants = lines;
    return report;
}

bool experiment_is(const json_t *result)
{
    return json_array_size(json_object_get(result, "variants")) > 0;
}

/* --- What was counted ------------------------------------------------------------------------- */

/* The sum of `key` over the kernels of a range; NaN where there are none. */
static double sum_in_range(const json_t *kernels, size_t range, const char *key)
{
    const json_t *kernel;
    double sum = 0;
    bool any = false;
    size_t i;

    json_array_foreach(kernels, i, kernel) {
        if (json_integer_value(json_object_get(kernel, "range")) != (json_int_t)range)
            continue;
        any = true;
        sum += json_number_value(json_object_get(kernel, key));
    }
    return any ? sum : (double)NAN;
}

/* The ranges of a profile are counted from 1: what came before the first variant is in 0. */
void experiment_count(json_t *variants, const json_t *kernels)
{
    json_t *report;
    size_t i, k;

    json_array_foreach(variants, i, report) {
        json_t *counted = json_object();
        const json_t *counter;

        json_array_foreach(json_object_get(report, "counters"), k, counter) {
            const char *under = result_text(counter, "under");
            const double sum = sum_in_range(kernels, i + 1, result_text(counter, "over"));
            const double by = *under ? sum_in_range(kernels, i + 1, under) : 1;

            if (by > 0 && !isnan(sum))
                json_object_set_new(counted, result_text(counter, "name"), json_real(sum / by));
        }
        json_object_set_new(report, "counted", counted);
    }
}

/* --- The table -------------------------------------------------------------------------------- */

static char *rate_text(const json_t *report)
{
    const double rate = result_number(report, "rate");

    return isnan(rate) ? copy_text("-")
                       : text_format("%s %s", text_number(rate), result_text(report, "unit"));
}

/* Large numbers are counts. */
static char *counter_text(double value)
{
    return value >= 1000 ? text_count(value) : text_number(value);
}

static void fill_counters(struct table *table, struct row *row, const json_t *report)
{
    const json_t *counter;
    size_t i;

    json_array_foreach(json_object_get(report, "counters"), i, counter) {
        const char *name = result_text(counter, "name");
        const json_t *value = json_object_get(json_object_get(report, "counted"), name);

        if (i >= COUNTERS || !value)
            continue;
        table->columns[COUNTED + i].header = name;
        table->columns[COUNTED + i].hidden = false;
        table_set(row, COUNTED + (int)i, TONE_PLAIN, counter_text(json_number_value(value)));
    }
}

static void fill_figure(struct table *table, struct row *row, const json_t *report)
{
    const char *name = result_text(report, "figure_name");
    const char *text = result_text(report, "figure");
    const double value = result_number(report, "figure");

    if (!*name)
        return;
    table->columns[FIGURE].header = name;
    table->columns[FIGURE].hidden = false;
    if (*text)
        table_set(row, FIGURE, TONE_PLAIN, copy_text(text));
    else if (!isnan(value))
        table_set(row, FIGURE, TONE_PLAIN, text_number(value));
}

/* What the article says. If that is "wrong", it is nothing that a step became. */
static char *source_text(const json_t *report, enum language language)
{
    const char *text = ladder_article(report, "source");

    return strcmp(text, phrase_text(LANGUAGE_ENGLISH, SAY_VARIANT_WRONG))
               ? copy_text(text)
               : say(language, SAY_VARIANT_WRONG);
}

static void fill_row(struct table *table, const json_t *report, double fastest,
                     const struct style *style)
{
    struct row *row = table_row(table);
    const double ms = result_number(report, "ms.median");

    table_set(row, VARIANT, TONE_PLAIN, copy_text(result_text(report, "variant")));
    table_set(row, WHAT, TONE_PLAIN, copy_text(result_text(report, "what")));
    table_set(row, SOURCE, TONE_DIM, source_text(report, style->language));
    fill_figure(table, row, report);
    if (strcmp(result_text(report, "verdict"), "match") != 0) {
        table_set(row, TIME, TONE_BAD, copy_text(result_text(report, "verdict")));
        row->note_tone = TONE_BAD;
        row->note = copy_text(result_text(report, "why"));
        return;
    }
    if (ms > 0)
        table_set(row, TIME, TONE_STRONG, text_time(ms * 1e-3));
    if (*result_text(report, "unit"))
        table_set(row, RATE, TONE_PLAIN, rate_text(report));
    if (result_number(report, "rate") > 0)
        table_set_bar(row, BAR, result_number(report, "rate") / fastest, style);
    fill_counters(table, row, report);
}

/* Does no variant have a text or a number at `path`? */
static bool all_lack(const json_t *result, const char *path)
{
    const json_t *report;
    size_t i;

    json_array_foreach(json_object_get(result, "variants"), i, report)
        if (*result_text(report, path) || !isnan(result_number(report, path)))
            return false;
    return true;
}

char *experiment_conditions(const json_t *result, enum language language)
{
    const double n = result_number(result, "report.n"), runs = result_number(result, "report.runs");
    const bool timed = !all_lack(result, "ms.median");
    char *line = ladder_device(result, language);

    if (n > 0)
        line = say(language, SAY_WITH_SIZE, line, text_count(n));
    if (result_modelled(result) && timed)
        return say(language, SAY_FROM_MODEL, line);
    return runs > 1 && timed ? say(language, SAY_MEDIAN, line, text_format("%.0f", runs)) : line;
}

static void print_heading(const json_t *result, FILE *file, const struct style *style)
{
    fputs(style->markdown ? "#### " : "", file);
    tone_print(file, style, TONE_STRONG,
               say(style->language, SAY_OUTCOME, result_text(result, "step"),
                   result_text(result, "title")));
    fputs(style->markdown ? "\n\n" : "\n", file);
    ladder_print_parts(experiment_conditions(result, style->language), file, style);
    fputc('\n', file);
}

double experiment_fastest(const json_t *result)
{
    const json_t *report;
    double fastest = 0;
    size_t i;

    json_array_foreach(json_object_get(result, "variants"), i, report)
        fastest = fmax(fastest, result_number(report, "rate"));
    return fastest;
}

struct table experiment_table(const json_t *result, double fastest, const struct style *style)
{
    struct table table = table_new(columns, COLUMNS);
    const json_t *report;
    size_t i;

    table.columns[TIME].hidden = all_lack(result, "ms.median");
    table.columns[RATE].hidden = all_lack(result, "rate");
    table.columns[SOURCE].hidden = all_lack(result, "source");
    if (result_modelled(result))
        table.columns[TIME].header = "modelled";
    json_array_foreach(json_object_get(result, "variants"), i, report)
        fill_row(&table, report, fastest, style);
    return table;
}

void experiment_print(const json_t *result, FILE *file, const struct style *style)
{
    struct table table = experiment_table(result, experiment_fastest(result), style);

    print_heading(result, file, style);
    table_print(&table, file, style);
}
