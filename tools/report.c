/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "changes.h"
#include "experiment.h"
#include "html.h"
#include "ladder.h"
#include "results.h"
#include "roofline.h"
#include "text.h"
#include "titles.h"
#include "why.h"
#include "words.h"

enum { CONTEXT = 3, MAX_STEPS = 256 };

static const char *const style_lines[] = {
#include "report.css.inc"
};

#include "report.js.inc" /* script, SCRIPT_HASH */

/* What is in a chapter of the page: its steps, and each one's result in every run. */
struct chapter_page {
    const char *name;
    const json_t **results; /* of the first run one a step, then of the second ...; NULL: none */
    int step_count, run_count;
    const struct manifest *manifest;
    const char *checkout;
};

/* --- Two languages ---------------------------------------------------------------------------- */

/* What is said in English and in Chinese, of which the style shows one; both are used up. */
static void print_both(char *english, char *chinese, FILE *file)
{
    if (strcmp(english, chinese) != 0)
        html_print(file, "<span lang=\"en\">%s</span><span lang=\"zh-CN\">%s</span>", english,
                   chinese);
    else
        html_print(file, "%s", english);
    free(english);
    free(chinese);
}

static void print_phrase(enum phrase phrase, FILE *file)
{
    print_both(copy_text(phrase_text(LANGUAGE_ENGLISH, phrase)),
               copy_text(phrase_text(LANGUAGE_CHINESE, phrase)), file);
}

/* What is an English phrase of the table; other text as it is. */
static void print_known(const char *english, FILE *file)
{
    print_both(copy_text(english), copy_text(word_for(LANGUAGE_CHINESE, english)), file);
}

/* The same of a variant: what it does, or what its article says. */
static void print_of_variant(const char *english, FILE *file)
{
    print_both(copy_text(english), copy_text(word_for_variant(LANGUAGE_CHINESE, english)), file);
}

/* A header of a table; `class` NULL: that of numbers. */
static void print_header(enum phrase phrase, const char *class, FILE *file)
{
    if (class)
        html_print(file, "<th class=\"%s\">", class);
    else
        fputs("<th>", file);
    print_phrase(phrase, file);
    fputs("</th>", file);
}

/* The begin of a cell, which has its header before it where the screen is narrow. */
static void print_cell_start(enum phrase label, const char *class, FILE *file)
{
    html_print(file, "<td class=\"%s\" data-en=\"%s\" data-zh=\"%s\">", class,
               phrase_text(LANGUAGE_ENGLISH, label), phrase_text(LANGUAGE_CHINESE, label));
}

/* --- The chapter ------------------------------------------------------------------------------ */

static const json_t *result_at(const struct chapter_page *page, int run, int step)
{
    return page->results[run * page->step_count + step];
}

/* The result of the first run in which a step tried its variants, or NULL. */
static const json_t *tried(const struct chapter_page *page, int step)
{
    for (int run = 0; run < page->run_count; run++)
        if (experiment_is(result_at(page, run, step)))
            return result_at(page, run, step);
    return NULL;
}

static const char *step_name(const struct chapter_page *page, int step)
{
    return result_text(result_at(page, 0, step), "step");
}

static struct chapter_page page_of(const json_t *const *runs, int run_count, const char *chapter,
                                   const struct manifest *manifest, const char *checkout)
{
    const json_t *steps = json_object_get(runs[0], "steps"), *result;
    struct chapter_page page = {
        .name = chapter, .run_count = run_count, .manifest = manifest, .checkout = checkout};
    const json_t *first[MAX_STEPS];
    size_t i;

    json_array_foreach(steps, i, result)
        if (!strcmp(result_text(result, "chapter"), chapter) && page.step_count < MAX_STEPS)
            first[page.step_count++] = result;
    page.results = allocate((size_t)page.step_count * (size_t)run_count * sizeof(*page.results));
    for (int step = 0; step < page.step_count; step++)
        for (int run = 0; run < run_count; run++)
            page.results[run * page.step_count + step] =
                run == 0 ? first[step]
                         : results_find(runs[run], chapter, result_text(first[step], "step"));
    return page;
}

