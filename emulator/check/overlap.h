/* SPDX-License-Identifier: MIT */
/* Launches that overlap: which of those in front may still run while a launch does.
 *
 * A launch that may begin early does so once every block of the one in front has triggered
 * (griddepcontrol.launch_dependents) or ended. Until it waits (griddepcontrol.wait) nothing in
 * front need have ended, nor be visible; a wait is for all of them. If some block of the launch in
 * front waited before it triggered, those before that one had ended by then: else they may
 * still run.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "machine/observer.h"

/* A launch in front, its clocks from `start` on (order.h). */
struct past_launch {
    struct launch launch;
    uint32_t start;
};

struct overlap {
    struct past_launch *past; /* those that may still run, the oldest first */
    size_t count, room;
    uint32_t open; /* accesses stamped below are of launches that have ended */
    bool next; /* the next launch may begin early */
    bool waited_first; /* a block of this one waited before it triggered */
};

/* Of a block: has it waited, or triggered by a thread that knew of a wait; and has a thread
 * triggered that knew of none? */
struct block_overlap {
    bool waited, triggered_early;
};

void overlap_stop(struct overlap *overlap);
/* All in front has ended. */
void overlap_forget(struct overlap *overlap);

/* A launch begins whose clocks start at `start`, a block ends, the launch ends. */
void overlap_begin(struct overlap *overlap, uint32_t start);
void overlap_block_end(struct overlap *overlap, const struct block_overlap *block);
void overlap_end(struct overlap *overlap, const struct launch *launch, uint32_t start);

/* May anything before the running launch still run? */
static inline bool overlap_any(const struct overlap *overlap)
{
    return overlap->count > 0;
}

/* The launch in front with this clock, which is not below `open`. Valid while a launch runs. */
const struct launch *overlap_find(const struct overlap *overlap, uint32_t clock);

#endif
