/* SPDX-License-Identifier: MIT */
#include "hidden.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "files.h"
#include "goal.h"
#include "number.h"
#include "text.h"

enum { MAX_SIZE = 1 << 20 };

/* What is wrong with it; NULL: nothing. */
static const char *read_sizes(struct hidden *hidden, char *words)
{
    char *rest;

    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        int64_t size;
        if (number_read(word, 1, MAX_SIZE, &size))
            return text_format("'%s' is no size: N is a whole number from 1 to %d", word, MAX_SIZE);
        if (hidden->size_count == HIDDEN_SIZES)
            return text_format("more than %d sizes", HIDDEN_SIZES);
        hidden->sizes[hidden->size_count++] = (int)size;
    }
    return NULL;
}

static const char *read_goal(struct hidden *hidden, const char *text)
{
    const struct counts none = {.n = 1};
    struct goal read;
    char error[GOAL_TEXT];

    if (hidden->goal_count == PUZZLE_GOALS)
        return text_format("more than %d goals", PUZZLE_GOALS);
    hidden->goals[hidden->goal_count++] = copy_text(text);
    return goal_read(text, &none, &read, error, sizeof(error)) ? NULL : copy_text(error);
}

/* A line is "sizes 5 77", "goal LABEL: A <= B", or a comment. Returns what is wrong with it. */
static const char *read_line(struct hidden *hidden, char *line)
{
    static const char sizes[] = "sizes ", goal[] = "goal ";

    text_narrow(line);
    line += strspn(line, " \t");
    for (size_t length = strlen(line); length && strchr(" \t\r", line[length - 1]);)
        line[--length] = '\0';
    if (!*line || *line == '#')
        return NULL;
    if (!strncmp(line, sizes, strlen(sizes)))
        return read_sizes(hidden, line + strlen(sizes));
    if (!strncmp(line, goal, strlen(goal)))
        return read_goal(hidden, line + strlen(goal));
    return "neither 'sizes N ...' nor 'goal LABEL: A <= B'";
}

/* FOLDER/NN_name.txt, where there is one. */
static bool read_check(const char *folder, const struct puzzle_entry *entry, struct hidden *hidden)
{
    const char *path = text_format("%s/%s.txt", folder, entry->name);
    const char *text = file_read(path);

    if (!text && errno != ENOENT)
        complain("cannot read %s: %s", path, file_error(errno));
    if (!text)
        return errno == ENOENT;
    char **lines = text_lines(text);
    for (int i = 0; lines[i]; i++) {
        const char *wrong = read_line(hidden, lines[i]);
        if (wrong) {
            complain("%s:%d: %s", path, i + 1, wrong);
            return false;
        }
    }
    if (!hidden->size_count && !hidden->goal_count)
        complain("--hidden: %s has neither sizes nor goals", path);
    return hidden->size_count || hidden->goal_count;
}

static bool is_check(const char *name)
{
    bool known = false;

    for (int i = 0; i < puzzle_count && !known; i++)
        known = !strcmp(name, text_format("%s.txt", puzzle_table[i].name));
    return known;
}

static int is_shown(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

/* A check under another name would count for nothing, and neither would a folder without any. */
static bool are_checks(const char *folder)
{
    struct dirent **files;
    const int count = scandir(folder, &files, is_shown, alphasort);

    if (count < 0)
        complain("cannot read %s", folder);
    if (count == 0)
        complain("--hidden: %s has no check in it, as %s.txt would be", folder,
                 puzzle_table[0].name);
    for (int i = 0; i < count; i++) {
        if (!is_check(files[i]->d_name)) {
            complain("--hidden: %s/%s is named after no puzzle, as %s.txt would be", folder,
                     files[i]->d_name, puzzle_table[0].name);
            return false;
        }
    }
    return count > 0;
}

/* The first goal that was missed, as "LABEL: 3, goal <= 2"; is it the puzzle's own? */
static const char *missed_goal(const struct puzzle *puzzle, const char *text, bool *is_own)
{
    static const char mark[] = "missed ";
    char **lines = text_lines(text); /* one for each goal, the puzzle's own first */
    int i = 0;

    while (lines[i] && strncmp(lines[i], mark, strlen(mark)) != 0)
        i++;
    *is_own = i < PUZZLE_GOALS && puzzle->goals[i];
    return lines[i] ? lines[i] + strlen(mark) : "";
}

bool hidden_try(const struct grading *grading)
{
    const struct puzzle *puzzle = grading->entry->puzzle;
    const struct hidden *hidden = grading->hidden;
    const char *name = grading->entry->name;
    bool is_own;

    if (!hidden->size_count && !hidden->goal_count)
        return true;
    const struct verdict verdict = grade_own(grading);
    if (child_interrupted())
        return false;
    if (verdict.kind != VERDICT_GOAL) {
        if (verdict.kind != VERDICT_PASSED)
            complain("--hidden: %s.txt: our own solution fails: %s", name,
                     verdict_words(verdict.kind));
        return verdict.kind == VERDICT_PASSED;
    }
    const char *missed = missed_goal(puzzle, verdict.text, &is_own);
    if (is_own)
        complain(
            "--hidden: %s.txt: let another size be the last, as the puzzle's %d: with n = %d our "
            "own solution misses %s",
            name, puzzle->sizes[puzzle->size_count - 1], hidden->sizes[hidden->size_count - 1],
            missed);
    else
        complain("--hidden: %s.txt: our own solution, too, misses %s", name, missed);
    return !is_own;
}

bool hidden_read(const char *folder, const struct puzzle_entry *const *puzzles, int count,
                 struct hidden *checks)
{
    bool good = file_is_folder(folder);

    if (!good)
        complain("--hidden: '%s' is no folder", folder);
    good = good && are_checks(folder);
    for (int i = 0; i < count && good; i++)
        good = read_check(folder, puzzles[i], &checks[i]);
    return good;
}