static void print_chapter_title(const char *chapter, const struct manifest *manifest,
                                const char *checkout, FILE *file)
{
    print_both(title_of_chapter(manifest, checkout, chapter, LANGUAGE_ENGLISH),
               title_of_chapter(manifest, checkout, chapter, LANGUAGE_CHINESE), file);
}

static void print_step_title(const struct chapter_page *page, int step, FILE *file)
{
    const json_t *result = result_at(page, 0, step);

    print_both(title_of_step(page->manifest, page->checkout, result, LANGUAGE_ENGLISH),
               title_of_step(page->manifest, page->checkout, result, LANGUAGE_CHINESE), file);
}

/* --- The ladder ------------------------------------------------------------------------------- */

static void print_letter(const struct chapter_page *page, int run, FILE *file)
{
    if (page->run_count > 1)
        fprintf(file, "<span class=\"letter b%d\">%c</span>", run, 'A' + run);
    else
        fputs("<span></span>", file);
}

static bool has_run(const struct chapter_page *page, int run)
{
    for (int step = 0; step < page->step_count; step++)
        if (result_at(page, run, step))
            return true;
    return false;
}

/* What each run ran on. */
static void print_runs(const struct chapter_page *page, FILE *file)
{
    fputs("<ul class=\"runs\">\n", file);
    for (int run = 0; run < page->run_count; run++) {
        const json_t **results = page->results + (size_t)run * (size_t)page->step_count;

        if (!has_run(page, run))
            continue;
        fputs("<li>", file);
        print_letter(page, run, file);
        fputc(' ', file);
        print_both(ladder_conditions(results, page->step_count, LANGUAGE_ENGLISH),
                   ladder_conditions(results, page->step_count, LANGUAGE_CHINESE), file);
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
}

/* How many times as fast a step is as another one in the same run; NaN where that says nothing. */
static double gain_of(const struct chapter_page *page, int run, int from, int to)
{
    const json_t *result = result_at(page, run, to);
    const json_t *before = from >= 0 && from != to ? result_at(page, run, from) : NULL;

    if (!result || !before || !why_comparable(before, result))
        return NAN;
    return result_time(before) / result_time(result);
}

/* The first step of a run that was timed, or -1. */
static int first_timed(const struct chapter_page *page, int run)
{
    for (int step = 0; step < page->step_count; step++)
        if (result_at(page, run, step) && !isnan(result_time(result_at(page, run, step))))
            return step;
    return -1;
}

static bool is_timed(const struct chapter_page *page)
{
    for (int run = 0; run < page->run_count; run++)
        if (first_timed(page, run) >= 0)
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
    char *time = ladder_time(result_at(page, run, step));

    fputs("<div class=\"run\">", file);
    print_letter(page, run, file);
    fputs("<span class=\"track\">", file);
    if (!isnan(part))
        fprintf(file, "<span class=\"bar b%d\" style=\"width:%.1f%%\"></span>", run,
                fmax(0.5, 100 * part));
    fputs("</span><span>", file);
    print_known(time, file);
    fputs("</span>", file);
    print_gain(gain_of(page, run, first_timed(page, run), step), file);
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
        const json_t *result = result_at(page, run, step);

        texts[run] = result ? text_of(result) : copy_text("-");
        same = same && !strcmp(texts[run], texts[0]);
    }
    print_cell_start(label, same && !strcmp(texts[0], "-") ? "none" : "", file);
    for (int run = 0; run < page->run_count; run++) {
        if (run == 0 || !same) {
            fputs("<span class=\"line\">", file);
            print_known(texts[run], file);
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

/* How a result that is no match came about. To be freed. */
static char *outcome_sentence(const json_t *result, enum language language)
{
    return say(language, SAY_OUTCOME, word_for(language, result_text(result, "outcome")),
               word_for(language, result_text(result, "why")));
}

/* Why a step is faster than the one before it, or why it has no time; a reason that the next step
 * has too stands there. */
static char *sentence_of(const struct chapter_page *page, int step, enum language language)
{
    const json_t *result = result_at(page, 0, step);
    const json_t *next = step + 1 < page->step_count ? result_at(page, 0, step + 1) : NULL;

    if (next && *result_text(result, "why") &&
        !strcmp(result_text(result, "why"), result_text(next, "why")))
        return copy_text("");
    if (result_outcome(result) != OUTCOME_MATCH && *result_text(result, "why"))
        return outcome_sentence(result, language);
    return step > 0 ? why_sentence(result_at(page, 0, step - 1), result, language) : copy_text("");
}

static void print_sentence(const struct chapter_page *page, int step, FILE *file)
{
    print_both(sentence_of(page, step, LANGUAGE_ENGLISH), sentence_of(page, step, LANGUAGE_CHINESE),
               file);
}

static bool has_articles(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (*result_text(result_at(page, 0, step), "article"))
            return true;
    return false;
}

static void print_article(const json_t *result, FILE *file)
{
    const char *article = result_text(result, "article");

    print_cell_start(SAY_IN_ARTICLE, *article ? "text" : "text dim", file);
    if (*article)
        html_print(file, "%s", article);
    else
        print_phrase(SAY_NO_FIGURE, file);
    fputs("</td>", file);
}

static bool has_sentence(const struct chapter_page *page, int step)
{
    char *sentence = sentence_of(page, step, LANGUAGE_ENGLISH);
    const bool any = *sentence;

    free(sentence);
    return any;
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

static void print_step_row(const struct chapter_page *page, const struct ladder_columns *columns,
                           int step, FILE *file)
{
    html_print(file, "<tr><th scope=\"row\"><a href=\"#%s-%s\">%s</a><div class=\"what\">",
               page->name, step_name(page, step), step_name(page, step));
    print_step_title(page, step, file);
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
        print_article(result_at(page, 0, step), file);
    fputs("</tr>\n", file);
    if (!has_sentence(page, step))
        return;
    fputs("<tr class=\"why\"><td colspan=\"9\">", file);
    print_sentence(page, step, file);
    fputs("</td></tr>\n", file);
}

/* What the bars show: "time (log scale)". To be freed. */
static char *bars_name(const struct bars *bars, enum language language)
{
    const char *name = phrase_text(language, bars->rates ? SAY_RATE : SAY_TIME);

    return bars->logarithmic ? say(language, SAY_LOG_SCALE, name) : copy_text(name);
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
    print_both(bars_name(bars, LANGUAGE_ENGLISH), bars_name(bars, LANGUAGE_CHINESE), file);
    fputs("</span>", file);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        fputs("<span>", file);
        print_phrase(times[i], file);
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
        print_known(result_text(page->results[i], "report.limit"), file);
        fputs("</p>\n", file);
        return;
    }
}

static void print_ladder(const struct chapter_page *page, FILE *file)
{
    struct ladder_columns columns = columns_of(page);

    fputs("<table class=\"ladder\">\n<thead><tr>", file);
    print_header(SAY_STEP, "text", file);
    if (columns.sizes)
        print_header(SAY_SIZE, NULL, file);
    if (columns.timed)
        print_bars_header(page, &columns.bars, file);
    else
        print_header(SAY_RESULT, NULL, file);
    for (int i = 0; i < FIGURES; i++)
        if (columns.figures[i])
            print_header(figures[i].name, NULL, file);
    if (columns.articles)
        print_header(SAY_IN_ARTICLE, "text", file);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_step_row(page, &columns, step, file);
    fputs("</tbody></table>\n", file);
    print_footnote(page, file);
    bars_free(&columns.bars);
}

/* --- Counters --------------------------------------------------------------------------------- */

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
    const json_t *result = result_at(page, run, step);
    char *occupancy = ladder_percent(result_occupancy(result));

    html_print(file, "<tr data-step=\"%s/%s\" data-run=\"%d\"><th scope=\"row\">%s</th>",
               page->name, step_name(page, step), run, step_name(page, step));
    for (int i = 0; i < COUNTED; i++)
        print_count(&counted[i], result, file);
    html_print(file, "<td>%s</td><td class=\"text\">", occupancy);
    print_both(copy_text(result_bound(result)),
               copy_text(word_for_limit(LANGUAGE_CHINESE, result_bound(result))), file);
    fputs("</td></tr>\n", file);
    free(occupancy);
}

static bool is_counted(const struct chapter_page *page, int run, int step)
{
    const json_t *result = result_at(page, run, step);

    return result && result_counter(result, "warp_instructions") > 0;
}

static void print_counters(const struct chapter_page *page, int run, FILE *file)
{
    int rows = 0;

    for (int step = 0; step < page->step_count; step++)
        rows += is_counted(page, run, step);
    if (rows == 0)
        return;
    html_print(file, "<h3 id=\"%s-counters%d\">", page->name, run);
    print_phrase(SAY_COUNTED, file);
    fputc(' ', file);
    print_letter(page, run, file);
    html_print(file,
               "</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
               "aria-labelledby=\"%s-counters%d\"><table class=\"counters\">\n<thead><tr>",
               page->name, run);
    print_header(SAY_STEP, "text", file);
    for (int i = 0; i < COUNTED; i++) {
        fputs("<th>", file);
        print_known(counted[i].key ? counter_name(counted[i].key)
                                   : result_ratios[counted[i].ratio].name,
                    file);
        fputs("</th>", file);
    }
    print_header(SAY_OCCUPANCY, NULL, file);
    print_header(SAY_BOUND_BY, "text", file);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int step = 0; step < page->step_count; step++)
        if (is_counted(page, run, step))
            print_counts(page, run, step, file);
    fputs("</tbody></table></div>\n", file);
}

/* --- Experiments ------------------------------------------------------------------------------ */

/* Prints, as HTML, what one run has of a variant. */
typedef void print_part(const json_t *report, FILE *file);

static void print_time(const json_t *report, FILE *file)
{
    const double ms = result_number(report, "ms.median");
    char *time = text_time(ms * 1e-3);

    if (strcmp(result_text(report, "verdict"), "match") != 0)
        print_known(result_text(report, "verdict"), file);
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
        html_print(file, "%s", result_text(report, "figure"));
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
        print_known(name, file);
        html_print(file, ": %s", count);
        between = ", ";
        free(count);
    }
}

