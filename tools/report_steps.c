/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "html.h"
#include "results.h"
#include "roofline.h"
#include "text.h"

enum { CONTEXT = 3 };

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
    page_both(say(LANGUAGE_ENGLISH, SAY_CHANGED_SINCE, before),
              say(LANGUAGE_CHINESE, SAY_CHANGED_SINCE, before), file);
    fputs("</h4>\n<pre tabindex=\"0\">", file);
    for (int i = 0; i < changes.count; i++)
        print_change(&changes.list[i], file);
    fputs("</pre>\n", file);
    changes_free(&changes);
}

static const struct step *step_of(const struct chapter_page *page, int step)
{
    return step < 0 ? NULL : manifest_step(page->manifest, page->name, page_step_name(page, step));
}

/* What changed in a step, and its source. */
static void print_code(const struct chapter_page *page, int index, FILE *file)
{
    const struct step *step = step_of(page, index), *before = step_of(page, index - 1);
    char *path, *old_path;

    if (!step)
        return;
    path = text_format("%s/%s", page->checkout, step->source);
    if (before && !page_has_experiments(page)) {
        old_path = text_format("%s/%s", page->checkout, before->source);
        if (page_has_sentence(page, index)) {
            fputs("<p>", file);
            page_sentence(page, index, file);
            fputs("</p>\n", file);
        }
        print_changes(old_path, path, before->name, file);
        free(old_path);
    }
    if (!page_has_experiments(page)) {
        fputs("<h4>", file);
        page_phrase(SAY_SOURCE, file);
        fputs("</h4>\n", file);
    }
    print_source(path, file);
    free(path);
}

static void print_step(const struct chapter_page *page, int index, FILE *file)
{
    html_print(file, "<details><summary>%s <span class=\"what\">", page_step_name(page, index));
    page_step_title(page, index, file);
    html_print(file, "</span></summary>\n<div id=\"%s-%s\">\n", /* a link to it opens the details */
               page->name, page_step_name(page, index));
    print_code(page, index, file);
    fputs("</div></details>\n", file);
}

/* A step that tries one thing in several ways, or why it did not. */
static void print_experiment(const struct chapter_page *page, int index, FILE *file)
{
    html_print(file, "<h3 id=\"%s-%s\">%s <span class=\"what\">", page->name,
               page_step_name(page, index), page_step_name(page, index));
    page_step_title(page, index, file);
    fputs("</span></h3>\n", file);
    if (page_tried(page, index)) {
        report_places(page, index, file);
        report_variants(page, index, file);
    } else {
        fputs("<p>", file);
        page_sentence(page, index, file);
        fputs("</p>\n", file);
    }
    fputs("<details><summary>", file);
    page_phrase(SAY_SOURCE, file);
    fputs("</summary>\n", file);
    print_code(page, index, file);
    fputs("</details>\n", file);
}

/* The experiments of a chapter, as tables; each with its source. */
void report_experiments(const struct chapter_page *page, FILE *file)
{
    fputs("<nav><ul>\n", file);
    for (int step = 0; step < page->step_count; step++) {
        html_print(file, "<li><a href=\"#%s-%s\">", page->name, page_step_name(page, step));
        page_step_title(page, step, file);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_experiment(page, step, file);
}

void report_steps(const struct chapter_page *page, FILE *file)
{
    report_runs(page, file);
    report_ladder(page, file);
    roofline_print(page->results, page->step_count, page->run_count, file);
    for (int run = 0; run < page->run_count; run++)
        report_counters(page, run, file);
    fputs("<h3>", file);
    page_phrase(SAY_STEPS, file);
    fputs("</h3>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_step(page, step, file);
}
