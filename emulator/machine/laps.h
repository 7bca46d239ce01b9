/* SPDX-License-Identifier: MIT */
/* Laps: iterations of a compiled loop in which observers would hear exactly what they heard of the
 * iteration before, and the whole warp stays together. Machine code runs them on its own
 * (compile/print.c), until just before the first request or branch that differs; then observers
 * hear of all laps at once, or, if they want each access, as checkers do, of each as it comes. The
 * same goes for a part of an iteration, as between two barriers, that repeats what it reported
 * last. */
#ifndef LAPS_H
#define LAPS_H

#include "warp.h"

/* For struct progress: how many laps of the loop whose requests and branches are at `stops`, with
 * its head in front and ~ its end, which is below 0, after them, may be run; leave them after so
 * many, before `pc`; and move what the request at `pc` loads or stores. */
uint32_t laps_most(struct progress *progress, const int *stops);
/* May the part of a turn be run that begins at the first of `stops` and has these requests and
 * branches, which no lane takes? It is left like laps, with `laps` 0. */
bool laps_once(struct progress *progress, const int *stops);
bool laps_leave(struct progress *progress, const int *stops, uint32_t laps, int pc);
void laps_move(struct progress *progress, int pc, char *base);
/* Tell of the request at `pc`, whose first lane is at `first`, `issued` instructions from the head
 * on. True: somebody stops the warp, which has left the laps after this request. */
bool laps_tell(struct progress *progress, const int *stops, uint32_t laps, uint64_t issued, int pc,
               uint64_t first);

#endif
