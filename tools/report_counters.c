/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include "html.h"
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

static char *count_of(const struct counted *it, const json_t *result)
{
    return it->key ? html_format("<td data-key=\"%s\">%s</td>", it->key,
                                 text_count(result_counter(result, it->key)))
                   : html_format("<td>%s</td>",
                                 text_number(result_ratio(result, &result_ratios[it->ratio])));
}

static void print_counts(const struct chapter_page *page, int run, int step, FILE *file)
{
    const json_t *result = page_result(page, run, step);
    const char *bound = result_bound(result);

    html_print(file, "<tr data-step=\"%s/%s\" data-run=\"%d\"><th scope=\"row\">%s</th>",
               page->name, page_step_name(page, step), run, page_step_name(page, step));
    for (int i = 0; i < COUNTED; i++)
        fputs(count_of(&counted[i], result), file);
    html_print(file, "<td>%s</td><td class=\"text\">%h</td></tr>\n",
               ladder_percent(result_occupancy(result)),
               page_both(bound, word_for_limit(LANGUAGE_CHINESE, bound)));
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
    html_print(file,
               "<h3 id=\"%s-counters%d\">%h %h</h3>\n<div class=\"wide\" tabindex=\"0\" "
               "role=\"region\" aria-labelledby=\"%s-counters%d\"><table class=\"counters\">\n"
               "<thead><tr>%h",
               page->name, run, page_phrase(SAY_COUNTED), page_letter(page, run), page->name, run,
               page_header(page_phrase(SAY_STEP), "text"));
    for (int i = 0; i < COUNTED; i++)
        fputs(page_header(page_known(counted[i].key ? counter_name(counted[i].key)
                                                    : result_ratios[counted[i].ratio].name),
                          ""),
              file);
    html_print(file, "%h%h</tr></thead>\n<tbody>\n", page_header(page_phrase(SAY_OCCUPANCY), ""),
               page_header(page_phrase(SAY_BOUND_BY), "text"));
    for (int step = 0; step < page->step_count; step++)
        if (is_counted(page, run, step))
            print_counts(page, run, step, file);
    fputs("</tbody></table></div>\n", file);
}
