/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <string.h>

#include "bars.h"
#include "html.h"
#include "ladder.h"
#include "report_page.h"
#include "results.h"
#include "text.h"

/* What a column of the ladder says of a result: "-" for nothing. */
typedef char *cell_text(const json_t *result);

static char *size_text(const json_t *result)
{
    return text_count(result_number(result, "report.n"));
}

/* What its own readings of the clock say; of a real GPU, whose clock varies, they say little. */
static char *cycles_text(const json_t *result)
{
    return result_modelled(result) ? text_count(result_number(result, "report.cycles"))
                                   : copy_text("-");
}

static char *outcome_text(const json_t *result)
{
    return copy_text(result_text(result, "outcome"));
}

/* Columns of the ladder, some of which no step of a chapter fills. */
static const struct {
    enum phrase name;
    cell_text *text_of;
} figures[] = {{SAY_WITH_COPIES, ladder_whole},
               {SAY_CYCLES, cycles_text},
               {SAY_RATE, ladder_rate},
               {SAY_OF_PEAK, ladder_share}};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

/* The columns that a ladder has, beside the step's. */
struct ladder_columns {
    bool sizes, timed, figures[FIGURES], articles;
    struct bars bars;
};

static struct ladder_columns columns_of(const struct chapter_page *page)
{
    const struct rungs all = page_runs(page);
    struct ladder_columns columns = {.bars = bars_of(all.results, all.count)};
    double n;

    columns.sizes = !ladder_uniform(all, "report.n", &n);
    for (int i = 0; i < all.count; i++)
        columns.timed = columns.timed || !isnan(result_time(all.results[i]));
    for (int i = 0; i < page->step_count; i++)
        columns.articles = columns.articles || *result_text(page_result(page, 0, i), "article");
    for (int i = 0; i < all.count * FIGURES; i++) {
        const json_t *result = all.results[i / FIGURES];
        const int figure = i % FIGURES;

        if (columns.timed && result && strcmp(figures[figure].text_of(result), "-") != 0)
            columns.figures[figure] = true;
    }
    return columns;
}

static char *gain_of(const json_t *before, const json_t *result)
{
    const double gain = ladder_gain(before, result);

    return isnan(gain) ? copy_text("<span></span>")
                       : html_format("<span class=\"%s\">%s ×</span>", gain > 1.05 ? "good" : "dim",
                                     text_number(gain));
}

static void print_run(const struct chapter_page *page, const struct bars *bars, int run, int step,
                      FILE *file)
{
    const double part = bars->parts[run * page->step_count + step];
    const json_t *result = page_result(page, run, step);

    html_print(
        file, "<div class=\"run\">%h<span class=\"track\">%h</span><span>%h</span>%h%h</div>\n",
        page_letter(page, run),
        isnan(part) ? ""
                    : text_format("<span class=\"bar b%d\" style=\"width:%.1f%%\"></span>", run,
                                  fmax(0.5, 100 * part)),
        page_known(ladder_time(result)), gain_of(ladder_first(page_run(page, run), result), result),
        gain_of(step > 0 ? page_result(page, run, step - 1) : NULL, result));
}

/* One cell with a line for each run, or one for all of them. */
static char *cell_of(const struct chapter_page *page, int step, enum phrase label,
                     cell_text *text_of)
{
    char *texts[REPORT_MAX_RUNS] = {NULL}, *cell;
    int lines = 1;

    for (int run = 0; run < page->run_count; run++) {
        const json_t *result = page_result(page, run, step);

        texts[run] = result ? text_of(result) : copy_text("-");
        if (strcmp(texts[run], texts[0]) != 0)
            lines = page->run_count;
    }
    cell = page_cell_start(label, lines == 1 && !strcmp(texts[0], "-") ? "none" : "");
    for (int line = 0; line < lines; line++)
        cell = html_format("%h<span class=\"line\">%h</span>", cell, page_known(texts[line]));
    return html_format("%h</td>", cell);
}

