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

void page_both(char *english, char *chinese, FILE *file)
{
    if (strcmp(english, chinese) != 0)
        html_print(file, "<span lang=\"en\">%s</span><span lang=\"zh-CN\">%s</span>", english,
                   chinese);
    else
        html_print(file, "%s", english);
    free(english);
    free(chinese);
}

void page_phrase(enum phrase phrase, FILE *file)
{
    page_both(copy_text(phrase_text(LANGUAGE_ENGLISH, phrase)),
              copy_text(phrase_text(LANGUAGE_CHINESE, phrase)), file);
}

void page_known(const char *english, FILE *file)
{
    page_both(copy_text(english), copy_text(word_for(LANGUAGE_CHINESE, english)), file);
}

void page_cell(const char *english, FILE *file)
{
    page_both(copy_text(english), words_for_cell(LANGUAGE_CHINESE, english), file);
}

void page_header(enum phrase phrase, const char *class, FILE *file)
{
    if (class)
        html_print(file, "<th class=\"%s\">", class);
    else
        fputs("<th>", file);
    page_phrase(phrase, file);
    fputs("</th>", file);
}

void page_cell_start(enum phrase label, const char *class, FILE *file)
{
    html_print(file, "<td class=\"%s\" data-en=\"%s\" data-zh=\"%s\">", class,
               phrase_text(LANGUAGE_ENGLISH, label), phrase_text(LANGUAGE_CHINESE, label));
}

/* --- The chapter ------------------------------------------------------------------------------ */

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

void page_chapter_title(const char *chapter, const struct manifest *manifest, const char *checkout,
                        FILE *file)
{
    page_both(title_of_chapter(manifest, checkout, chapter, LANGUAGE_ENGLISH),
              title_of_chapter(manifest, checkout, chapter, LANGUAGE_CHINESE), file);
}

void page_step_title(const struct chapter_page *page, int step, FILE *file)
{
    const json_t *result = page_result(page, 0, step);

    page_both(title_of_step(page->manifest, page->checkout, result, LANGUAGE_ENGLISH),
              title_of_step(page->manifest, page->checkout, result, LANGUAGE_CHINESE), file);
}

bool page_has_experiments(const struct chapter_page *page)
{
    for (int step = 0; step < page->step_count; step++)
        if (page_tried(page, step))
            return true;
    return false;
}

void page_letter(const struct chapter_page *page, int run, FILE *file)
{
    if (page->run_count > 1)
        fprintf(file, "<span class=\"letter b%d\">%c</span>", run, 'A' + run);
    else
        fputs("<span></span>", file);
}

/* --- Sentences -------------------------------------------------------------------------------- */

char *page_outcome(const json_t *result, enum language language)
{
    return say(language, SAY_OUTCOME, word_for(language, result_text(result, "outcome")),
               word_for(language, result_text(result, "why")));
}

/* Why a step is faster than the one before it, or why it has no time; a reason that the next step
 * has too stands there. */
static char *sentence_of(const struct chapter_page *page, int step, enum language language)
{
    const json_t *result = page_result(page, 0, step);
    const json_t *next = step + 1 < page->step_count ? page_result(page, 0, step + 1) : NULL;

    if (next && *result_text(result, "why") &&
        !strcmp(result_text(result, "why"), result_text(next, "why")))
        return copy_text("");
    if (result_outcome(result) != OUTCOME_MATCH && *result_text(result, "why"))
        return page_outcome(result, language);
    return step > 0 ? why_sentence(page_result(page, 0, step - 1), result, language)
                    : copy_text("");
}

void page_sentence(const struct chapter_page *page, int step, FILE *file)
{
    page_both(sentence_of(page, step, LANGUAGE_ENGLISH), sentence_of(page, step, LANGUAGE_CHINESE),
              file);
}

bool page_has_sentence(const struct chapter_page *page, int step)
{
    char *sentence = sentence_of(page, step, LANGUAGE_ENGLISH);
    const bool any = *sentence;

    free(sentence);
    return any;
}
