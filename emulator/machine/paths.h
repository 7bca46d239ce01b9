/* SPDX-License-Identifier: MIT */
/* How paths divide, meet again, wait and end. A function without a path is about the warp's current
 * one. */
#ifndef PATHS_H
#define PATHS_H

#include "warp.h"

/* `mask` goes on at `pc`. */
struct path *path_new(struct warp *warp, uint32_t mask, int pc, struct record *record,
                      struct frame *frame, struct spun spun);
/* Divide: `there` goes to `target`, the others to `next`; they meet at `reconverge`, or where the
 * paths around them do if that is no instruction of the function. */
void path_split(struct warp *warp, uint32_t there, int target, int next, int reconverge);
/* It is at its reconvergence point. */
void path_arrive(struct warp *warp);
void path_exit(struct warp *warp, uint32_t lanes);
/* `lanes` have returned from its function. */
void path_return(struct warp *warp, uint32_t lanes);
/* Let it wait in `state`. */
void path_park(struct warp *warp, enum path_state state);

/* Do two paths stand where their lanes belong together? */
bool path_beside(const struct path *a, const struct path *b);

/* Lanes that wait at a reconvergence point may hold what a polling path waits for, as in a spin
 * lock: let those of the innermost point go on without it. False: nobody waits so. */
bool path_release_waiting(struct warp *warp, const struct path *path);
/* The same for all paths that spin or wait for lanes of their warp. It is the last resort: lanes
 * let go too soon arrive at a barrier apart from the others. */
bool warp_release(struct warp *warp);
/* Nothing of the warp moves, for lanes wait at a shuffle, a vote or the like. Those that they wait
 * for go on, where these wait at a reconvergence point; else, as all wait at instructions of that
 * kind, each runs for the lanes it has. Returns whether any did. */
bool warp_release_missing(struct warp *warp);
/* Lanes that wait to end together with others end, for those may wait for their end in turn, at a
 * barrier. Returns whether there were any. */
bool warp_release_ended(struct warp *warp);

#endif
