/* SPDX-License-Identifier: MIT */
/* The verbs behind ./tour puzzle, hint, solution, watch, grade, and of a program of one's own. Each
 * returns an exit code: 0 passed or done, 1 not, 2 bad usage. */
#ifndef PRACTICE_H
#define PRACTICE_H

#include <stdbool.h>
#include <stdio.h>

#include "grading.h"
#include "table.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct practice {
    const char *checkout; /* absolute: my/ and puzzles/ lie there */
    const char *build; /* absolute: the build folder */
    const char *scratch; /* a folder for half-made things */
    bool on_gpu; /* there is a GPU, and nobody said --on emulator */
    struct style style;
};

/* The puzzle of that number, name or file name; NULL after a line on stderr. */
const struct puzzle_entry *puzzle_find(const char *name);
/* The puzzle whose full name the file `path` has, as my/07_neighbours.cu; NULL for any other. */
const struct puzzle_entry *puzzle_of(const char *path);

/* lay.c */
int show_progress(const struct practice *practice);
int do_puzzle(const struct practice *practice, const char *name);
int show_hint(const struct practice *practice, const char *name);
int show_solution(const struct practice *practice, const char *name);
/* A .cu file by its path: one that has a puzzle's name is a solution of it, any other a program. */
int do_file(const struct practice *practice, const char *path);
/* The student's copy of a puzzle, laid out if it was not there; to be freed. NULL after a line on
 * stderr. */
char *lay_out(const struct practice *practice, const struct puzzle_entry *entry, bool *is_new);
/* Grade the file `path` and print the page. */
int grade_file(const struct practice *practice, const struct puzzle_entry *entry, const char *path);

/* mine.c: compile, run, check and profile a whole program. */
int run_mine(const struct practice *practice, const char *path);

/* watch.c: a verdict on every save of a .cu file or a puzzle, until interrupted. */
int watch(const struct practice *practice, const char *name);

/* class.c: grade folders of submissions. */
int grade_class(const struct practice *practice, int argc, char **argv);

#endif
