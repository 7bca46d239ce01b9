/* SPDX-License-Identifier: MIT */
/* Copies in the background, from global to shared memory: cp.async and what waits for it.
 *
 * The bytes of a copy may be in their place as soon as a thread has begun it, or only when it
 * waits: under a forward schedule they move when it waits, under a reverse one at once, under a
 * random one either way. So a missing wait, or a buffer that is filled again too soon, shows under
 * one schedule or another.
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
    uint64_t note; /* an observer's own */
    uint64_t serial; /* of the warp's copies, its how many-th */
};

/* Does what goes on in the background happen at once, by the schedule, or only when it is waited
 * for? */
bool copies_move_at_once(struct block *block);
/* Begin what `copy` says: all but its groups and note. */
void copies_begin(struct warp *warp, const struct copy *copy);
/* For each of `lanes`, the copies that it has begun since its last group become a group. */
void copies_commit(struct warp *warp, uint32_t lanes);
/* `lanes` wait for all their groups but the last `but`. */
void copies_wait(struct warp *warp, uint32_t lanes, uint32_t but);
/* How many the warp has begun; and let those of `lane` arrive that were begun before `serial`. */
uint64_t copies_begun(struct warp *warp);
void copies_land(struct warp *warp, int lane, uint64_t serial);
/* The warp's block has ended; and its room is given back. */
void copies_end(struct warp *warp);
void copies_free(struct warp *warp);

#endif
