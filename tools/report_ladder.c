/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "html.h"
#include "ladder.h"
#include "report_page.h"
#include "results.h"
#include "text.h"
#include "why.h"

static bool has_run(const struct chapter_page *page, int run)
{
    for (int step = 0; step < page->step_count; step++)
        if (page_result(page, run, step))
            return true;
    return false;
}

/* What each run ran on. */
void report_runs(const struct chapter_page *page, FILE *file)
{
    fputs("<ul class=\"runs\">\n", file);
    for (int run = 0; run < page->run_count; run++) {
        const json_t **results = page->results + (size_t)run * (size_t)page->step_count;

        if (!has_run(page, run))
            continue;
        fputs("<li>", file);
        page_letter(page, run, file);
        fputc(' ', file);
        page_both(ladder_conditions(results, page->step_count, LANGUAGE_ENGLISH),
                  ladder_conditions(results, page->step_count, LANGUAGE_CHINESE), file);
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
}

/* How many times as fast a step is as another one in the same run; NaN where that says nothing. */
static double gain_of(const struct chapter_page *page, int run, int from, int to)
{
    const json_t *result = page_result(page, run, to);
    const json_t *before = from >= 0 && from != to ? page_result(page, run, from) : NULL;

    if (!result || !before || !why_comparable(before, result))
        return NAN;
    return result_time(before) / result_time(result);
}

/* The first step of a run that says something about another one's time, or -1. */
static int first_comparable(const struct chapter_page *page, int run, int step)
{
    const json_t *result = page_result(page, run, step);

    for (int i = 0; result && i < page->step_count; i++) {
        const json_t *first = page_result(page, run, i);

        if (first && !isnan(result_time(first)) && why_comparable(first, result))
            return i;
    }
    return -1;
}

static bool is_timed(const struct chapter_page *page)
{
    for (int i = 0; i < page->step_count * page->run_count; i++)
        if (!isnan(result_time(page->results[i])))
            return true;
    return false;
}

static void print_gain(double gain, FILE *file)
{
    char *number = text_number(gain);

    if (isnan(gain))
        fputs("<span></span>", file);
    else
        html_print(file, "<span class=\"%s\">%s ×</span>", gain > 1.05 ? "good" : "dim", number);
    free(number);
}

static void print_run(const struct chapter_page *page, const struct bars *bars, int run, int step,
                      FILE *file)
{
    const double part = bars->parts[run * page->step_count + step];
    char *time = ladder_time(page_result(page, run, step));

    fputs("<div class=\"run\">", file);
    page_letter(page, run, file);
    fputs("<span class=\"track\">", file);
    if (!isnan(part))
        fprintf(file, "<span class=\"bar b%d\" style=\"width:%.1f%%\"></span>", run,
                fmax(0.5, 100 * part));
    fputs("</span><span>", file);
    page_known(time, file);
    fputs("</span>", file);
    print_gain(gain_of(page, run, first_comparable(page, run, step), step), file);
    print_gain(gain_of(page, run, step - 1, step), file);
    fputs("</div>\n", file);
    free(time);
}

/* What a column of the ladder says of a result. To be freed. */
typedef char *cell_text(const json_t *result);

/* One cell with a line for each run, or one for all of them. */
static void print_cell(const struct chapter_page *page, int step, enum phrase label,
                       cell_text *text_of, FILE *file)
{
    char *texts[REPORT_MAX_RUNS];
    bool same = true;

    for (int run = 0; run < page->run_count; run++) {
        const json_t *result = page_result(page, run, step);

        texts[run] = result ? text_of(result) : copy_text("-");
        same = same && !strcmp(texts[run], texts[0]);
    }
    page_cell_start(label, same && !strcmp(texts[0], "-") ? "none" : "", file);
    for (int run = 0; run < page->run_count; run++) {
        if (run == 0 || !same) {
            fputs("<span class=\"line\">", file);
            page_known(texts[run], file);
            fputs("</span>", file);
        }
        free(texts[run]);
    }
    fputs("</td>", file);
}

static char *share_text(const json_t *result)
{
    const double share = result_number(result, "report.share");
    char *percent = ladder_percent(share);
    char *text = text_format("%s%s", percent, share > 1 ? " (!)" : "");

    free(percent);
    return text;
}

static char *size_text(const json_t *result)
{
    return text_count(result_number(result, "report.n"));
}

/* All that the step does on the device, with allocation and copies. */
static char *whole_text(const json_t *result)
{
    return text_time(result_number(result, "report.total_ms") * 1e-3);
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

/* Does a column of the ladder say anything? */
static bool says(const struct chapter_page *page, cell_text *text_of)
{
    bool any = false;

    for (int i = 0; i < page->step_count * page->run_count && !any; i++) {
        char *text = page->results[i] ? text_of(page->results[i]) : copy_text("-");

        any = strcmp(text, "-") != 0;
        free(text);
    }
    return any;
}

/* Are there steps of different sizes? */
static bool has_sizes(const struct chapter_page *page)
{
    double n = NAN;

    for (int i = 0; i < page->step_count * page->run_count; i++) {
        const double size = result_number(page->results[i], "report.n");

        if (!isnan(n) && !isnan(size) && size != n)
            return true;
        n = isnan(size) ? n : size;
    }
    return false;
}

static bool has_articles(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (*result_text(page_result(page, 0, step), "article"))
            return true;
    return false;
}

static void print_article(const json_t *result, FILE *file)
{
    page_cell_start(SAY_IN_ARTICLE, ladder_has_figure(result, "article") ? "text" : "text dim",
                    file);
    page_cell(ladder_article(result, "article"), file);
    fputs("</td>", file);
}

/* Columns of the ladder, some of which no step of a chapter fills. */
static const struct {
    enum phrase name;
    cell_text *text_of;
} figures[] = {{SAY_WITH_COPIES, whole_text},
               {SAY_CYCLES, cycles_text},
               {SAY_RATE, ladder_rate},
               {SAY_OF_PEAK, share_text}};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

/* The columns that a ladder has, beside the step's. */
struct ladder_columns {
    bool sizes, timed, figures[FIGURES], articles;
    struct bars bars;
};

static struct ladder_columns columns_of(const struct chapter_page *page)
{
    struct ladder_columns columns = {
        .sizes = has_sizes(page),
        .timed = is_timed(page),
        .articles = has_articles(page),
        .bars = bars_of(page->results, page->step_count * page->run_count),
    };

    for (int i = 0; i < FIGURES; i++)
        columns.figures[i] = columns.timed && says(page, figures[i].text_of);
    return columns;
}

/* Where another problem begins. */
static void print_problem(const struct chapter_page *page, const struct bars *bars, int step,
                          FILE *file)
{
    const char *problem = ladder_heading(page->results, page->step_count, step);
    const bool logarithmic = bars->logarithmic[step] && !bars->all_logarithmic;

    if (!problem)
        return;
    fputs("<tr class=\"problem\"><th colspan=\"9\">", file);
    if (logarithmic)
        page_both(say(LANGUAGE_ENGLISH, SAY_LOG_SCALE, problem),
                  say(LANGUAGE_CHINESE, SAY_LOG_SCALE, word_for(LANGUAGE_CHINESE, problem)), file);
    else
        page_known(problem, file);
    fputs("</th></tr>\n", file);
}

static void print_step_row(const struct chapter_page *page, const struct ladder_columns *columns,
                           int step, FILE *file)
{
    print_problem(page, &columns->bars, step, file);
    html_print(file, "<tr><th scope=\"row\"><a href=\"#%s-%s\">%s</a><div class=\"what\">",
               page->name, page_step_name(page, step), page_step_name(page, step));
    page_step_title(page, step, file);
    fputs("</div></th>\n", file);
    if (columns->sizes)
        print_cell(page, step, SAY_SIZE, size_text, file);
    if (columns->timed) {
        fputs("<td class=\"bars\">", file);
        for (int run = 0; run < page->run_count; run++)
            print_run(page, &columns->bars, run, step, file);
        fputs("</td>\n", file);
    } else {
        print_cell(page, step, SAY_RESULT, outcome_text, file);
    }
    for (int i = 0; i < FIGURES; i++)
        if (columns->figures[i])
            print_cell(page, step, figures[i].name, figures[i].text_of, file);
    if (columns->articles)
        print_article(page_result(page, 0, step), file);
    fputs("</tr>\n", file);
    if (!page_has_sentence(page, step))
        return;
    fputs("<tr class=\"why\"><td colspan=\"9\">", file);
    page_sentence(page, step, file);
    fputs("</td></tr>\n", file);
}

/* What the bars show: "time (log scale)". To be freed. */
static char *bars_name(const struct bars *bars, enum language language)
{
    const char *name = phrase_text(language, bars->rates ? SAY_RATE : SAY_TIME);

    return bars->all_logarithmic ? say(language, SAY_LOG_SCALE, name) : copy_text(name);
}

static bool is_modelled(const struct chapter_page *page)
{
    for (int i = 0; i < page->step_count * page->run_count; i++)
        if (page->results[i] && !isnan(result_time(page->results[i])) &&
            !result_modelled(page->results[i]))
            return false;
    return true;
}

/* The header over the bars has their columns. */
static void print_bars_header(const struct chapter_page *page, const struct bars *bars, FILE *file)
{
    const enum phrase times[] = {is_modelled(page) ? SAY_MODELLED : SAY_TIME, SAY_FIRST,
                                 SAY_BEFORE};

    fputs("<th class=\"bars\"><div class=\"run\"><span></span><span>", file);
    page_both(bars_name(bars, LANGUAGE_ENGLISH), bars_name(bars, LANGUAGE_CHINESE), file);
    fputs("</span>", file);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        fputs("<span>", file);
        page_phrase(times[i], file);
        fputs("</span>", file);
    }
    fputs("</div></th>", file);
}

/* What a share above the peak means, as the first step says that has one. */
static void print_footnote(const struct chapter_page *page, FILE *file)
{
    for (int i = 0; i < page->step_count * page->run_count; i++) {
        if (!(result_number(page->results[i], "report.share") > 1))
            continue;
        fputs("<p class=\"dim\">(!) ", file);
        page_known(result_text(page->results[i], "report.limit"), file);
        fputs("</p>\n", file);
        return;
    }
}

void report_ladder(const struct chapter_page *page, FILE *file)
{
    struct ladder_columns columns = columns_of(page);

    fputs("<table class=\"ladder\">\n<thead><tr>", file);
    page_header(SAY_STEP, "text", file);
    if (columns.sizes)
        page_header(SAY_SIZE, NULL, file);
    if (columns.timed)
        print_bars_header(page, &columns.bars, file);
    else
        page_header(SAY_RESULT, NULL, file);
    for (int i = 0; i < FIGURES; i++)
        if (columns.figures[i])
            page_header(figures[i].name, NULL, file);
    if (columns.articles)
        page_header(SAY_IN_ARTICLE, "text", file);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_step_row(page, &columns, step, file);
    fputs("</tbody></table>\n", file);
    print_footnote(page, file);
    bars_free(&columns.bars);
}
