/* SPDX-License-Identifier: MIT */
/* The verbs behind ./tour puzzle, hint, solution, watch, grade, and of a program of one's own. Each
 * returns an exit code: 0 passed or done, 1 not, 2 bad usage. */
#ifndef PRACTICE_H
#define PRACTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "grading.h"
#include "handed.h"
#include "table.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct practice {
    const char *checkout; /* absolute: my/ and puzzles/ lie there */
    const char *build; /* absolute: the build folder */
    const char *scratch; /* a folder for half-made things */
    bool on_gpu; /* there is a GPU, and nobody said --on emulator */
    const char *gpu; /* to emulate; NULL: the emulator's own choice */
    const char *card; /* compute capability of the GPU that is there, as in 90; or NULL */
    const char *checks; /* to make besides all, as in leak; or NULL */
    const char *json, *html; /* files for the counters, and for a picture of the run; or NULL */
    const char *const *options; /* more for nvcc, behind the files; NULL: none */
    const struct child_limits *limits; /* of nvcc; NULL: patience */
    int64_t timeout; /* seconds that a program of one's own may run */
    bool watched; /* a page is followed by others: what matters stands at its end */
    char **arguments; /* of a program of one's own, ended by NULL */
    struct style style;
};

/* workspace.c */
int show_progress(const struct practice *practice);
int do_puzzle(const struct practice *practice, const char *name);
int show_hint(const struct practice *practice, const char *name);
int show_solution(const struct practice *practice, const char *name);
/* A .cu file by its path: one that has a puzzle's name is a solution of it, any other a program. */
int do_file(const struct practice *practice, const char *path);
/* The student's copy of a puzzle, laid out if it was not there; NULL after a line on
 * stderr. */
char *lay_out(const struct practice *practice, const struct puzzle_entry *entry, bool *is_new);
/* The same for the next puzzle that has not passed, which `*entry` becomes; its statement is
 * printed where it is new. NULL where there is none. */
char *lay_out_next(const struct practice *practice, const struct puzzle_entry **entry);
/* Grade the file `path` and print the page. */
int grade_file(const struct practice *practice, const struct puzzle_entry *entry, const char *path);

/* own_program.c: compile, run, check and profile a whole program. */
int run_own(const struct practice *practice, const char *path);

/* own.c: can the program `path`, a .cu file or a folder of some, be read? If not, says so. */
bool own_readable(const char *path);
/* Compile it to `program`, for the GPU that is to be emulated and the one that is there. Returns
 * its compute capability, as in 75, which may be above that of the emulator's own choice; 0 after
 * lines on stderr. */
int own_compile(const struct practice *practice, const char *path, const char *program);
/* The same; what nvcc says goes to `*said`, which is NULL where there is no such GPU. */
int own_build(const struct practice *practice, const char *path, const char *program, char **said);
/* The GPU to emulate for a program of that compute capability; NULL: the emulator's own choice. */
const char *own_gpu(const struct practice *practice, int capability);
/* "check" or "diff", with options for the runner (tools/tour.c) and then .cu files. */
int own_tour(const struct practice *practice, const char *verb, int argc, char **argv);

/* errors.c: what to print of `text`, in which nvcc says why it did not compile something: all of
 * it, but where a screen shows one such text after the other the first errors that fit, and how
 * many more there are. */
char *errors_shown(const struct practice *practice, const char *text);

/* watch.c: a verdict on every save of a .cu file or a puzzle, until interrupted; from a puzzle that
 * has passed on to the next. */
int watch(const struct practice *practice, const char *name);

/* class.c: "grade", with options and then folders of submissions. */
int grade_class(const struct practice *practice, int argc, char **argv);

#endif
