/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include <stdlib.h>

#include "html.h"
#include "ladder.h"
#include "results.h"
#include "text.h"

/* A counter by its key, or a ratio. */
struct counted {
    const char *key;
    int ratio;
};

static const struct counted counted[] = {
    {NULL, RATIO_LANES},         {"warp_instructions", 0},
    {"global_loads", 0},         {NULL, RATIO_SECTORS_LOAD},
    {NULL, RATIO_SECTORS_STORE}, {"shared_loads", 0},
    {"shared_stores", 0},        {"shared_bank_conflicts", 0},
    {"divergent_branches", 0},   {"barriers", 0},
};
enum { COUNTED = sizeof(counted) / sizeof(counted[0]) };

static void print_count(const struct counted *it, const json_t *result, FILE *file)
{
    char *text = it->key ? text_count(result_counter(result, it->key))
                         : text_number(result_ratio(result, &result_ratios[it->ratio]));

    if (it->key)
        html_print(file, "<td data-key=\"%s\">%s</td>", it->key, text);
    else
        html_print(file, "<td>%s</td>", text);
    free(text);
}

static void print_counts(const struct chapter_page *page, int run, int step, FILE *file)
{
    const json_t *result = page_result(page, run, step);
    char *occupancy = ladder_percent(result_occupancy(result));

    html_print(file, "<tr data-step=\"%s/%s\" data-run=\"%d\"><th scope=\"row\">%s</th>",
               page->name, page_step_name(page, step), run, page_step_name(page, step));
    for (int i = 0; i < COUNTED; i++)
        print_count(&counted[i], result, file);
    html_print(file, "<td>%s</td><td class=\"text\">", occupancy);
    page_both(copy_text(result_bound(result)),
              copy_text(word_for_limit(LANGUAGE_CHINESE, result_bound(result))), file);
    fputs("</td></tr>\n", file);
    free(occupancy);
}

static bool is_counted(const struct chapter_page *page, int run, int step)
{
    const json_t *result = page_result(page, run, step);

    return result && result_counter(result, "warp_instructions") > 0;
}

void report_counters(const struct chapter_page *page, int run, FILE *file)
{
    int rows = 0;

    for (int step = 0; step < page->step_count; step++)
        rows += is_counted(page, run, step);
    if (rows == 0)
        return;
    html_print(file, "<h3 id=\"%s-counters%d\">", page->name, run);
    page_phrase(SAY_COUNTED, file);
    fputc(' ', file);
    page_letter(page, run, file);
    html_print(file,
               "</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
               "aria-labelledby=\"%s-counters%d\"><table class=\"counters\">\n<thead><tr>",
               page->name, run);
    page_header(SAY_STEP, "text", file);
    for (int i = 0; i < COUNTED; i++) {
        fputs("<th>", file);
        page_known(counted[i].key ? counter_name(counted[i].key)
                                  : result_ratios[counted[i].ratio].name,
                   file);
        fputs("</th>", file);
    }
    page_header(SAY_OCCUPANCY, NULL, file);
    page_header(SAY_BOUND_BY, "text", file);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int step = 0; step < page->step_count; step++)
        if (is_counted(page, run, step))
            print_counts(page, run, step, file);
    fputs("</tbody></table></div>\n", file);
}
