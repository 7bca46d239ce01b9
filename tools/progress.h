/* SPDX-License-Identifier: MIT */
/* What is said on stderr while steps run: which one, for how long, and about how long it still
 * takes. On a terminal a live line, elsewhere a line every few seconds. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "manifest.h"
#include "table.h"

struct progress {
    struct style style;
    bool live;
    const struct manifest *manifest;
    double begin, since, said; /* when we began, when the step did, when we said so, by the clock */
    int number, total;
    const struct step *step;
    const char *what; /* that is done with the step; NULL: it just runs */
    const char *beside; /* what goes on beside it; may be NULL */
    bool foreseen; /* the steps take as long as the manifest says */
};

/* For all selected steps; nothing is shown yet. */
struct progress progress_new(const struct manifest *manifest);

/* The next step begins. */
void progress_next(struct progress *progress, const struct step *step);

/* The step begins only now: what it waited for tells nothing of the pace. */
void progress_waited(struct progress *progress);

/* A child_tick (child.h); `self` is a progress. */
void progress_show(void *self, double seconds);

#endif
