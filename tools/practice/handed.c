/* SPDX-License-Identifier: MIT */
#include "handed.h"

#include <dirent.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "files.h"
#include "text.h"

/* --- Names ----------------------------------------------------------------------------------- */

const struct puzzle_entry *puzzle_named(const char *name)
{
    for (int i = 0; i < puzzle_count; i++)
        if (!strcmp(puzzle_table[i].name, name))
            return &puzzle_table[i];
    return NULL;
}

/* The puzzle whose number `name` begins with. */
static const struct puzzle_entry *numbered(const char *name)
{
    const long number = strtol(name, NULL, 10);

    for (int i = 0; i < puzzle_count; i++)
        if (strtol(puzzle_table[i].name, NULL, 10) == number)
            return &puzzle_table[i];
    return NULL;
}

const struct puzzle_entry *puzzle_of(const char *path)
{
    const char *name = basename(path);
    const struct puzzle_entry *entry = numbered(name);
    const size_t length = entry ? strlen(entry->name) : 0;

    return entry && !strncmp(name, entry->name, length) &&
                   (!name[length] || !strcmp(name + length, ".cu"))
               ? entry
               : NULL;
}

const struct puzzle_entry *puzzle_find(const char *name)
{
    const struct puzzle_entry *entry = puzzle_of(name);

    if (!entry && !name[strspn(name, "0123456789")])
        entry = numbered(name);
    if (!entry)
        complain("no puzzle '%s'; ./tour puzzle lists them", name);
    return entry;
}

/* The puzzle that the name of a .cu file means: 01_every_element.cu, 01_every_element (1).cu as
 * browsers save what is there already, puzzle1.cu, 1.cu; NULL for any other name. */
static const struct puzzle_entry *puzzle_meant(const char *name)
{
    static const char names[] = "^(puzzle[ _-]?)?([0-9]+)(_[a-z0-9_]*)?( *\\([0-9]+\\))?\\.cu$";
    static regex_t pattern;
    static bool compiled;
    enum { WORD = 1, NUMBER, TITLE, PARTS };
    regmatch_t parts[PARTS];

    if (!compiled)
        compiled = !regcomp(&pattern, names, REG_EXTENDED | REG_ICASE);
    if (regexec(&pattern, name, PARTS, parts, 0))
        return NULL;
    const struct puzzle_entry *entry = numbered(name + parts[NUMBER].rm_so);
    const size_t end = (size_t)parts[TITLE].rm_eo;
    if (parts[TITLE].rm_so < 0)
        return entry;
    return entry && parts[WORD].rm_so < 0 && strlen(entry->name) == end &&
                   !strncasecmp(name, entry->name, end)
               ? entry
               : NULL;
}

/* Is it the name of a file that may have been handed in, and is not graded? Then `*entry` is the
 * puzzle that it may be for, or NULL. Of 1.cu.txt, 01_every_element.cpp, 1.cu~, .1.cu, homework.zip
 * nobody knows that they count for nothing. */
static bool is_mistaken(const char *name, const struct puzzle_entry **entry)
{
    static const char *const names[] = {
        "^[._]*(puzzle[ _-]?)?([0-9]+)(_[a-z0-9_]*)?( *\\([0-9]+\\))?[.~]",
        "\\.cu([^a-z0-9]|$)|\\.(zip|rar|7z|tar|tgz|gz|xz|bz2)$",
    };
    enum { NUMBER = 2, PARTS };
    regmatch_t parts[PARTS];
    static regex_t patterns[2];
    static bool compiled;

    for (int i = 0; i < 2 && !compiled; i++)
        regcomp(&patterns[i], names[i], REG_EXTENDED | REG_ICASE);
    compiled = true;
    *entry =
        regexec(&patterns[0], name, PARTS, parts, 0) ? NULL : numbered(name + parts[NUMBER].rm_so);
    return *entry || !regexec(&patterns[1], name, 0, NULL, 0);
}

/* --- Folders --------------------------------------------------------------------------------- */

