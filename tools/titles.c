/* SPDX-License-Identifier: MIT */
#include "titles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "text.h"

/* Between a step and its title in a heading. */
static const char colon[] = "：";

/* What is behind "# " in `line`, or NULL. */
static char *chapter_title(char *line, const char *unused)
{
    (void)unused;
    return strncmp(line, "# ", 2) ? NULL : line + 2;
}

/* What is behind "## v3：" in `line`, if that is about the step; a section may be named by all of
 * the step's name, or by what stands before the first underscore. */
static char *step_title(char *line, const char *step)
{
    char *end = strstr(line, colon);
    const size_t length = end ? (size_t)(end - line) - 3 : 0;

    if (strncmp(line, "## ", 3) != 0 || !end || strncmp(line + 3, step, length) != 0 ||
        (step[length] && step[length] != '_'))
        return NULL;
    return end + strlen(colon);
}

/* The first title that `title_in` finds in a line of the chapter's Chinese page; NULL
 * without one, or without a page. */
static char *title_in_page(const char *checkout, const char *chapter, const char *step,
                           char *(*title_in)(char *line, const char *step))
{
    char *line = NULL, *title = NULL;
    FILE *file = fopen(text_format("%s/docs/zh/%s.md", checkout, chapter), "r");
    size_t size = 0;

    while (file && !title && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        title = title_in(line, step);
        title = title ? copy_text(title) : NULL;
    }
    if (file)
        fclose(file);
    return title;
}

char *title_of_chapter(const struct manifest *manifest, const char *checkout, const char *chapter,
                       enum language language)
{
    char *title = NULL;

    if (language == LANGUAGE_CHINESE)
        title = title_in_page(checkout, chapter, "", chapter_title);
    return title ? title : copy_text(manifest_title(manifest, chapter));
}

char *title_of_step(const struct manifest *manifest, const char *checkout, const json_t *result,
                    enum language language)
{
    const char *chapter = result_text(result, "chapter"), *name = result_text(result, "step");
    const struct step *step = manifest_step(manifest, chapter, name);
    char *title = NULL;

    if (language == LANGUAGE_CHINESE)
        title = step && step->chinese ? copy_text(step->chinese)
                                      : title_in_page(checkout, chapter, name, step_title);
    return title ? title : copy_text(result_text(result, "title"));
}

json_t *titles_in(enum language language, const struct manifest *manifest, const char *checkout,
                  const json_t *results)
{
    json_t *titled = json_deep_copy(results), *result;
    size_t i;

    json_array_foreach(json_object_get(titled, "steps"), i, result)
        json_object_set_new(result, "title",
                            json_string(title_of_step(manifest, checkout, result, language)));
    return titled;
}
