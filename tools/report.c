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
#include "why.h"

enum { CONTEXT = 3, MAX_STEPS = 256 };

static const char *const style_lines[] = {
#include "report.css.inc"
};

/* What is in a chapter of the page: its steps, and each one's result in every run. */
struct chapter_page {
    const char *name;
    const json_t **results; /* of the first run one a step, then of the second ...; NULL: none */
    int step_count, run_count;
};

static const json_t *result_at(const struct chapter_page *page, int run, int step)
{
    return page->results[run * page->step_count + step];
}

static const char *step_name(const struct chapter_page *page, int step)
{
    return result_text(result_at(page, 0, step), "step");
}

static struct chapter_page page_of(const json_t *const *runs, int run_count, const char *chapter)
{
    const json_t *steps = json_object_get(runs[0], "steps"), *result;
    struct chapter_page page = {.name = chapter, .run_count = run_count};
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

static const struct step *find_step(const struct manifest *manifest, const char *chapter,
                                    const char *name)
{
    for (int i = 0; i < manifest->step_count; i++)
        if (!strcmp(manifest->steps[i].chapter, chapter) && !strcmp(manifest->steps[i].name, name))
            return &manifest->steps[i];
    return NULL;
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
        char *conditions;

        if (!has_run(page, run))
            continue;
        conditions = ladder_conditions(page->results + (size_t)run * (size_t)page->step_count,
                                       page->step_count);
        fputs("<li>", file);
        print_letter(page, run, file);
        html_print(file, " %s</li>\n", conditions);
        free(conditions);
    }
    fputs("</ul>\n", file);
}

/* How many times as fast as the step before it in the same run; NaN where that says nothing. */
static double gain_of(const struct chapter_page *page, int run, int step)
{
    const json_t *result = result_at(page, run, step);
    const json_t *before = step > 0 ? result_at(page, run, step - 1) : NULL;

    if (!result || !before || !why_comparable(before, result))
        return NAN;
    return result_time(before) / result_time(result);
}

static void print_run(const struct chapter_page *page, const struct bars *bars, int run, int step,
                      FILE *file)
{
    const json_t *result = result_at(page, run, step);
    const double part = bars->parts[run * page->step_count + step];
    const double gain = gain_of(page, run, step);
    char *time = ladder_time(result), *number = text_number(gain);

    fputs("<div class=\"run\">", file);
    print_letter(page, run, file);
    fputs("<span class=\"track\">", file);
    if (!isnan(part))
        fprintf(file, "<span class=\"bar b%d\" style=\"width:%.1f%%\"></span>", run,
                fmax(0.5, 100 * part));
    html_print(file, "</span><span>%s</span>", time);
    if (isnan(gain))
        fputs("<span></span>", file);
    else
        html_print(file, "<span class=\"%s\">%s ×</span>", gain > 1.05 ? "good" : "dim", number);
    fputs("</div>\n", file);
    free(number);
    free(time);
}

/* One cell with a line for each run. */
static void print_cell(const struct chapter_page *page, int step, const char *label,
                       char *(*text_of)(const json_t *result), FILE *file)
{
    html_print(file, "<td data-label=\"%s\">", label);
    for (int run = 0; run < page->run_count; run++) {
        const json_t *result = result_at(page, run, step);
        char *text = result ? text_of(result) : copy_text("-");

        html_print(file, "%s", text);
        if (run + 1 < page->run_count)
            fputs("<br>", file);
        free(text);
    }
    fputs("</td>", file);
}

static char *share_text(const json_t *result)
{
    return ladder_percent(result_number(result, "report.share"));
}

/* Why a step is faster than the one before it, or why it has no time. */
static char *sentence_of(const struct chapter_page *page, int step)
{
    const json_t *result = result_at(page, 0, step);

    if (result_outcome(result) != OUTCOME_MATCH && *result_text(result, "why"))
        return text_format("%s: %s", result_text(result, "outcome"), result_text(result, "why"));
    return step > 0 ? why_sentence(result_at(page, 0, step - 1), result) : copy_text("");
}

static bool has_articles(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (*result_text(result_at(page, 0, step), "article"))
            return true;
    return false;
}

