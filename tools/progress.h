/* SPDX-License-Identifier: MIT */
/* The live line on stderr, where that is a terminal: which step runs, and for how long. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "manifest.h"
#include "table.h"

struct progress {
    struct style style;
    bool live;
    int number, total;
    const struct step *step;
    const char *what; /* that is done with the step; NULL: it just runs */
};

/* For all selected steps; nothing is shown yet. */
struct progress progress_new(const struct manifest *manifest);

/* The next step begins. */
void progress_next(struct progress *progress, const struct step *step);

/* A child_tick (child.h); `self` is a progress. */
void progress_show(void *self, double seconds);

/* Wipe the line. */
void progress_end(const struct progress *progress);

#endif