/* Where another problem begins. */
static void print_problem(const struct chapter_page *page, const struct bars *bars, int step,
                          FILE *file)
{
    const char *problem = ladder_heading(page_run(page, 0), step);

    if (problem)
        html_print(file, "<tr class=\"problem\"><th colspan=\"9\">%h</th></tr>\n",
                   bars->logarithmic[step] && !bars->all_logarithmic
                       ? page_both(say(LANGUAGE_ENGLISH, SAY_LOG_SCALE, problem),
                                   say(LANGUAGE_CHINESE, SAY_LOG_SCALE,
                                       word_for(LANGUAGE_CHINESE, problem)))
                       : page_known(problem));
}

static void print_step_row(const struct chapter_page *page, const struct ladder_columns *columns,
                           int step, FILE *file)
{
    const char *name = page_step_name(page, step), *sentence = page_sentence(page, step);
    const json_t *result = page_result(page, 0, step);

    print_problem(page, &columns->bars, step, file);
    html_print(
        file,
        "<tr><th scope=\"row\"><a href=\"#%s-%s\">%s</a><div class=\"what\">%h</div></th>\n%h",
        page->name, name, name, page_step_title(page, step),
        columns->sizes ? cell_of(page, step, SAY_SIZE, size_text) : "");
    if (columns->timed) {
        fputs("<td class=\"bars\">", file);
        for (int run = 0; run < page->run_count; run++)
            print_run(page, &columns->bars, run, step, file);
        fputs("</td>\n", file);
    } else {
        fputs(cell_of(page, step, SAY_RESULT, outcome_text), file);
    }
    for (int i = 0; i < FIGURES; i++)
        if (columns->figures[i])
            fputs(cell_of(page, step, figures[i].name, figures[i].text_of), file);
    if (columns->articles)
        html_print(file, "%h%h</td>",
                   page_cell_start(SAY_IN_ARTICLE,
                                   ladder_has_figure(result, "article") ? "text" : "text dim"),
                   page_cell(ladder_article(result, "article")));
    html_print(file,
               *sentence ? "</tr>\n<tr class=\"why\"><td colspan=\"9\">%h</td></tr>\n" : "</tr>\n",
               sentence);
}

/* What the bars show: "time (log scale)". */
static char *bars_name(const struct bars *bars, enum language language)
{
    const char *name = phrase_text(language, bars->rates ? SAY_RATE : SAY_TIME);

    return bars->all_logarithmic ? say(language, SAY_LOG_SCALE, name) : copy_text(name);
}

static bool is_modelled(const struct chapter_page *page)
{
    for (int i = 0; i < page->step_count * page->run_count; i++)
        if (!isnan(result_time(page->results[i])) && !result_modelled(page->results[i]))
            return false;
    return true;
}

/* The header over the bars has their columns. */
static char *bars_header(const struct chapter_page *page, const struct bars *bars)
{
    return html_format(
        "<th class=\"bars\"><div class=\"run\"><span></span><span>%h</span>"
        "<span>%h</span><span>%h</span><span>%h</span></div></th>",
        page_both(bars_name(bars, LANGUAGE_ENGLISH), bars_name(bars, LANGUAGE_CHINESE)),
        page_phrase(is_modelled(page) ? SAY_MODELLED : SAY_TIME), page_phrase(SAY_FIRST),
        page_phrase(SAY_BEFORE));
}

void report_ladder(const struct chapter_page *page, FILE *file)
{
    const struct ladder_columns columns = columns_of(page);
    const char *footnote = ladder_footnote(page_runs(page));

    html_print(file, "<table class=\"ladder\">\n<thead><tr>%h%h%h",
               page_header(page_phrase(SAY_STEP), "text"),
               columns.sizes ? page_header(page_phrase(SAY_SIZE), "") : "",
               columns.timed ? bars_header(page, &columns.bars)
                             : page_header(page_phrase(SAY_RESULT), ""));
    for (int i = 0; i < FIGURES; i++)
        if (columns.figures[i])
            fputs(page_header(page_phrase(figures[i].name), ""), file);
    html_print(file, "%h</tr></thead>\n<tbody>\n",
               columns.articles ? page_header(page_phrase(SAY_IN_ARTICLE), "text") : "");
    for (int step = 0; step < page->step_count; step++)
        print_step_row(page, &columns, step, file);
    fputs("</tbody></table>\n", file);
    if (footnote)
        html_print(file, "<p class=\"dim\">(!) %h</p>\n", page_known(footnote));
}
