/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "html.h"
#include "results.h"
#include "text.h"
#include "titles.h"
#include "why.h"

/* --- Two languages ---------------------------------------------------------------------------- */

char *page_both(const char *english, const char *chinese)
{
    return strcmp(english, chinese) != 0
               ? html_format("<span lang=\"en\">%s</span><span lang=\"zh-CN\">%s</span>", english,
                             chinese)
               : html_format("%s", english);
}

char *page_phrase(enum phrase phrase)
{
    return page_both(phrase_text(LANGUAGE_ENGLISH, phrase), phrase_text(LANGUAGE_CHINESE, phrase));
}

char *page_known(const char *english)
{
    return page_both(english, word_for(LANGUAGE_CHINESE, english));
}

char *page_cell(const char *english)
{
    return page_both(english, words_for_cell(LANGUAGE_CHINESE, english));
}

char *page_header(const char *html, const char *class)
{
    return *class ? html_format("<th class=\"%s\">%h</th>", class, html)
                  : html_format("<th>%h</th>", html);
}

char *page_cell_start(enum phrase label, const char *class)
{
    return html_format("<td class=\"%s\" data-en=\"%s\" data-zh=\"%s\">", class,
                       phrase_text(LANGUAGE_ENGLISH, label), phrase_text(LANGUAGE_CHINESE, label));
}

/* --- The chapter ------------------------------------------------------------------------------ */

struct rungs page_run(const struct chapter_page *page, int run)
{
    return (struct rungs){page->name, page->results + run * page->step_count, page->step_count};
}

struct rungs page_runs(const struct chapter_page *page)
{
    return (struct rungs){page->name, page->results, page->step_count * page->run_count};
}

const json_t *page_result(const struct chapter_page *page, int run, int step)
{
    return page->results[run * page->step_count + step];
}

const json_t *page_tried(const struct chapter_page *page, int step)
{
    for (int run = 0; run < page->run_count; run++)
        if (experiment_is(page_result(page, run, step)))
            return page_result(page, run, step);
    return NULL;
}

const char *page_step_name(const struct chapter_page *page, int step)
{
    return result_text(page_result(page, 0, step), "step");
}

struct chapter_page page_new(const json_t *const *runs, int run_count, const char *chapter,
                             const struct manifest *manifest, const char *checkout)
{
    const json_t *steps = json_object_get(runs[0], "steps"), *result;
    struct chapter_page page = {
        .name = chapter, .run_count = run_count, .manifest = manifest, .checkout = checkout};
    const json_t *first[PAGE_MAX_STEPS];
    size_t i;

    json_array_foreach(steps, i, result)
        if (!strcmp(result_text(result, "chapter"), chapter) && page.step_count < PAGE_MAX_STEPS)
            first[page.step_count++] = result;
    page.results = allocate((size_t)page.step_count * (size_t)run_count * sizeof(*page.results));
    for (int step = 0; step < page.step_count; step++)
        for (int run = 0; run < run_count; run++)
            page.results[run * page.step_count + step] =
                run == 0 ? first[step]
                         : results_find(runs[run], chapter, result_text(first[step], "step"));
    return page;
}

char *page_chapter_title(const char *chapter, const struct manifest *manifest, const char *checkout)
{
    return page_both(title_of_chapter(manifest, checkout, chapter, LANGUAGE_ENGLISH),
                     title_of_chapter(manifest, checkout, chapter, LANGUAGE_CHINESE));
}

char *page_step_title(const struct chapter_page *page, int step)
{
    const json_t *result = page_result(page, 0, step);

    return page_both(title_of_step(page->manifest, page->checkout, result, LANGUAGE_ENGLISH),
                     title_of_step(page->manifest, page->checkout, result, LANGUAGE_CHINESE));
}

bool page_has_experiments(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (page_tried(page, step))
            return true;
    return false;
}

char *page_letter(const struct chapter_page *page, int run)
{
    return page->run_count > 1 ? text_format("<span class=\"letter b%d\">%c</span>", run, 'A' + run)
                               : copy_text("<span></span>");
}

/* --- Sentences -------------------------------------------------------------------------------- */

/* How a result that is no match came about. */
static char *outcome_of(const json_t *result, enum language language)
{
    return say(language, SAY_OUTCOME, word_for(language, result_text(result, "outcome")),
               word_for(language, result_text(result, "why")));
}

/* A reason that the next step has too stands there. */
static char *sentence_of(const struct chapter_page *page, int step, enum language language)
{
    const json_t *result = page_result(page, 0, step);
    const json_t *next = step + 1 < page->step_count ? page_result(page, 0, step + 1) : NULL;

    if (next && *result_text(result, "why") &&
        !strcmp(result_text(result, "why"), result_text(next, "why")))
        return copy_text("");
    if (result_outcome(result) != OUTCOME_MATCH && *result_text(result, "why"))
        return outcome_of(result, language);
    return step > 0 ? why_sentence(page_result(page, 0, step - 1), result, language)
                    : copy_text("");
}

char *page_sentence(const struct chapter_page *page, int step)
{
    return page_both(sentence_of(page, step, LANGUAGE_ENGLISH),
                     sentence_of(page, step, LANGUAGE_CHINESE));
}

static char *place_of(const struct chapter_page *page, struct rungs rungs, enum language language)
{
    return page_has_experiments(page) && !experiment_is(rungs.results[0]) &&
                   *result_text(rungs.results[0], "why")
               ? outcome_of(rungs.results[0], language)
               : ladder_conditions(rungs, language);
}

void report_places(const struct chapter_page *page, int step, int count, FILE *file)
{
    fputs("<ul class=\"runs\">\n", file);
    for (int run = 0; run < page->run_count; run++) {
        const struct rungs rungs = {page->name, page_run(page, run).results + step, count};
        bool any = false;

        for (int i = 0; i < count; i++)
            any = any || rungs.results[i];
        if (any)
            html_print(file, "<li>%h %h</li>\n", page_letter(page, run),
                       page_both(place_of(page, rungs, LANGUAGE_ENGLISH),
                                 place_of(page, rungs, LANGUAGE_CHINESE)));
    }
    fputs("</ul>\n", file);
}
