/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory (mbarrier) in the cycle model: in which phase of which barrier a logged
 * warp arrives, or for which it waits. On the modelled SM a phase is complete when all threads and
 * copies have arrived that arrive in it according to the logs.
 *
 * Of a cluster's blocks the modelled SM has one. What that one sends to a barrier of another block,
 * another block sends to its own, in the same phase: the blocks of a cluster do the same at the
 * same time. */
#ifndef CYCLE_PHASES_H
#define CYCLE_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "time/cycle_parts.h"

/* While the emulator runs: the barriers of a block, in the order in which they were first used. */
struct phase_table {
    int count;
    struct {
        uint64_t address;
        uint32_t over, passed; /* complete phases; those that a logged warp has waited for */
    } barriers[PHASE_BARRIERS];
};

/* The current phase of a barrier of the block, or the last one that is complete. */
struct phase_name phase_under_way(struct phase_table *table, uint64_t address);
struct phase_name phase_passed(struct phase_table *table, struct warp_log *log, uint64_t address);
/* The next phase of another block's barrier, counted by those that the warp has waited for at the
 * same one of its own block: either block may be ahead. */
struct phase_name phase_to_come(struct phase_table *table, const struct warp_log *log,
                                uint64_t address);
/* The phase is over. */
void phase_end(struct phase_table *table, uint64_t address);

/* On the modelled SM: the phases of a block's barriers. */
struct phase {
    uint32_t expected, arrived; /* threads and copies, together */
    double latest; /* the time of the latest one that has arrived */
    bool copied; /* that was a copy */
};
struct phases {
    struct phase *all;
    uint32_t first[PHASE_BARRIERS + 1]; /* by barrier: where its phases begin in `all` */
};

/* Count in the `count` logs of a block what is expected in each phase. */
void phases_start(struct phases *phases, const struct warp_log *logs, int count);
void phases_stop(struct phases *phases);
/* NULL for the name of no phase. */
struct phase *phase_of(const struct phases *phases, struct phase_name name);
/* A thread or a copy arrives at `time`. Returns whether the phase is complete now. */
bool phase_arrive(struct phase *phase, double time, bool copied);

#endif
