/* SPDX-License-Identifier: MIT */
/* Race checker: accesses to the same bytes of shared or global memory by different threads, at
 * least one of them a write, that nothing orders (order.h says what orders).
 *
 * No race are: atomics with atomics, unless one is of its block alone and the other of another
 * block; flags, which are volatile or atomic stores after a fence, with volatile or atomic loads
 * that compare what they read; and two stores of the same value.
 *
 * What a copy in the background reads and writes may happen at any time between the instruction
 * that begins it and its thread's wait: in between, whoever writes what it reads, or touches what
 * it writes, races with it, its own thread included.
 *
 * Launches have an order, unless one may begin while those in front still run (overlap.h): then
 * what it does races with theirs, up to its wait for them.
 */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H

#include "check/report.h"

struct check_race;

/* One that watches the machine, whose blocks must run on one worker. */
struct check_race *check_race_new(struct machine *machine, struct reports *reports);
void check_race_free(struct check_race *race);
/* The next launch may begin while the last one still runs. */
void check_race_overlap(struct check_race *race);
/* Device memory was freed: nobody asks for it again. */
void check_race_forget(struct check_race *race, uint64_t address, size_t size);

#endif