static void print_step_row(const struct chapter_page *page, const struct bars *bars, int step,
                           FILE *file)
{
    const json_t *result = result_at(page, 0, step);
    const char *article = result_text(result, "article");
    char *sentence = sentence_of(page, step);

    html_print(file,
               "<tr><th scope=\"row\"><a href=\"#%s-%s\">%s</a><div class=\"what\">%s</div>"
               "</th>\n<td class=\"bars\">",
               page->name, step_name(page, step), step_name(page, step),
               result_text(result, "title"));
    for (int run = 0; run < page->run_count; run++)
        print_run(page, bars, run, step, file);
    fputs("</td>\n", file);
    print_cell(page, step, "rate", ladder_rate, file);
    print_cell(page, step, "of peak", share_text, file);
    if (has_articles(page))
        html_print(file, "<td class=\"text\" data-label=\"in the article\">%s</td>",
                   *article ? article : "no figure");
    fputs("</tr>\n", file);
    if (*sentence)
        html_print(file, "<tr class=\"why\"><td colspan=\"5\">%s</td></tr>\n", sentence);
    free(sentence);
}

static const char *bars_name(const struct bars *bars)
{
    if (bars->rates)
        return bars->logarithmic ? "rate (log scale), time" : "rate, time";
    return bars->logarithmic ? "time (log scale)" : "time";
}

static void print_ladder(const struct chapter_page *page, FILE *file)
{
    struct bars bars = bars_of(page->results, page->step_count * page->run_count);

    html_print(file,
               "<table class=\"ladder\">\n<thead><tr><th class=\"text\">step</th>"
               "<th>%s, × before</th><th>rate</th><th>of peak</th>",
               bars_name(&bars));
    if (has_articles(page))
        fputs("<th class=\"text\">in the article</th>", file);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_step_row(page, &bars, step, file);
    fputs("</tbody></table>\n", file);
    bars_free(&bars);
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
    html_print(file, "<td>%s</td><td class=\"text\">%s</td></tr>\n", occupancy,
               result_bound(result));
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
    fputs("<h3>What was counted ", file);
    print_letter(page, run, file);
    html_print(file,
               "</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
               "aria-label=\"counters of %s\"><table class=\"counters\">\n<thead><tr>"
               "<th class=\"text\">step</th>",
               page->name);
    for (int i = 0; i < COUNTED; i++)
        html_print(file, "<th>%s</th>",
                   counted[i].key ? counter_name(counted[i].key)
                                  : result_ratios[counted[i].ratio].name);
    fputs("<th>occupancy</th><th class=\"text\">bound by</th></tr></thead>\n<tbody>\n", file);
    for (int step = 0; step < page->step_count; step++)
        if (is_counted(page, run, step))
            print_counts(page, run, step, file);
    fputs("</tbody></table></div>\n", file);
}

/* --- Experiments ------------------------------------------------------------------------------ */

static void print_variant(const json_t *report, FILE *file)
{
    const double ms = result_number(report, "ms.median"), rate = result_number(report, "rate");
    const json_t *value;
    const char *name, *between = "";
    char *time = text_time(ms * 1e-3), *number = text_number(rate);

    html_print(file,
               "<tr><th scope=\"row\">%s<div class=\"what\">%s</div></th>"
               "<td data-label=\"time\">%s</td><td data-label=\"rate\">%s %s</td>"
               "<td class=\"text\" data-label=\"counted\">",
               result_text(report, "variant"), result_text(report, "what"), time, number,
               isnan(rate) ? "" : result_text(report, "unit"));
    json_object_foreach(json_object_get(report, "counted"), name, value)
    {
        char *count = text_count(json_number_value(value));

        html_print(file, "%s%s: %s", between, name, count);
        between = ", ";
        free(count);
    }
    html_print(file, "</td><td class=\"text\" data-label=\"in the article\">%s</td></tr>\n",
               result_text(report, "source"));
    free(number);
    free(time);
}

static void print_experiment(const struct chapter_page *page, int step, FILE *file)
{
    for (int run = 0; run < page->run_count; run++) {
        const json_t *result = result_at(page, run, step), *report;
        char *device;
        size_t i;

        if (!result || !experiment_is(result))
            continue;
        device = ladder_device(result);
        fputs("<p>", file);
        print_letter(page, run, file);
        html_print(file,
                   " %s</p>\n<table class=\"ladder\"><thead><tr><th class=\"text\">variant</th>"
                   "<th>time</th><th>rate</th><th class=\"text\">counted</th>"
                   "<th class=\"text\">in the article</th></tr></thead>\n<tbody>\n",
                   device ? device : "no device answered");
        json_array_foreach(json_object_get(result, "variants"), i, report)
            print_variant(report, file);
        fputs("</tbody></table>\n", file);
        free(device);
    }
}

