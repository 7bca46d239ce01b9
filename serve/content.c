/* SPDX-License-Identifier: MIT */
#include "content.h"

#include <dirent.h>
#include <md4c-html.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "changes.h"
#include "child.h"
#include "files.h"
#include "handed.h"
#include "text.h"
#include "titles.h"

enum { MOST_ASSETS = 600, ASSET_LIMIT = 4 << 20, CONTEXT = 3, SECONDS = 5 };

/* --- Files as they are ------------------------------------------------------------------------ */

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
    };
    const char *suffix = strrchr(name, '.');

    for (size_t i = 0; suffix && i < sizeof(types) / sizeof(types[0]); i++)
        if (!strcmp(suffix, types[i][0]))
            return types[i][1];
    return NULL;
}

/* Bytes, which may be 0. */
static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = file ? allocate(ASSET_LIMIT) : NULL;

    *size = file ? fread(data, 1, ASSET_LIMIT, file) : 0;
    if (file)
        fclose(file);
    return data ? reallocate(data, *size + 1) : NULL;
}

static void add_asset(struct content *content, const char *name, const char *path)
{
    struct asset *asset = &content->assets[content->asset_count];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (!type_of(name) || content->asset_count == MOST_ASSETS)
        return;
    *asset = (struct asset){.name = copy_text(name), .type = type_of(name)};
    asset->data = read_bytes(path, &asset->size);
    if (!asset->data)
        return;
    for (size_t i = 0; i < asset->size; i++)
        hash = (hash ^ (unsigned char)asset->data[i]) * UINT64_C(0x100000001b3);
    snprintf(asset->tag, sizeof(asset->tag), "\"%016llx\"", (unsigned long long)hash);
    content->asset_count++;
}

/* All files of a folder that browsers know. */
static void add_folder(struct content *content, const char *name, const char *path)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        const char *file = entries[i]->d_name;
        if (*file != '.')
            add_asset(content, text_format("%s/%s", name, file), text_format("%s/%s", path, file));
    }
}

const struct asset *content_asset(const struct content *content, const char *name)
{
    for (int i = 0; i < content->asset_count; i++)
        if (!strcmp(content->assets[i].name, name))
            return &content->assets[i];
    return NULL;
}

/* --- Pages ------------------------------------------------------------------------------------ */

static void take_html(const MD_CHAR *text, MD_SIZE size, void *file)
{
    fwrite(text, 1, size, file);
}

static char *html_of(const char *markdown, size_t length)
{
    char *html = NULL;
    size_t size;
    FILE *file = open_memstream(&html, &size);

    if (!file)
        return NULL;
    const bool failed = md_html(markdown, (MD_SIZE)length, take_html, file, MD_DIALECT_GITHUB, 0);
    fclose(file);
    if (failed) {
        free(html);
        html = NULL;
    }
    return html;
}

/* A name of a page is one of letters, digits and the like in docs or docs/zh. */
char *content_page(const struct content *content, const char *name)
{
    static const char zh[] = "docs/zh/", docs[] = "docs/";
    const char *file = !strncmp(name, zh, strlen(zh))       ? name + strlen(zh)
                       : !strncmp(name, docs, strlen(docs)) ? name + strlen(docs)
                                                            : "/";
    const size_t length = strspn(file, "abcdefghijklmnopqrstuvwxyz0123456789-");
    char *path = NULL, *text = NULL, *html = NULL;

    if (length && !strcmp(file + length, ".md") &&
        asprintf(&path, "%s/%s", content->checkout, name) > 0)
        text = file_read(path);
    if (text)
        html = html_of(text, strlen(text));
    free(text);
    free(path);
    return html;
}

/* --- Puzzles ---------------------------------------------------------------------------------- */

static char *puzzle_file(const struct content *content, const char *name, const char *file)
{
    char *path = NULL, *text = NULL;

    if (puzzle_named(name) &&
        asprintf(&path, "%s/puzzles/%s/%s", content->checkout, name, file) > 0)
        text = file_read(path);
    free(path);
    return text;
}

char *content_given(const struct content *content, const char *name)
{
    return puzzle_file(content, name, "puzzle.cu");
}

