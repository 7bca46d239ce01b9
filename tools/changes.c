#include "changes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MAX_BYTES = 1 << 22, MAX_PAIRS = 1 << 24 };

/* The lines of a file. */
struct lines {
    char **lines;
    int count;
    int first; /* where the code begins: below the head comment */
};

static void free_lines(struct lines *lines)
{
    free(lines->lines);
    lines->lines = NULL;
}

char *changes_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0;
    bool ok = file != NULL;

    if (ok) {
        text = allocate(MAX_BYTES + 1);
        length = fread(text, 1, MAX_BYTES, file);
        ok = !ferror(file);
    }
    if (!ok)
        complain("cannot read %s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (!ok) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    text_clean_lines(text);
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

/* Splits `text` in place. */
static struct lines split(char *text)
{
    struct lines lines = {NULL, 0, 0};
    char *end = text;

    for (char *line = text; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        lines.lines = reallocate(lines.lines, ((size_t)lines.count + 1) * sizeof(*lines.lines));
        lines.lines[lines.count++] = line;
    }
    lines.first = head_comment(&lines);
    return lines;
}

static void add(struct changes *changes, enum change_kind kind, const char *line, int number)
{
    changes->list =
        reallocate(changes->list, ((size_t)changes->count + 1) * sizeof(*changes->list));
    changes->list[changes->count++] = (struct change){kind, line, number};
}

/* What it is worth that a line is in both: an empty one or a brace says little. */
static int worth(const char *line)
{
    return 2 + (int)strlen(line + strspn(line, " \t"));
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
    const int rows = a->count - a->first, columns = b->count - b->first;
    const bool possible = (long long)(rows + 1) * (columns + 1) <= MAX_PAIRS;
    int *best = possible ? common_worth(a, b, rows, columns) : NULL;
    int i = 0, j = 0;

    while (i < rows || j < columns) {
        const int here = possible ? best[i * (columns + 1) + j] : 0;
        const bool same =
            possible && i < rows && j < columns &&
            !strcmp(a->lines[a->first + i], b->lines[b->first + j]) &&
            best[(i + 1) * (columns + 1) + j + 1] + worth(a->lines[a->first + i]) == here;

        if (same) {
            add(changes, CHANGE_SAME, b->lines[b->first + j], b->first + j + 1);
            i++, j++;
        } else if (i < rows &&
                   (j == columns || !possible || best[(i + 1) * (columns + 1) + j] == here)) {
            add(changes, CHANGE_GONE, a->lines[a->first + i], a->first + i + 1);
            i++;
        } else {
            add(changes, CHANGE_NEW, b->lines[b->first + j], b->first + j + 1);
            j++;
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
    struct changes kept = {.old_text = all->old_text, .new_text = all->new_text};

    for (int i = 0; i < all->count; i++) {
        const struct change *change = &all->list[i];

        if (is_near(all, i, context))
            add(&kept, change->kind, change->line, change->number);
        else if (kept.count == 0 || kept.list[kept.count - 1].kind != CHANGE_SKIPPED)
            add(&kept, CHANGE_SKIPPED, "", change->number);
    }
    free(all->list);
    *all = kept;
}

bool changes_read(const char *old_path, const char *new_path, int context, struct changes *changes)
{
    struct lines a, b;

    *changes = (struct changes){.old_text = changes_text(old_path)};
    if (!changes->old_text)
        return false;
    changes->new_text = changes_text(new_path);
    if (!changes->new_text) {
        changes_free(changes);
        return false;
    }
    a = split(changes->old_text);
    b = split(changes->new_text);
    compare(&a, &b, changes);
    if (context >= 0)
        thin_out(changes, context);
    free_lines(&a);
    free_lines(&b);
    return true;
}

void changes_free(struct changes *changes)
{
    free(changes->list);
    free(changes->old_text);
    free(changes->new_text);
    *changes = (struct changes){0};
}