static bool are_experiments(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (experiment_is(result_at(page, 0, step)))
            return true;
    return false;
}

/* --- Sources ---------------------------------------------------------------------------------- */

static void print_source(const char *path, FILE *file)
{
    char *text = changes_text(path), *line = text;

    if (!text)
        return;
    fputs("<h4>Source</h4>\n<pre tabindex=\"0\">", file);
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
    html_print(file, "<h4>What changed since %s</h4>\n<pre tabindex=\"0\">", before);
    for (int i = 0; i < changes.count; i++)
        print_change(&changes.list[i], file);
    fputs("</pre>\n", file);
    changes_free(&changes);
}

static void print_step(const struct chapter_page *page, const struct manifest *manifest,
                       const char *checkout, int index, FILE *file)
{
    const struct step *step = find_step(manifest, page->name, step_name(page, index));
    const struct step *before =
        index > 0 ? find_step(manifest, page->name, step_name(page, index - 1)) : NULL;
    char *path, *old_path, *sentence;

    html_print(file,
               "<details><summary>%s <span class=\"what\">%s</span></summary>\n"
               "<div id=\"%s-%s\">\n", /* inside: a link to it opens the details */
               step_name(page, index), result_text(result_at(page, 0, index), "title"), page->name,
               step_name(page, index));
    print_experiment(page, index, file);
    if (step) {
        path = text_format("%s/%s", checkout, step->source);
        if (before && !are_experiments(page)) {
            sentence = sentence_of(page, index);
            old_path = text_format("%s/%s", checkout, before->source);
            html_print(file, "<p>%s</p>\n", sentence);
            print_changes(old_path, path, before->name, file);
            free(old_path);
            free(sentence);
        }
        print_source(path, file);
        free(path);
    }
    fputs("</details>\n", file);
}

/* --- The page --------------------------------------------------------------------------------- */

static void print_chapter(const struct chapter_page *page, const struct manifest *manifest,
                          const char *checkout, FILE *file)
{
    html_print(file, "<section id=\"%s\">\n<h2>%s: %s</h2>\n", page->name, page->name,
               manifest_title(manifest, page->name));
    if (!are_experiments(page)) {
        print_runs(page, file);
        print_ladder(page, file);
        roofline_print(page->results, page->step_count, page->run_count, file);
        for (int run = 0; run < page->run_count; run++)
            print_counters(page, run, file);
    }
    fputs("<h3>The steps</h3>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_step(page, manifest, checkout, step, file);
    fputs("</section>\n", file);
}

static void print_head(FILE *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n"
          "<title>CUDA, step by step: the ladder</title>\n<style>\n",
          file);
    for (size_t i = 0; i < sizeof(style_lines) / sizeof(style_lines[0]); i++)
        fputs(style_lines[i], file);
    fputs("</style>\n</head>\n<body>\n<header><h1>CUDA, step by step: the ladder</h1></header>\n",
          file);
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
                           FILE *file)
{
    if (count < 2)
        return;
    fputs("<nav aria-label=\"chapters\"><ul>\n", file);
    for (int i = 0; i < count; i++)
        html_print(file, "<li><a href=\"#%s\">%s</a></li>\n", chapters[i],
                   manifest_title(manifest, chapters[i]));
    fputs("</ul></nav>\n", file);
}

static void print_page(const json_t *const *runs, int run_count, const struct manifest *manifest,
                       const char *checkout, FILE *file)
{
    const char *chapters[MAX_STEPS];
    const int count = chapters_of(runs[0], chapters);

    print_head(file);
    print_contents(chapters, count, manifest, file);
    fputs("<main>\n", file);
    for (int i = 0; i < count; i++) {
        struct chapter_page page = page_of(runs, run_count, chapters[i]);

        print_chapter(&page, manifest, checkout, file);
        free(page.results);
    }
    fputs("</main>\n<footer>Written by ./tour --html. “×” is how many times as fast as the "
          "step before. Times of an emulated GPU come from a model; what was counted is exact for "
          "the "
          "PTX.</footer>\n</body>\n</html>\n",
          file);
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
