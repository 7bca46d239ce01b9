/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include <math.h>
#include <string.h>

#include "html.h"
#include "ladder.h"
#include "results.h"
#include "text.h"

/* What one run has of a variant, as HTML; "" for nothing. */
typedef char *part_of(const json_t *report);

static char *time_of(const json_t *report)
{
    const double ms = result_number(report, "ms.median");

    if (strcmp(result_text(report, "verdict"), "match") != 0)
        return page_known(result_text(report, "verdict"));
    return copy_text(ms > 0 ? text_time(ms * 1e-3) : "");
}

static char *rate_of(const json_t *report)
{
    const double rate = result_number(report, "rate");

    return isnan(rate) ? copy_text("")
                       : html_format("%s %s", text_number(rate), result_text(report, "unit"));
}

static char *figure_of(const json_t *report)
{
    const double figure = result_number(report, "figure");

    if (*result_text(report, "figure"))
        return page_cell(result_text(report, "figure"));
    return copy_text(isnan(figure) ? "" : text_number(figure));
}

static char *counts_of(const json_t *report)
{
    char *counts = copy_text("");
    const char *name;
    const json_t *value;

    json_object_foreach(json_object_get(report, "counted"), name, value) counts =
        html_format("%h%s%h: %s", counts, *counts ? ", " : "", page_known(name),
                    text_count(json_number_value(value)));
    return counts;
}

static char *article_of(const json_t *report)
{
    return page_cell(ladder_article(report, "source"));
}

/* The columns of an experiment. */
static const struct {
    enum phrase name;
    part_of *of;
    const char *class;
    bool once; /* the same in every run */
} parts[] = {{SAY_TIME, time_of, "", false},
             {SAY_RATE, rate_of, "", false},
             {SAY_FIGURE, figure_of, "", false},
             {SAY_COUNTS, counts_of, "text", false},
             {SAY_IN_ARTICLE, article_of, "text", true}};
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

/* Does a variant in any of the runs have anything to say in a column? */
static bool has_part(const struct chapter_page *page, int step, int part)
{
    const json_t *report;
    size_t i;

    for (int run = 0; run < page->run_count; run++)
        json_array_foreach(json_object_get(page_result(page, run, step), "variants"), i, report)
            if (parts[part].of == article_of ? *result_text(report, "source")
                                             : *parts[part].of(report))
                return true;
    return false;
}

static char *part_of_runs(const struct chapter_page *page, int step, const char *variant, int part)
{
    const int runs = parts[part].once ? 1 : page->run_count;
    char *cell = page_cell_start(parts[part].name, parts[part].class);

    for (int run = 0; run < runs; run++) {
        const json_t *report = find_variant(
            parts[part].once ? page_tried(page, step) : page_result(page, run, step), variant);
        const char *html = report ? parts[part].of(report) : "";

        if (*html)
            cell = html_format("%h<span class=\"line\">%h%s%h</span>", cell,
                               runs > 1 ? page_letter(page, run) : "", runs > 1 ? " " : "", html);
    }
    return html_format("%h</td>", cell);
}

/* A column's header: one of figures may have a name of its own. */
static char *header_of(const json_t *result, int part)
{
    const json_t *first = json_array_get(json_object_get(result, "variants"), 0);
    const char *name = result_text(first, "figure_name");

    return page_header(parts[part].name == SAY_FIGURE && *name ? page_known(name)
                                                               : page_phrase(parts[part].name),
                       parts[part].class);
}

/* With a line for each run. */
void report_variants(const struct chapter_page *page, int step, FILE *file)
{
    const json_t *result = page_tried(page, step), *report;
    bool shown[PARTS];
    size_t k;

    html_print(file, "<table class=\"ladder\"><thead><tr>%h",
               page_header(page_phrase(SAY_VARIANT), "text"));
    for (int i = 0; i < PARTS; i++) {
        shown[i] = has_part(page, step, i);
        fputs(shown[i] ? header_of(result, i) : "", file);
    }
    fputs("</tr></thead>\n<tbody>\n", file);
    json_array_foreach(json_object_get(result, "variants"), k, report) {
        html_print(file,
                   "<tr><th scope=\"row\">%s<div class=\"what\">%h</div>"
                   "<div class=\"bad\">%s</div></th>",
                   result_text(report, "variant"), page_cell(result_text(report, "what")),
                   result_text(report, "why"));
        for (int i = 0; i < PARTS; i++)
            if (shown[i])
                fputs(part_of_runs(page, step, result_text(report, "variant"), i), file);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table>\n", file);
}