/* The hints as HTML, the first `count` of them, and how many there are. */
static json_t *hints_of(char *text, int count)
{
    json_t *hints = json_array(), *shown = json_object();
    int all = 0;

    for (char *at = strstr(text, "\n### "); at; all++) {
        char *next = strstr(at + 1, "\n### ");
        const size_t length = next ? (size_t)(next - at) : strlen(at);
        char *html = all < count ? html_of(at, length) : NULL;
        if (html)
            json_array_append_new(hints, json_string(html));
        free(html);
        at = next;
    }
    json_object_set_new(shown, "all", json_integer(all));
    json_object_set_new(shown, "shown", hints);
    return shown;
}

/* The length of what stands before the heading of the hints. */
static size_t statement_length(const char *text)
{
    const char *hint = strstr(text, "\n### "), *heading = NULL;

    for (const char *at = text; hint && (at = strstr(at, "\n## ")) && at < hint; at++)
        heading = at;
    return heading ? (size_t)(heading - text) : strlen(text);
}

json_t *content_puzzle(const struct content *content, const char *name, enum language language,
                       int hints)
{
    const struct puzzle_entry *entry = puzzle_named(name);
    char *text = puzzle_file(content, name, language ? "puzzle.zh.md" : "puzzle.md");
    char *html = text ? html_of(text, statement_length(text)) : NULL;
    json_t *puzzle = NULL;

    if (html)
        puzzle = json_pack("{s:s, s:s, s:s, s:o}", "name", name, "statement", html, "read",
                           entry->puzzle->read, "hints", hints_of(text, hints));
    free(html);
    free(text);
    return puzzle;
}

/* The title behind "# 谜题 1：" in the Chinese statement. */
static json_t *chinese_title(const struct content *content, const char *name)
{
    static const char colon[] = "：";
    char *text = puzzle_file(content, name, "puzzle.zh.md");
    const char *title = text ? strstr(text, colon) : NULL;
    json_t *found = title
                        ? json_stringn(title + strlen(colon), strcspn(title, "\n") - strlen(colon))
                        : json_string("");

    free(text);
    return found;
}

json_t *content_puzzles(const struct content *content)
{
    json_t *puzzles = json_array();

    for (int i = 0; i < puzzle_count; i++)
        json_array_append_new(puzzles,
                              json_pack("{s:s, s:s, s:s, s:o}", "name", puzzle_table[i].name,
                                        "title", puzzle_table[i].puzzle->title, "group",
                                        puzzle_table[i].puzzle->group, "zh",
                                        chinese_title(content, puzzle_table[i].name)));
    return puzzles;
}

/* --- Steps ------------------------------------------------------------------------------------ */

static json_t *step_line(const struct content *content, const struct step *step)
{
    json_t *named = json_pack("{s:s, s:s, s:s}", "chapter", step->chapter, "step", step->name,
                              "title", step->title);
    char *zh = title_of_step(&content->manifest, content->checkout, named, LANGUAGE_CHINESE);

    json_decref(named);
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "name", step->name, "title", step->title,
                     "zh", zh, "article", step->article, "sizes", step->sizes, "racy", step->racy);
}

static char *chapters_json(const struct content *content)
{
    const struct manifest *manifest = &content->manifest;
    json_t *chapters = json_array();

    for (int c = 0; c < manifest->chapter_count; c++) {
        const struct chapter *chapter = &manifest->chapters[c];
        json_t *steps = json_array();
        for (int i = 0; i < manifest->step_count; i++)
            if (!strcmp(manifest->steps[i].chapter, chapter->name))
                json_array_append_new(steps, step_line(content, &manifest->steps[i]));
        json_array_append_new(chapters, json_pack("{s:s, s:s, s:s, s:s, s:o}", "name",
                                                  chapter->name, "title", chapter->title, "zh",
                                                  title_of_chapter(manifest, content->checkout,
                                                                   chapter->name, LANGUAGE_CHINESE),
                                                  "gpu", chapter->shown_on, "steps", steps));
    }
    return json_dumps(chapters, JSON_COMPACT);
}

