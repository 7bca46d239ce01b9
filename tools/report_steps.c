/* SPDX-License-Identifier: MIT */
#include "report_page.h"

#include <string.h>

#include "changes.h"
#include "html.h"
#include "results.h"
#include "roofline.h"
#include "text.h"

enum { CONTEXT = 3 };

static void print_source(const char *path, FILE *file)
{
    char *line = changes_text(path);

    if (!line)
        return;
    fputs("<pre tabindex=\"0\">", file);
    for (int number = 1; *line; number++) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end != '\0');

        *end = '\0';
        html_print(file, "<span class=\"number\">%s  </span>%s\n", text_format("%4d", number),
                   line);
        line = next;
    }
    fputs("</pre>\n", file);
}

static void print_changes(const char *old_path, const char *new_path, const char *before,
                          FILE *file)
{
    static const char *const lines[] = {
        [CHANGE_SAME] = "<span class=\"same\">  %s</span>\n",
        [CHANGE_GONE] = "<span class=\"gone\">- %s</span>\n",
        [CHANGE_NEW] = "<span class=\"new\">+ %s</span>\n",
        [CHANGE_SKIPPED] = "<span class=\"dim\">  …</span>\n",
    };
    struct changes changes;

    if (!changes_read(old_path, new_path, CONTEXT, &changes))
        return;
    html_print(file, "<h4>%h</h4>\n<pre tabindex=\"0\">",
               page_both(say(LANGUAGE_ENGLISH, SAY_CHANGED_SINCE, before),
                         say(LANGUAGE_CHINESE, SAY_CHANGED_SINCE, before)));
    for (int i = 0; i < changes.count; i++)
        html_print(file, lines[changes.list[i].kind], changes.list[i].line);
    fputs("</pre>\n", file);
}

static const struct step *step_of(const struct chapter_page *page, int step)
{
    return step < 0 ? NULL : manifest_step(page->manifest, page->name, page_step_name(page, step));
}

/* What changed in a step, and its source. */
static void print_code(const struct chapter_page *page, int index, FILE *file)
{
    const struct step *step = step_of(page, index), *before = step_of(page, index - 1);
    const bool experiments = page_has_experiments(page);
    char *path, *sentence;

    if (!step)
        return;
    path = text_format("%s/%s", page->checkout, step->source);
    if (before && !experiments) {
        sentence = page_sentence(page, index);
        if (*sentence)
            html_print(file, "<p>%h</p>\n", sentence);
        print_changes(text_format("%s/%s", page->checkout, before->source), path, before->name,
                      file);
    }
    if (!experiments)
        html_print(file, "<h4>%h</h4>\n", page_phrase(SAY_SOURCE));
    print_source(path, file);
}

static void print_step(const struct chapter_page *page, int index, FILE *file)
{
    const char *name = page_step_name(page, index);

    html_print(file,
               "<details><summary>%s <span class=\"what\">%h</span></summary>\n"
               "<div id=\"%s-%s\">\n", /* a link to it opens the details */
               name, page_step_title(page, index), page->name, name);
    print_code(page, index, file);
    fputs("</div></details>\n", file);
}

/* A step that tries one thing in several ways, or why it did not. */
static void print_experiment(const struct chapter_page *page, int index, FILE *file)
{
    const char *name = page_step_name(page, index);

    html_print(file, "<h3 id=\"%s-%s\">%s <span class=\"what\">%h</span></h3>\n", page->name, name,
               name, page_step_title(page, index));
    if (page_tried(page, index)) {
        report_places(page, index, 1, file);
        report_variants(page, index, file);
    } else {
        html_print(file, "<p>%h</p>\n", page_sentence(page, index));
    }
    html_print(file, "<details><summary>%h</summary>\n", page_phrase(SAY_SOURCE));
    print_code(page, index, file);
    fputs("</details>\n", file);
}

/* The experiments of a chapter, as tables; each with its source. */
void report_experiments(const struct chapter_page *page, FILE *file)
{
    fputs("<nav><ul>\n", file);
    for (int step = 0; step < page->step_count; step++)
        html_print(file, "<li><a href=\"#%s-%s\">%h</a></li>\n", page->name,
                   page_step_name(page, step), page_step_title(page, step));
    fputs("</ul></nav>\n", file);
    for (int step = 0; step < page->step_count; step++)
        print_experiment(page, step, file);
}

void report_steps(const struct chapter_page *page, FILE *file)
{
    report_places(page, 0, page->step_count, file);
    report_ladder(page, file);
    roofline_print(page->results, page->step_count, page->run_count, file);
    for (int run = 0; run < page->run_count; run++)
        report_counters(page, run, file);
    html_print(file, "<h3>%h</h3>\n", page_phrase(SAY_STEPS));
    for (int step = 0; step < page->step_count; step++)
        print_step(page, step, file);
}
