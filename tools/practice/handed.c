/* SPDX-License-Identifier: MIT */
#include "handed.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "text.h"

static const char *const places[] = {"", "/my"}; /* below the folder */
enum { PLACES = sizeof(places) / sizeof(places[0]) };

/* --- Names ----------------------------------------------------------------------------------- */

static bool is_source(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && *name != '.' && !strcasecmp(name + length - 3, ".cu");
}

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

/* The puzzle that the file name means: 01_every_element.cu, 01_every_element (1).cu as browsers
 * save what is there already, puzzle1.cu, 1.cu; NULL for any other name. */
static const struct puzzle_entry *puzzle_meant(const char *name)
{
    if (!is_source(name))
        return NULL;
    const size_t length = without_count(name, strlen(name) - strlen(".cu"));
    for (int i = 0; i < puzzle_count; i++)
        if (strlen(puzzle_table[i].name) == length &&
            !strncasecmp(puzzle_table[i].name, name, length))
            return &puzzle_table[i];
    return numbered(name, length);
}

/* --- Folders --------------------------------------------------------------------------------- */

/* Is there such a folder? A link to one is none: it may lead anywhere. */
static bool is_folder(const char *path)
{
    struct stat status;

    return !lstat(path, &status) && S_ISDIR(status.st_mode);
}

/* The names of the sources in FOLDER or FOLDER/my, in order. */
static int list_sources(const char *folder, int place, struct dirent ***names)
{
    char *path = text_format("%s%s", folder, places[place]);
    const int count = place == 0 || is_folder(path) ? scandir(path, names, NULL, alphasort) : -1;

    if (count < 0)
        *names = NULL;
    return count < 0 ? 0 : count;
}

static bool is_own_name(const char *name, const struct puzzle_entry *entry)
{
    const size_t length = strlen(entry->name);

    return !strncmp(name, entry->name, length) && !strcmp(name + length, ".cu");
}

char *handed_in(const char *folder, const struct puzzle_entry *entry)
{
    char *path = NULL;

    for (int place = 0; place < PLACES && !path; place++) {
        struct dirent **names;
        const int count = list_sources(folder, place, &names);
        bool own = false;

        for (int i = 0; i < count && !own; i++) {
            const char *name = names[i]->d_name;
            if (puzzle_meant(name) != entry)
                continue;
            own = is_own_name(name, entry);
            path = text_format("%s%s/%s", folder, places[place], name);
        }
    }
    return path;
}

void handed_report(const char *folder, const char *student)
{
    for (int place = 0; place < PLACES; place++) {
        struct dirent **names;
        const int count = list_sources(folder, place, &names);

        for (int i = 0; i < count; i++) {
            const char *name = names[i]->d_name;
            const struct puzzle_entry *entry = puzzle_meant(name);
            char *path = text_format("%s%s/%s", folder, places[place], name);
            char *graded = entry ? handed_in(folder, entry) : NULL;
            char *shown = copy_text(path + strlen(folder) + 1);

            text_clean(shown);
            if (is_source(name) && !entry)
                complain("%s: '%s' has no puzzle's name: not graded", student, shown);
            else if (graded && strcmp(graded, path) != 0)
                complain("%s: '%s' is one more of puzzle %ld: not graded", student, shown,
                         strtol(entry->name, NULL, 10));
        }
    }
}
