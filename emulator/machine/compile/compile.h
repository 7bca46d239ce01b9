/* SPDX-License-Identifier: MIT */
/* Kernels as machine code.
 *
 * Instructions that follow each other up to a branch, a run, become a function in C. print.c writes
 * it: those that change registers of their lanes alone out of the executors' own expressions
 * (recipe.h), others as calls of the interpreter (progress.h). The machine's C compiler makes a
 * library of it, cache.c keeps that on disk, and translation.c puts its functions into the ops.
 * stretch_run() calls those in place of the executors; whatever else a kernel does, and whatever
 * observers hear, stays as it is. */
#ifndef COMPILE_H
#define COMPILE_H

#include <stdio.h>

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

/* Is the run at `pc` in a loop? Others are not compiled for parts of warps, too. */
bool is_in_loop(const struct code *code, int pc);
/* The length of the loop whose head is at `pc`, if laps of it can be run (machine/laps.h); or 0. */
int lap_length(const struct code *code, int pc);

/* Which registers of a function are read later on (live.c). NULL: take them all to be. */
struct live;
struct live *live_find(const struct code *code);
/* May `reg` be read behind the instruction at `pc`, before it is written? */
bool live_after(const struct live *live, int pc, int reg);
void live_free(struct live *live);

/* Write C for all runs of `code`, a function run_PC for each; returns how many there are. */
int print_runs(FILE *file, const struct code *code);

/* The cache (cache.c): a folder of the user's own. */
enum { CACHE_PATH_SIZE = 512 };
/* Where the library made of `text` is, or belongs. False: there is no folder that only the user can
 * write to, or no compiler. */
bool cache_place(const char *text, char path[CACHE_PATH_SIZE]);
/* Load what is there; NULL: nothing is, or somebody else may have written it. */
void *cache_load(const char *path);
/* Begin to make a library of `text` at `path`, in a process of its own. Returns what to ask for its
 * end; -1: it cannot be. */
int cache_compile(const char *text, const char *path);
/* Has it ended, well or not? Then not to be asked again. `wait`: do not return before it has. */
bool cache_compiled(int job, bool wait);

#endif
