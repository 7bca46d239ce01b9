/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
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
    html_print(file, "<section id=\"%s\">\n<h2>%s: ", page->name, page->name);
    page_chapter_title(page->name, page->manifest, page->checkout, file);
    fputs("</h2>\n", file);
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
    fputs("</style>\n</head>\n<body>\n<header><h1>", file);
    page_phrase(SAY_TITLE, file);
    fputs("</h1><button id=\"language\" type=\"button\" hidden></button></header>\n<script>", file);
    fputs(script, file);
    fputs("</script>\n", file);
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

static void print_contents(const char *const *chapters, int count, const struct manifest *manifest,
                           const char *checkout, FILE *file)
{
    if (count < 2)
        return;
    fputs("<nav><ul>\n", file);
    for (int i = 0; i < count; i++) {
        html_print(file, "<li><a href=\"#%s\">", chapters[i]);
        page_chapter_title(chapters[i], manifest, checkout, file);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n", file);
}

static void print_page(const json_t *const *runs, int run_count, const struct manifest *manifest,
                       const char *checkout, FILE *file)
{
    const char *chapters[PAGE_MAX_STEPS];
    const int count = chapters_of(runs[0], chapters);

    print_head(file);
    print_contents(chapters, count, manifest, checkout, file);
    fputs("<main>\n", file);
    for (int i = 0; i < count; i++) {
        struct chapter_page page = page_new(runs, run_count, chapters[i], manifest, checkout);

        print_chapter(&page, file);
        free(page.results);
    }
    fputs("</main>\n<footer>", file);
    page_phrase(SAY_FOOTER, file);
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