/* Which of n, threads and blocks a step takes: its --help says so. */
static json_t *options_of(const struct content *content, const struct step *step)
{
    static const char *const names[] = {"n", "threads", "blocks"};
    char *program = text_format("%s/%s", content->build, step->program);
    char *const command[] = {program, "--help", NULL};
    const struct child child =
        child_run(command, false, &(struct child_limits){.seconds = SECONDS});
    json_t *options = json_object();

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *row = strstr(child.streams[0], text_format("\n  --%s NUMBER", names[i]));
        const char *usual = row ? strstr(row, "default ") : NULL;
        const char *end = row ? strchr(row + 1, '\n') : NULL;
        if (row)
            json_object_set_new(options, names[i],
                                json_integer(usual && usual < end ? atoll(usual + 8) : 0));
    }
    return options;
}

static json_t *changes_of(const struct content *content, const struct step *from,
                          const struct step *to)
{
    static const char *const kinds[] = {" ", "-", "+", "~"};
    struct changes changes;
    json_t *lines = json_array();

    if (from &&
        changes_read(text_format("%s/%s", content->checkout, from->source),
                     text_format("%s/%s", content->checkout, to->source), CONTEXT, &changes))
        for (int i = 0; i < changes.count; i++)
            json_array_append_new(lines, json_pack("[s, i, s]", kinds[changes.list[i].kind],
                                                   changes.list[i].number, changes.list[i].line));
    return lines;
}

/* Made once for each step: what it takes is never freed. */
static json_t *make_step(const struct content *content, const struct step *step)
{
    const struct step *before =
        step > content->manifest.steps && !strcmp(step[-1].chapter, step->chapter) ? step - 1
                                                                                   : NULL;
    char *source = changes_text(text_format("%s/%s", content->checkout, step->source));

    return json_pack("{s:s, s:s?, s:o, s:o, s:s?}", "source", source ? source : "", "before",
                     before ? before->name : NULL, "changes", changes_of(content, before, step),
                     "options", options_of(content, step), "gpu",
                     manifest_shown_on(&content->manifest, step));
}

const json_t *content_step(struct content *content, const char *name)
{
    const char *slash = strchr(name, '/');
    const json_t *made = json_object_get(content->steps, name);
    char chapter[64];

    if (made || !slash || (size_t)(slash - name) >= sizeof(chapter))
        return made;
    snprintf(chapter, sizeof(chapter), "%.*s", (int)(slash - name), name);
    const struct step *step = manifest_step(&content->manifest, chapter, slash + 1);
    if (step)
        json_object_set_new(content->steps, name, make_step(content, step));
    return json_object_get(content->steps, name);
}

/* --- All of it -------------------------------------------------------------------------------- */

/* What of CodeMirror the page loads, below its folder in the system. */
static const char *const editor[] = {
    "lib/codemirror.js",           "lib/codemirror.css",       "mode/clike/clike.js",
    "addon/edit/matchbrackets.js", "addon/runmode/runmode.js", "addon/display/placeholder.js",
};

bool content_read(struct content *content, const char *checkout, const char *build)
{
    *content = (struct content){.checkout = checkout,
                                .build = build,
                                .assets = allocate(MOST_ASSETS * sizeof(*content->assets)),
                                .steps = json_object()};
    if (!manifest_read(&content->manifest, build))
        return false;
    content->chapters = chapters_json(content);
    add_folder(content, "/static", text_format("%s/serve/page", checkout));
    add_folder(content, "/docs/figures", text_format("%s/docs/figures", checkout));
    add_folder(content, "/docs/zh/figures", text_format("%s/docs/zh/figures", checkout));
    for (size_t i = 0; i < sizeof(editor) / sizeof(editor[0]); i++) {
        const char *file = strrchr(editor[i], '/') + 1;
        add_asset(content, text_format("/editor/%s", file),
                  text_format(CODEMIRROR "/%s", editor[i]));
    }
    if (!content_asset(content, "/static/index.html"))
        complain("cannot read %s", text_format("%s/serve/page", checkout));
    return content_asset(content, "/static/index.html") && content->chapters;
}
