/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "html.h"
#include "ladder.h"
#include "results.h"
#include "text.h"

/* Prints, as HTML, what one run has of a variant. */
typedef void print_part(const json_t *report, FILE *file);

static void print_time(const json_t *report, FILE *file)
{
    const double ms = result_number(report, "ms.median");
    char *time = text_time(ms * 1e-3);

    if (strcmp(result_text(report, "verdict"), "match") != 0)
        page_known(result_text(report, "verdict"), file);
    else
        html_print(file, "%s", ms > 0 ? time : "");
    free(time);
}

static void print_rate(const json_t *report, FILE *file)
{
    const double rate = result_number(report, "rate");
    char *number = text_number(rate);

    if (!isnan(rate))
        html_print(file, "%s %s", number, result_text(report, "unit"));
    free(number);
}

static void print_figure(const json_t *report, FILE *file)
{
    char *number = text_number(result_number(report, "figure"));

    if (*result_text(report, "figure"))
        page_cell(result_text(report, "figure"), file);
    else if (!isnan(result_number(report, "figure")))
        html_print(file, "%s", number);
    free(number);
}

static void print_counted(const json_t *report, FILE *file)
{
    const char *name, *between = "";
    const json_t *value;

    json_object_foreach(json_object_get(report, "counted"), name, value)
    {
        char *count = text_count(json_number_value(value));

        fputs(between, file);
        page_known(name, file);
        html_print(file, ": %s", count);
        between = ", ";
        free(count);
    }
}

static void print_reported(const json_t *report, FILE *file)
{
    page_cell(ladder_article(report, "source"), file);
}

/* The columns of an experiment. */
static const struct {
    enum phrase name;
    print_part *print;
    bool text; /* not a number */
    bool once; /* the same in every run */
} parts[] = {{SAY_TIME, print_time, false, false},
             {SAY_RATE, print_rate, false, false},
             {SAY_FIGURE, print_figure, false, false},
             {SAY_COUNTS, print_counted, true, false},
             {SAY_IN_ARTICLE, print_reported, true, true}};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static const json_t *find_variant(const json_t *result, const char *name)
{
    const json_t *report;
    size_t i;

    json_array_foreach(json_object_get(result, "variants"), i, report)
        if (!strcmp(result_text(report, "variant"), name))
            return report;
    return NULL;
}

/* What print_part prints, or "". To be freed. */
static char *part_text(int part, const json_t *report)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return copy_text("");
    if (report)
        parts[part].print(report, file);
    fclose(file);
    return text;
}

/* Does a variant in any of the runs have anything to say in a column? */
static bool has_part(const struct chapter_page *page, int step, int part)
{
    const json_t *report;
    bool any = false;
    size_t i;

    for (int run = 0; run < page->run_count; run++)
        json_array_foreach(json_object_get(page_result(page, run, step), "variants"), i, report) {
            char *text = part_text(part, report);

            any = any ||
                  (parts[part].print == print_reported ? *result_text(report, "source") : *text);
            free(text);
        }
    return any;
}

static void print_part_of_runs(const struct chapter_page *page, int step, const char *variant,
                               int part, FILE *file)
{
    const int runs = parts[part].once ? 1 : page->run_count;

    page_cell_start(parts[part].name, parts[part].text ? "text" : "", file);
    for (int run = 0; run < runs; run++) {
        const json_t *result =
            parts[part].once ? page_tried(page, step) : page_result(page, run, step);
        char *text = part_text(part, find_variant(result, variant));

        if (*text) {
            fputs("<span class=\"line\">", file);
            if (runs > 1) {
                page_letter(page, run, file);
                fputc(' ', file);
            }
            fprintf(file, "%s</span>", text); /* which is HTML */
        }
        free(text);
    }
    fputs("</td>", file);
}

/* What its one figure is called, or "". */
static const char *figure_name(const json_t *result)
{
    return result_text(json_array_get(json_object_get(result, "variants"), 0), "figure_name");
}

/* A table of what it tried, with a line for each run. */
void report_variants(const struct chapter_page *page, int step, FILE *file)
{
    const json_t *result = page_tried(page, step), *report;
    bool shown[PARTS];
    size_t k;

    fputs("<table class=\"ladder\"><thead><tr>", file);
    page_header(SAY_VARIANT, "text", file);
    for (int i = 0; i < PARTS; i++) {
        shown[i] = has_part(page, step, i);
        if (shown[i] && parts[i].name == SAY_FIGURE && *figure_name(result)) {
            fputs("<th>", file);
            page_known(figure_name(result), file);
            fputs("</th>", file);
        } else if (shown[i])
            page_header(parts[i].name, parts[i].text ? "text" : NULL, file);
    }
    fputs("</tr></thead>\n<tbody>\n", file);
    json_array_foreach(json_object_get(result, "variants"), k, report) {
        html_print(file, "<tr><th scope=\"row\">%s<div class=\"what\">",
                   result_text(report, "variant"));
        page_cell(result_text(report, "what"), file);
        html_print(file, "</div><div class=\"bad\">%s</div></th>", result_text(report, "why"));
        for (int i = 0; i < PARTS; i++)
            if (shown[i])
                print_part_of_runs(page, step, result_text(report, "variant"), i, file);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table>\n", file);
}

/* Where an experiment ran; or why it tried nothing. To be freed. */
static char *place_of(const json_t *result, enum language language)
{
    return experiment_is(result) || !*result_text(result, "why")
               ? ladder_conditions(&result, 1, language)
               : page_outcome(result, language);
}

/* Where it ran, in each run. */
void report_places(const struct chapter_page *page, int step, FILE *file)
{
    fputs("<ul class=\"runs\">\n", file);
    for (int run = 0; run < page->run_count; run++) {
        const json_t *result = page_result(page, run, step);

        if (!result)
            continue;
        fputs("<li>", file);
        page_letter(page, run, file);
        fputc(' ', file);
        page_both(place_of(result, LANGUAGE_ENGLISH), place_of(result, LANGUAGE_CHINESE), file);
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
}
