/* SPDX-License-Identifier: MIT */
#include "changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "text.h"

enum { MOST_LINES = 4096 };

/* The lines of a file. */
struct lines {
    char **lines;
    bool *device; /* whether a line is in a function that the GPU executes */
    int count;
    int first; /* where the code begins: below the head comment */
};

char *changes_text(const char *path)
{
    char *text = file_read(path);

    if (text)
        text_clean_lines(text);
    else
        complain("cannot read %s: %s", path, file_error(errno));
    return text;
}

/* How many lines the comment takes that the file begins with, and the empty ones below it. */
static int head_comment(const struct lines *lines)
{
    int line = 0;

    if (lines->count > 0 && !strncmp(lines->lines[0], "/*", 2))
        while (line < lines->count && !strstr(lines->lines[line++], "*/"))
            ;
    while (line < lines->count && (!strncmp(lines->lines[line], "//", 2) || !*lines->lines[line]))
        line++;
    return line;
}

/* Find the functions that the GPU executes: from the line that says so, and the template above it,
 * to the brace in the first column. */
static void find_device_code(struct lines *lines)
{
    bool inside = false;

    lines->device = allocate(((size_t)lines->count + 1) * sizeof(*lines->device));
    for (int i = 0; i < lines->count; i++) {
        const char *line = lines->lines[i];
        const bool begins =
            *line != ' ' && (strstr(line, "__global__") || strstr(line, "__device__"));

        if (begins && i > 0 && !strncmp(lines->lines[i - 1], "template", 8))
            lines->device[i - 1] = true;
        inside = inside || begins;
        lines->device[i] = inside;
        if (*line == '}' || (begins && strchr(line, ';')))
            inside = false;
    }
}

static struct lines split(const char *text)
{
    struct lines lines = {.lines = text_lines(text)};

    while (lines.lines[lines.count])
        lines.count++;
    lines.first = head_comment(&lines);
    find_device_code(&lines);
    return lines;
}

static void add(struct changes *changes, struct change change)
{
    changes->list =
        reallocate(changes->list, ((size_t)changes->count + 1) * sizeof(*changes->list));
    changes->list[changes->count++] = change;
}

/* Line `index` of the code of a file, from 0. */
static void add_line(struct changes *changes, enum change_kind kind, const struct lines *lines,
                     int index)
{
    const int line = lines->first + index;

    add(changes, (struct change){kind, lines->lines[line], line + 1, lines->device[line]});
}

/* What it is worth that a line is in both: an empty one or a brace says little. */
static int worth(const char *line)
{
    return 2 + (int)strlen(line + strspn(line, " \t"));
}

/* How many lines of code are compared. */
static int code_lines(const struct lines *lines)
{
    const int count = lines->count - lines->first;

    return count < MOST_LINES ? count : MOST_LINES;
}

/* The most that lines from (i, j) on can be worth: the longest common subsequence. */
static int *common_worth(const struct lines *a, const struct lines *b, int rows, int columns)
{
    int *best = allocate((size_t)(rows + 1) * (size_t)(columns + 1) * sizeof(*best));

    for (int i = rows; i >= 0; i--)
        for (int j = columns; j >= 0; j--) {
            int *here = &best[i * (columns + 1) + j];
            const char *line = i < rows ? a->lines[a->first + i] : NULL;

            *here = 0;
            if (i == rows || j == columns)
                continue;
            *here = here[1] > here[columns + 1] ? here[1] : here[columns + 1];
            if (!strcmp(line, b->lines[b->first + j]) && here[columns + 2] + worth(line) > *here)
                *here = here[columns + 2] + worth(line);
        }
    return best;
}

static void compare(const struct lines *a, const struct lines *b, struct changes *changes)
{
    const int rows = code_lines(a), columns = code_lines(b);
    int *best = common_worth(a, b, rows, columns);
    int i = 0, j = 0;

    while (i < rows || j < columns) {
        const int *here = &best[i * (columns + 1) + j];
        const char *line = a->lines[a->first + i];

        if (i < rows && j < columns && !strcmp(line, b->lines[b->first + j]) &&
            here[columns + 2] + worth(line) == *here) {
            add_line(changes, CHANGE_SAME, b, j);
            i++, j++;
        } else if (i < rows && (j == columns || here[columns + 1] == *here)) {
            add_line(changes, CHANGE_GONE, a, i++);
        } else {
            add_line(changes, CHANGE_NEW, b, j++);
        }
    }
    free(best);
}

/* Is there a change within `context` lines of `at`? */
static bool is_near(const struct changes *all, int at, int context)
{
    for (int i = at - context; i <= at + context; i++)
        if (i >= 0 && i < all->count && all->list[i].kind != CHANGE_SAME)
            return true;
    return false;
}

