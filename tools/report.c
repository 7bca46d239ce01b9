/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report_page.h"
#include "results.h"
#include "text.h"
#include "words.h"

static const char *const style_lines[] = {
#include "report.css.inc"
};

#include "report.js.inc" /* script, SCRIPT_HASH */

static void print_chapter(const struct chapter_page *page, FILE *file)
{
    html_print(file, "<section id=\"%s\">\n<h2>%s: %h</h2>\n", page->name, page->name,
               page_chapter_title(page->name, page->manifest, page->checkout));
    if (page_has_experiments(page))
        report_experiments(page, file);
    else
        report_steps(page, file);
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
    html_print(file,
               "</style>\n</head>\n<body>\n<header><h1>%h</h1>"
               "<button id=\"language\" type=\"button\" hidden></button></header>\n"
               "<script>%h</script>\n",
               page_phrase(SAY_TITLE), script);
}

static int chapters_of(const json_t *results, const char *chapters[PAGE_MAX_STEPS])
{
    const json_t *result;
    int count = 0;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result) {
        const char *chapter = result_text(result, "chapter");
        bool known = count == PAGE_MAX_STEPS;

        for (int k = 0; k < count; k++)
            known = known || !strcmp(chapters[k], chapter);
        if (!known)
            chapters[count++] = chapter;
    }
    return count;
}

static void print_page(const json_t *const *runs, int run_count, const struct manifest *manifest,
                       const char *checkout, FILE *file)
{
    const char *chapters[PAGE_MAX_STEPS];
    const int count = chapters_of(runs[0], chapters);

    print_head(file);
    fputs(count > 1 ? "<nav><ul>\n" : "", file);
    for (int i = 0; i < count && count > 1; i++)
        html_print(file, "<li><a href=\"#%s\">%h</a></li>\n", chapters[i],
                   page_chapter_title(chapters[i], manifest, checkout));
    fputs(count > 1 ? "</ul></nav>\n<main>\n" : "<main>\n", file);
    for (int i = 0; i < count; i++) {
        struct chapter_page page = page_new(runs, run_count, chapters[i], manifest, checkout);

        print_chapter(&page, file);
        free(page.results);
    }
    html_print(file, "</main>\n<footer>%h</footer>\n</body>\n</html>\n", page_phrase(SAY_FOOTER));
}

bool report_write(const char *path, const json_t *const *runs, int run_count,
                  const struct manifest *manifest, const char *checkout)
{
    char *text;
    FILE *file = text_open(&text);

    print_page(runs, run_count, manifest, checkout, file);
    fclose(file);
    return results_replace_file(path, lasting(text), strlen(text));
}
