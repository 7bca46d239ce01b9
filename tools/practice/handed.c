/* SPDX-License-Identifier: MIT */
#include "handed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "files.h"
#include "grading.h"
#include "text.h"

/* --- Names ----------------------------------------------------------------------------------- */

/* `length` of the name without " (1)" at its end. */
static size_t without_count(const char *name, size_t length)
{
    size_t at = length;

    if (!at || name[at - 1] != ')')
        return length;
    for (at--; at && isdigit((unsigned char)name[at - 1]); at--)
        continue;
    if (!at || name[at - 1] != '(' || at == length - 1)
        return length;
    at--;
    while (at && name[at - 1] == ' ')
        at--;
    return at;
}

/* The puzzle of a name as in puzzle1, Puzzle_01 or 1. */
static const struct puzzle_entry *numbered(const char *name, size_t length)
{
    static const char word[] = "puzzle";
    size_t at = length > strlen(word) && !strncasecmp(name, word, strlen(word)) ? strlen(word) : 0;
    char *end;

    at += at && strchr(" _-", name[at]) ? 1 : 0;
    if (!isdigit((unsigned char)name[at]))
        return NULL;
    const long number = strtol(name + at, &end, 10);
    for (int i = 0; i < puzzle_count && end == name + length; i++)
        if (strtol(puzzle_table[i].name, NULL, 10) == number)
            return &puzzle_table[i];
    return NULL;
}

/* The puzzle that the name of a .cu file means: 01_every_element.cu, 01_every_element (1).cu as
 * browsers save what is there already, puzzle1.cu, 1.cu; NULL for any other name. */
static const struct puzzle_entry *puzzle_meant(const char *name)
{
    const size_t length = without_count(name, strlen(name) - strlen(".cu"));
    for (int i = 0; i < puzzle_count; i++)
        if (strlen(puzzle_table[i].name) == length &&
            !strncasecmp(puzzle_table[i].name, name, length))
            return &puzzle_table[i];
    return numbered(name, length);
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
                   const char *folder, const char *student)
{
    char *shown = copy_text(path + strlen(folder) + strspn(path + strlen(folder), "/"));

    text_clean(shown);
    if (!entry)
        complain("%s: '%s' has no puzzle's name: not graded", student, shown);
    else if (strcmp(graded, path) != 0)
        complain("%s: '%s' is one more of puzzle %ld: not graded", student, shown,
                 strtol(entry->name, NULL, 10));
}

char **handed_in(const char *folder, const char *student)
{
    const char *const places[] = {folder, text_format("%s/my", folder)};
    char **chosen = allocate((size_t)puzzle_count * sizeof(*chosen));

    for (int place = 0; place < (is_link(places[1]) ? 1 : 2); place++) {
        char **sources = file_sources(places[place]);
        for (char **path = sources; *path; path++) {
            const struct puzzle_entry *entry = puzzle_meant(basename(*path));
            if (entry && goes_before(*path, chosen[entry - puzzle_table], entry))
                chosen[entry - puzzle_table] = *path;
        }
        for (char **path = sources; *path; path++) {
            const struct puzzle_entry *entry = puzzle_meant(basename(*path));
            report(*path, entry ? chosen[entry - puzzle_table] : NULL, entry, folder, student);
        }
    }
    return chosen;
}
