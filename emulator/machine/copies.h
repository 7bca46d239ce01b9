/* SPDX-License-Identifier: MIT */
/* Copies in the background, from global to shared memory: cp.async and what waits for it.
 *
 * A thread may find the bytes of a copy in their place as soon as it has begun it, and no earlier
 * than when it waits: under a forward schedule they move when it waits, under a reverse one at
 * once, under a random one either way. So a wait that is missing, or a buffer that is filled
 * again too soon, shows under one schedule or another.
 */
#ifndef COPIES_H
#define COPIES_H

#include "access.h"

/* Those of one instruction. */
struct copy {
    const struct op *op;
    uint32_t lanes; /* that have not waited for theirs */
    bool moved; /* their bytes have */
    struct access from, to;
    uint8_t reads[WARP_SIZE]; /* bytes; the rest is made 0 */
    uint32_t groups[WARP_SIZE]; /* by lane: its how many-th */
    uint64_t note; /* an observer's */
};

/* Begin what `copy` says: all but its groups and note. */
void copies_begin(struct warp *warp, const struct copy *copy);
/* The copies that `lanes` have begun since they last did this are a group of each. */
void copies_commit(struct warp *warp, uint32_t lanes);
/* `lanes` wait for all their groups but the last `but`. */
void copies_wait(struct warp *warp, uint32_t lanes, uint32_t but);
/* The warp's block has ended; and its room is given back. */
void copies_end(struct warp *warp);
void copies_free(struct warp *warp);

#endif