static void print_reported(const json_t *report, FILE *file)
{
    print_of_variant(result_text(report, "source"), file);
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
        json_array_foreach(json_object_get(result_at(page, run, step), "variants"), i, report) {
            char *text = part_text(part, report);

            any = any || *text;
            free(text);
        }
    return any;
}

static void print_part_of_runs(const struct chapter_page *page, int step, const char *variant,
                               int part, FILE *file)
{
    const int runs = parts[part].once ? 1 : page->run_count;

    print_cell_start(parts[part].name, parts[part].text ? "text" : "", file);
    for (int run = 0; run < runs; run++) {
        const json_t *result = parts[part].once ? tried(page, step) : result_at(page, run, step);
        char *text = part_text(part, find_variant(result, variant));

        if (*text) {
            fputs("<span class=\"line\">", file);
            if (runs > 1) {
                print_letter(page, run, file);
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
static void print_variants(const struct chapter_page *page, int step, FILE *file)
{
    const json_t *result = tried(page, step), *report;
    bool shown[PARTS];
    size_t k;

    fputs("<table class=\"ladder\"><thead><tr>", file);
    print_header(SAY_VARIANT, "text", file);
    for (int i = 0; i < PARTS; i++) {
        shown[i] = has_part(page, step, i);
        if (shown[i] && parts[i].name == SAY_FIGURE && *figure_name(result)) {
            fputs("<th>", file);
            print_known(figure_name(result), file);
            fputs("</th>", file);
        } else if (shown[i])
            print_header(parts[i].name, parts[i].text ? "text" : NULL, file);
    }
    fputs("</tr></thead>\n<tbody>\n", file);
    json_array_foreach(json_object_get(result, "variants"), k, report) {
        html_print(file, "<tr><th scope=\"row\">%s<div class=\"what\">",
                   result_text(report, "variant"));
        print_of_variant(result_text(report, "what"), file);
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
               : outcome_sentence(result, language);
}

/* Where it ran, in each run. */
static void print_places(const struct chapter_page *page, int step, FILE *file)
{
    fputs("<ul class=\"runs\">\n", file);
    for (int run = 0; run < page->run_count; run++) {
        const json_t *result = result_at(page, run, step);

        if (!result)
            continue;
        fputs("<li>", file);
        print_letter(page, run, file);
        fputc(' ', file);
        print_both(place_of(result, LANGUAGE_ENGLISH), place_of(result, LANGUAGE_CHINESE), file);
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
}

static bool are_experiments(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (tried(page, step))
            return true;
    return false;
}

/* --- Sources ---------------------------------------------------------------------------------- */

static void print_source(const char *path, FILE *file)
{
    char *text = changes_text(path), *line = text;

    if (!text)
        return;
    fputs("<pre tabindex=\"0\">", file);
    for (int number = 1; *line; number++) {
        char *end = line + strcspn(line, "\n");
        const bool more = *end != '\0';

        *end = '\0';
        fprintf(file, "<span class=\"number\">%4d  </span>", number);
        html_print(file, "%s\n", line);
        line = more ? end + 1 : end;
    }
    fputs("</pre>\n", file);
    free(text);
}

static void print_change(const struct change *change, FILE *file)
{
    static const struct {
        const char *mark, *class;
    } kinds[] = {[CHANGE_SAME] = {" ", "same"},
                 [CHANGE_GONE] = {"-", "gone"},
                 [CHANGE_NEW] = {"+", "new"},
                 [CHANGE_SKIPPED] = {"", ""}};

    if (change->kind == CHANGE_SKIPPED)
        fputs("<span class=\"dim\">  …</span>\n", file);
    else
        html_print(file, "<span class=\"%s\">%s %s</span>\n", kinds[change->kind].class,
                   kinds[change->kind].mark, change->line);
}

static void print_changes(const char *old_path, const char *new_path, const char *before,
                          FILE *file)
{
    struct changes changes;

    if (!changes_read(old_path, new_path, CONTEXT, &changes))
        return;
    fputs("<h4>", file);
    print_both(say(LANGUAGE_ENGLISH, SAY_CHANGED_SINCE, before),
               say(LANGUAGE_CHINESE, SAY_CHANGED_SINCE, before), file);
    fputs("</h4>\n<pre tabindex=\"0\">", file);
    for (int i = 0; i < changes.count; i++)
        print_change(&changes.list[i], file);
    fputs("</pre>\n", file);
    changes_free(&changes);
}

static const struct step *step_of(const struct chapter_page *page, int step)
{
    return step < 0 ? NULL : manifest_step(page->manifest, page->name, step_name(page, step));
}

/* What changed in a step, and its source. */
static void print_code(const struct chapter_page *page, int index, FILE *file)
{
    const struct step *step = step_of(page, index), *before = step_of(page, index - 1);
    char *path, *old_path;

    if (!step)
        return;
    path = text_format("%s/%s", page->checkout, step->source);
    if (before && !are_experiments(page)) {
        old_path = text_format("%s/%s", page->checkout, before->source);
        if (has_sentence(page, index)) {
            fputs("<p>", file);
            print_sentence(page, index, file);
            fputs("</p>\n", file);
        }
        print_changes(old_path, path, before->name, file);
        free(old_path);
    }
    if (!are_experiments(page)) {
        fputs("<h4>", file);
        print_phrase(SAY_SOURCE, file);
        fputs("</h4>\n", file);
    }
    print_source(path, file);
    free(path);
}

static void print_step(const struct chapter_page *page, int index, FILE *file)
{
    html_print(file, "<details><summary>%s <span class=\"what\">", step_name(page, index));
    print_step_title(page, index, file);
    html_print(file, "</span></summary>\n<div id=\"%s-%s\">\n", /* a link to it opens the details */
               page->name, step_name(page, index));
    print_code(page, index, file);
    fputs("</div></details>\n", file);
}

/* A step that tries one thing in several ways, or why it did not. */
static void print_experiment(const struct chapter_page *page, int index, FILE *file)
{
    html_print(file, "<h3 id=\"%s-%s\">%s <span class=\"what\">", page->name,
               step_name(page, index), step_name(page, index));
    print_step_title(page, index, file);
    fputs("</span></h3>\n", file);
    if (tried(page, index)) {
        print_places(page, index, file);
        print_variants(page, index, file);
    } else {
        fputs("<p>", file);
        print_sentence(page, index, file);
        fputs("</p>\n", file);
    }
    fputs("<details><summary>", file);
    print_phrase(SAY_SOURCE, file);
    fputs("</summary>\n", file);
    print_code(page, index, file);
    fputs("</details>\n", file);
}

/* The experiments of a chapter, as tables; each with its source. */
static void print_experiments(const struct chapter_page *page, FILE *file)
{
    fputs("<nav><ul>\n", file);
    for (int step = 0; step < page->step_count; step++) {
        html_print(file, "<li><a href=\"#%s-%s\">", page->name, step_name(page, step));
        print_step_title(page, step, file);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_experiment(page, step, file);
}

static void print_steps(const struct chapter_page *page, FILE *file)
{
    print_runs(page, file);
    print_ladder(page, file);
    roofline_print(page->results, page->step_count, page->run_count, file);
    for (int run = 0; run < page->run_count; run++)
        print_counters(page, run, file);
    fputs("<h3>", file);
    print_phrase(SAY_STEPS, file);
    fputs("</h3>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_step(page, step, file);
}

/* --- The page --------------------------------------------------------------------------------- */

static void print_chapter(const struct chapter_page *page, FILE *file)
{
    html_print(file, "<section id=\"%s\">\n<h2>%s: ", page->name, page->name);
    print_chapter_title(page->name, page->manifest, page->checkout, file);
    fputs("</h2>\n", file);
    if (are_experiments(page))
        print_experiments(page, file);
    else
        print_steps(page, file);
    fputs("</section>\n", file);
}

static void print_head(FILE *file)
{
    html_print(file,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "style-src 'unsafe-inline'; script-src 'sha256-" SCRIPT_HASH "'\">\n"
               "<title>%s</title>\n<style>\n",
               phrase_text(LANGUAGE_ENGLISH, SAY_TITLE));
    for (size_t i = 0; i < sizeof(style_lines) / sizeof(style_lines[0]); i++)
        fputs(style_lines[i], file);
    fputs("</style>\n</head>\n<body>\n<header><h1>", file);
    print_phrase(SAY_TITLE, file);
    fputs("</h1><button id=\"language\" type=\"button\" hidden></button></header>\n<script>", file);
    fputs(script, file);
    fputs("</script>\n", file);
}

static int chapters_of(const json_t *results, const char *chapters[MAX_STEPS])
{
    const json_t *result;
    int count = 0;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result) {
        const char *chapter = result_text(result, "chapter");
        bool known = count == MAX_STEPS;

        for (int k = 0; k < count; k++)
            known = known || !strcmp(chapters[k], chapter);
        if (!known)
            chapters[count++] = chapter;
    }
    return count;
}

static void print_contents(const char *const *chapters, int count, const struct manifest *manifest,
                           const char *checkout, FILE *file)
{
    if (count < 2)
        return;
    fputs("<nav><ul>\n", file);
    for (int i = 0; i < count; i++) {
        html_print(file, "<li><a href=\"#%s\">", chapters[i]);
        print_chapter_title(chapters[i], manifest, checkout, file);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n", file);
}

static void print_page(const json_t *const *runs, int run_count, const struct manifest *manifest,
                       const char *checkout, FILE *file)
{
    const char *chapters[MAX_STEPS];
    const int count = chapters_of(runs[0], chapters);

    print_head(file);
    print_contents(chapters, count, manifest, checkout, file);
    fputs("<main>\n", file);
    for (int i = 0; i < count; i++) {
        struct chapter_page page = page_of(runs, run_count, chapters[i], manifest, checkout);

        print_chapter(&page, file);
        free(page.results);
    }
    fputs("</main>\n<footer>", file);
    print_phrase(SAY_FOOTER, file);
    fputs("</footer>\n</body>\n</html>\n", file);
}

bool report_write(const char *path, const json_t *const *runs, int run_count,
                  const struct manifest *manifest, const char *checkout)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool ok;

    if (!file) {
        complain("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    print_page(runs, run_count, manifest, checkout, file);
    fclose(file);
    ok = results_replace_file(path, text, size);
    free(text);
    return ok;
}
