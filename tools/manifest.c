/* SPDX-License-Identifier: MIT */
#include "manifest.h"

#include <string.h>

#include "files.h"
#include "text.h"

static bool add_step(struct manifest *manifest, json_t *object)
{
    struct step step = {.article = ""};
    int sizes = true, racy = false, own = false;

    if (json_unpack(object, "{s:s, s:s, s:s, s:s, s:s, s?s, s?s, s?s, s?i, s?b, s?b, s?b, s?o}",
                    "chapter", &step.chapter, "step", &step.name, "title", &step.title, "program",
                    &step.program, "source", &step.source, "chinese", &step.chinese, "article",
                    &step.article, "shown_on", &step.shown_on, "minimum", &step.minimum, "sizes",
                    &sizes, "racy", &racy, "own", &own, "check_size", &step.check_size))
        return false;
    step.sizes = sizes;
    step.racy = racy;
    step.own = own;
    manifest->steps =
        reallocate(manifest->steps, ((size_t)manifest->step_count + 1) * sizeof(*manifest->steps));
    manifest->steps[manifest->step_count++] = step;
    return true;
}

static bool add_chapter(struct manifest *manifest, json_t *object)
{
    struct chapter chapter = {.shown_on = ""};

    if (json_unpack(object, "{s:s, s:s, s?s, s?F}", "chapter", &chapter.name, "title",
                    &chapter.title, "shown_on", &chapter.shown_on, "seconds", &chapter.seconds))
        return false;
    manifest->chapters = reallocate(manifest->chapters, ((size_t)manifest->chapter_count + 1) *
                                                            sizeof(*manifest->chapters));
    manifest->chapters[manifest->chapter_count++] = chapter;
    return true;
}

static bool add_line(struct manifest *manifest, const char *line)
{
    json_t *object = json_loads(line, 0, NULL);

    return json_object_get(object, "step") ? add_step(manifest, object)
                                           : add_chapter(manifest, object);
}

bool manifest_read(struct manifest *manifest, const char *build)
{
    char *path = text_format("%s/manifest.jsonl", build), *text = file_read(path);

    *manifest = (struct manifest){0};
    if (!text) {
        complain("cannot read %s: is it a build folder?", path);
        return false;
    }
    char **lines = text_lines(text);
    for (int i = 0; lines[i]; i++) {
        if (!add_line(manifest, lines[i])) {
            complain("%s:%d: neither a chapter nor a step", path, i + 1);
            return false;
        }
    }
    if (manifest->step_count == 0)
        complain("%s: no steps", path);
    return manifest->step_count > 0;
}

static void refuse_name(const struct manifest *manifest, const char *name)
{
    char *names = copy_text("");

    for (int i = 0; i < manifest->step_count; i++)
        names = text_format("%s %s/%s", names, manifest->steps[i].chapter, manifest->steps[i].name);
    complain("no step '%s'; there are:%s", name, names);
}

struct step *manifest_find(struct manifest *manifest, const char *name)
{
    for (int i = 0; i < manifest->step_count; i++) {
        struct step *step = &manifest->steps[i];
        const size_t length = strlen(step->chapter);

        if (!strncmp(name, step->chapter, length) && name[length] == '/' &&
            !strcmp(name + length + 1, step->name))
            return step;
    }
    refuse_name(manifest, name);
    return NULL;
}

char *manifest_name(const char *chapter, const char *step)
{
    return strcmp(chapter, ".") != 0 ? text_format("%s/%s", chapter, step) : copy_text(step);
}

const struct step *manifest_step(const struct manifest *manifest, const char *chapter,
                                 const char *name)
{
    for (int i = 0; i < manifest->step_count; i++)
        if (!strcmp(manifest->steps[i].chapter, chapter) && !strcmp(manifest->steps[i].name, name))
            return &manifest->steps[i];
    return NULL;
}

static const struct chapter *find_chapter(const struct manifest *manifest, const char *name)
{
    for (int i = 0; i < manifest->chapter_count; i++)
        if (!strcmp(manifest->chapters[i].name, name))
            return &manifest->chapters[i];
    return NULL;
}

const char *manifest_shown_on(const struct manifest *manifest, const struct step *step)
{
    const struct chapter *found = find_chapter(manifest, step->chapter);

    if (step->shown_on && *step->shown_on)
        return step->shown_on;
    return found && *found->shown_on ? found->shown_on : NULL;
}

double manifest_seconds(const struct manifest *manifest, const struct step *step)
{
    const struct chapter *found = find_chapter(manifest, step->chapter);
    int count = 0;

    for (int i = 0; i < manifest->step_count; i++)
        count += !strcmp(manifest->steps[i].chapter, step->chapter);
    return found ? found->seconds / count : 0;
}

const char *manifest_title(const struct manifest *manifest, const char *chapter)
{
    const struct chapter *found = find_chapter(manifest, chapter);

    return found ? found->title : chapter;
}