/* A link to a folder is none: it may lead anywhere. */
static bool is_link(const char *path)
{
    struct stat status;

    return !lstat(path, &status) && S_ISLNK(status.st_mode);
}

/* Does one file for a puzzle go before another, of a place that was looked at before, or of its? */
static bool goes_before(const char *path, const char *other, const struct puzzle_entry *entry)
{
    const char *name = basename(path), *other_name = other ? basename(other) : NULL;

    return !other || (name - path == other_name - other &&
                      strcmp(other_name, text_format("%s.cu", entry->name)) != 0);
}

static void report(const char *path, const char *graded, const struct puzzle_entry *entry,
                   const char *folder, const char *student, struct texts *nameless)
{
    char *shown = copy_text(path + strlen(folder) + strspn(path + strlen(folder), "/"));

    text_clean(shown);
    if (!entry) {
        complain("%s: '%s' has no puzzle's name: not graded", student, shown);
        texts_add(nameless, shown);
    } else if (strcmp(graded, path) != 0) {
        complain("%s: '%s' is one more of puzzle %ld: not graded", student, shown,
                 strtol(entry->name, NULL, 10));
    }
}

/* What lies in a folder beside its sources and may have been meant for one: where its puzzle has no
 * other, that is said. */
static void report_mistaken(const char *place, char *const *chosen, const char *folder,
                            const char *student, struct texts *nameless)
{
    struct dirent **entries;
    const int count = scandir(place, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *slash = place[strlen(place) - 1] == '/' ? "" : "/";
        char *path = text_format("%s%s%s", place, slash, name), *shown = path + strlen(folder);
        const struct puzzle_entry *entry;
        if (file_is_source(name) || !is_mistaken(name, &entry) || file_is_folder(path) ||
            (entry && chosen[entry - puzzle_table]))
            continue;
        shown += strspn(shown, "/");
        text_clean(shown);
        if (entry)
            complain("%s: '%s' is not named %s.cu: not graded", student, shown, entry->name);
        else
            complain("%s: '%s' is no .cu file: not graded", student, shown);
        texts_add(nameless, shown);
    }
}

static int is_plain_entry(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

/* A folder with nothing in it to grade: says so where one of its folders has something. */
static void look_deeper(const char *folder, const char *student)
{
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_plain_entry, alphasort);

    for (int i = 0; i < count; i++) {
        char *inside = text_format("%s%s%s", folder, slash, entries[i]->d_name);
        const char *const places[] = {inside, text_format("%s/my", inside)};
        for (int place = 0; place < 2 && !is_link(places[place]); place++) {
            for (char **path = file_sources(places[place]); *path; path++) {
                if (puzzle_meant(basename(*path))) {
                    complain("%s: nothing to grade, but there is in %s: did you mean %s%s*/?",
                             student, places[place], folder, slash);
                    return;
                }
            }
        }
    }
}

char **handed_in(const char *folder, const char *student, struct texts *nameless)
{
    const char *const places[] = {folder, text_format("%s/my", folder)};
    char **chosen = allocate((size_t)puzzle_count * sizeof(*chosen));
    bool any = false;

    for (int place = 0; place < (is_link(places[1]) ? 1 : 2); place++) {
        char **sources = file_sources(places[place]);
        any = any || *sources;
        for (char **path = sources; *path; path++) {
            const struct puzzle_entry *entry = puzzle_meant(basename(*path));
            if (entry && goes_before(*path, chosen[entry - puzzle_table], entry))
                chosen[entry - puzzle_table] = *path;
        }
        for (char **path = sources; *path; path++) {
            const struct puzzle_entry *entry = puzzle_meant(basename(*path));
            report(*path, entry ? chosen[entry - puzzle_table] : NULL, entry, folder, student,
                   nameless);
        }
    }
    for (int place = 0; place < (is_link(places[1]) ? 1 : 2); place++)
        report_mistaken(places[place], chosen, folder, student, nameless);
    if (!any)
        look_deeper(folder, student);
    return chosen;
}
