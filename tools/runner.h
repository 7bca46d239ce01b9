/* SPDX-License-Identifier: MIT */
/* Run steps and make results of what they print. */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "child.h"
#include "manifest.h"

enum { DEFAULT_TIMEOUT = 600, MAX_TIMEOUT = 86400 }; /* seconds */

struct runner {
    const char *build; /* the build folder */
    bool emulated; /* run through the emulator, which counts */
    const char *gpu; /* to emulate; NULL: that of the chapter's article, else the default */
    int64_t n, runs; /* -1: the step's own */
    bool sample; /* emulated: check each step at its check_size, time it by a sample of blocks */
    int64_t timeout; /* seconds a step may take */
    const char *make; /* what builds each chapter before its steps run; NULL: all are built */
    int64_t jobs; /* how many at once */
};

/* Told of `results` so far each time a chapter is done. Returns false to run no more. */
typedef bool runner_chapter(void *self, const json_t *results);

/* What the emulator says in a line of stderr; NULL: the line is the program's. */
char *emulator_says(const char *line);

/* What the emulator said, on stderr, of the fault that stopped a kernel or of a call it refused: a
 * line; NULL for nothing. */
char *runner_finding(const char *text);

/* How long the runner waits for a step, while `tick(self, ...)` tells how far it is: the emulator
 * says then where it was. */
struct child_limits runner_limits(const struct runner *runner, child_tick *tick, void *self);

/* The result (results.h) of a step from what it printed and how it ended. */
json_t *runner_result(const struct step *step, const struct child *child, double timeout);

/* What runs a step, on `gpu` (NULL: the emulator's choice) and with options for the emulator and of
 * its own, NULL behind the last; `small`: at its check_size (manifest.h), unless there is an n. */
char **runner_command(const struct runner *runner, const struct step *step, const char *gpu,
                      const char *const *emu_options, const char *const *options, bool small);

/* Run the selected steps in their order, on the emulator two at once, with what progress.h says on
 * stderr. Whatever one does, the others run too, but none of a chapter that could not be built, nor
 * of those after it; then `*built` is false. Signals must be held (child.h); once interrupted, what
 * is missing is missing. `done` and `built` may be NULL. */
json_t *runner_run(const struct runner *runner, const struct manifest *manifest,
                   runner_chapter *done, void *self, bool *built);

/* Run two steps, the selected ones, so that they can be compared: emulated, and no GPU named, they
 * run on one GPU: that of their articles, if it is one and has what both need, else one of today's,
 * and `*moved` says so. */
json_t *runner_run_pair(const struct runner *runner, const struct manifest *manifest,
                        const struct step *from, const struct step *to, bool *moved);

#endif