/* Leave of equal lines those around a change. */
static void thin_out(struct changes *all, int context)
{
    struct changes kept = {0};

    for (int i = 0; i < all->count; i++) {
        const struct change *change = &all->list[i];

        if (is_near(all, i, context))
            add(&kept, *change);
        else if (kept.count == 0 || kept.list[kept.count - 1].kind != CHANGE_SKIPPED)
            add(&kept, (struct change){CHANGE_SKIPPED, "", change->number, false});
    }
    *all = kept;
}

bool changes_read(const char *old_path, const char *new_path, int context, struct changes *changes)
{
    char *old_text = old_path ? changes_text(old_path) : copy_text("");
    char *new_text = old_text ? changes_text(new_path) : NULL;
    struct lines a, b;

    *changes = (struct changes){0};
    if (!new_text)
        return false;
    a = split(old_text);
    b = split(new_text);
    compare(&a, &b, changes);
    if (context >= 0)
        thin_out(changes, context);
    return true;
}

/* --- What fits on a screen -------------------------------------------------------------------- */

/* What of the changes to show. */
enum depth { WITH_CONTEXT, ALL_CHANGES, TELLING, DEVICE_CODE, NEW_DEVICE_CODE };

static bool is_change(const struct change *change)
{
    return change->kind == CHANGE_GONE || change->kind == CHANGE_NEW;
}

/* Does it say anything: is it no empty line, brace or comment? */
static bool is_telling(const struct change *change)
{
    const char *text = change->line + strspn(change->line, " \t");

    return is_change(change) && strspn(text, "{};") < strlen(text) && strncmp(text, "//", 2) != 0 &&
           strncmp(text, "/*", 2) != 0 && strncmp(text, "* ", 2) != 0;
}

static bool is_shown(const struct change *change, enum depth depth)
{
    switch (depth) {
    case WITH_CONTEXT:
        return change->kind != CHANGE_SKIPPED;
    case ALL_CHANGES:
        return is_change(change);
    case TELLING:
        return is_telling(change);
    case DEVICE_CODE:
        return is_telling(change) && change->device;
    default:
        return is_telling(change) && change->device && change->kind == CHANGE_NEW;
    }
}

/* Those to show, of each run of lines of a kind the first `longest`. Where equal lines are missing
 * in between stands a mark; where lines that changed are, their numbers have to do. */
static struct changes excerpt(const struct changes *all, enum depth depth, int longest)
{
    struct changes kept = {0};
    int run = 0, last = -1;

    for (int i = 0; i < all->count; i++) {
        const struct change *change = &all->list[i];

        if (i > 0 && change->kind != all->list[i - 1].kind)
            run = 0;
        if (!is_shown(change, depth) || ++run > longest)
            continue;
        if (last >= 0 && last < i - 1 && depth < TELLING)
            add(&kept, (struct change){CHANGE_SKIPPED, "", change->number, false});
        add(&kept, *change);
        last = i;
    }
    return kept;
}

static int count_changes(const struct changes *changes)
{
    int count = 0;

    for (int i = 0; i < changes->count; i++)
        count += is_change(&changes->list[i]);
    return count;
}

/* An excerpt of at most `limit` lines with runs as long as can be, but at least of `least`. False:
 * there is none. */
static bool fit(const struct changes *all, enum depth depth, int limit, int least,
                struct changes *kept)
{
    const int longest = depth < TELLING ? all->count : limit;

    for (int run = longest; run >= least; run = run > limit ? 0 : run - 1) {
        *kept = excerpt(all, depth, run);
        if (kept->count > 0 && kept->count + (count_changes(kept) < count_changes(all)) <= limit)
            return true;
    }
    return false;
}

/* The first lines of the GPU's new code; of all changes where there is none. */
static struct changes beginning(const struct changes *all, int limit)
{
    struct changes kept = excerpt(all, NEW_DEVICE_CODE, all->count);

    if (kept.count == 0)
        kept = excerpt(all, TELLING, all->count);
    if (kept.count >= limit)
        kept.count = limit - 1;
    return kept;
}

int changes_fit(struct changes *changes, int limit)
{
    enum { FEW = 3 };
    struct changes kept;
    int left_out;

    if (!fit(changes, WITH_CONTEXT, limit, 1, &kept) &&
        !fit(changes, ALL_CHANGES, limit, 1, &kept) && !fit(changes, TELLING, limit, FEW, &kept) &&
        !fit(changes, DEVICE_CODE, limit, FEW, &kept))
        kept = beginning(changes, limit);
    left_out = count_changes(changes) - count_changes(&kept);
    *changes = kept;
    return left_out;
}
