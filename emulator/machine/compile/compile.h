/* SPDX-License-Identifier: MIT */
/* Kernels as machine code.
 *
 * Instructions that follow each other up to a branch, a run, become a function in C. print.c writes
 * it: those that change registers of their lanes alone out of the executors' own expressions
 * (recipe.h), others as calls of the interpreter (progress.h). The machine's C compiler makes a
 * library of it (job.c), cache.c finds it on disk, and translation.c puts its functions into the
 * ops. stretch_run() calls those in place of the executors; whatever else a kernel does, and
 * whatever observers hear, stays as it is. */
#ifndef COMPILE_H
#define COMPILE_H

#include <stdio.h>
#include <sys/types.h>

#include "machine/execute/recipe.h"
#include "machine/op.h"

/* Runs: what may be compiled (runs.c). */

/* What `op` computes, or NULL: it has to be interpreted. */
const struct recipe *recipe_of(const struct op *op);
/* What becomes of an op. */
enum run_part {
    PART_NONE, /* it is in no run */
    PART_ROW, /* it has a recipe */
    PART_BRANCH, /* the last of its run */
    PART_STEP, /* the interpreter is called */
};
enum run_part part_of(const struct op *op);
/* The length of the run that begins at `pc`: 0, where none does or it does not pay. */
int run_length(const struct code *code, int pc);

/* Would a compiler take seconds, were everything in place? */
bool is_long(const struct code *code);
bool is_in_loop(const struct code *code, int pc);
/* Is the run at `pc` compiled for parts of warps, too? Not outside of loops, nor in long code. */
bool is_for_parts(const struct code *code, int pc);
/* The length of the loop whose head is at `pc`, if laps of it can be run (machine/laps.h); or 0. */
int lap_length(const struct code *code, int pc);
/* The length of what can be run like a lap, but once, from `pc` on, if that pays; or 0. `past`:
 * also past branches forward, as long as no lane takes them. */
int once_length(const struct code *code, int pc, bool past);

/* Which registers of a function are read later on (live.c). NULL: take them all to be. */
struct live;
struct live *live_find(const struct code *code);
/* May `reg` be read after the instruction at `pc`, before it is written? */
bool live_after(const struct live *live, int pc, int reg);
void live_free(struct live *live);

/* Write C for all runs of `code`, a function run_PC for each; returns how many there are. */
int print_runs(FILE *file, const struct code *code);

/* The cache (cache.c). */
enum { CACHE_PATH_SIZE = 512 };
/* As our own code is compiled; see cmake/Compilers.cmake. */
#define COMPILER_FLAGS "-O3 -march=native -ffp-contract=off -fno-math-errno -w -fPIC -shared"
/* Its folder; `make` it, if need be. False: there is none that only the user can write to. */
bool cache_folder(char path[CACHE_PATH_SIZE], bool make);
/* Add to the folder's path where the library made of `text` is, or belongs. False: there is no
 * compiler. */
bool cache_path(char path[CACHE_PATH_SIZE], const char *text);
/* Load what is there; NULL: nothing is, or somebody else may have written it. */
void *cache_load(const char *path);

/* A library in the making (job.c). */
struct job {
    pid_t shell, owner; /* the processes: its own, and whose it is */
    char source[CACHE_PATH_SIZE];
};
/* Begin to make a library of `text` at `path`, in a process of its own, for which the program waits
 * or else comes first. False: it cannot be. */
bool job_start(struct job *job, const char *text, const char *path, bool waited);
/* Has it ended, well or not? `wait`: do not return before it has. */
bool job_ended(const struct job *job, bool wait);
/* Nobody waits for it any more. */
void job_stop(const struct job *job);

#endif
