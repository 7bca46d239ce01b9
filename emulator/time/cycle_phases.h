/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory (mbarrier) in the cycle model: which phase of which barrier of its
 * block a logged warp arrives for, or waits for. On the modelled SM a phase is over when all that
 * the logs say of it has come.
 *
 * Of a cluster's blocks the modelled SM has one. What that one sends to a barrier of another block,
 * another block sends to its own, in the same phase: the blocks of a cluster do the same at the
 * same time. */
#ifndef CYCLE_PHASES_H
#define CYCLE_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "time/cycle_parts.h"

/* While the emulator runs: the barriers of a block, numbered as they were first used. */
struct phase_table {
    int count;
    struct {
        uint64_t address;
        uint32_t over, passed; /* phases; those that a logged warp has waited for */
    } barriers[PHASE_BARRIERS];
};

/* The phase under way at a barrier of the block, or the last one that is over. */
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
    uint32_t expected, made; /* arrivals and copies */
    double latest; /* of those made */
    bool copied; /* the latest was a copy */
};
struct phases {
    struct phase *all;
    uint32_t first[PHASE_BARRIERS + 1]; /* of each barrier */
};

/* Count what the `count` logs of a block bring to each phase. */
void phases_start(struct phases *phases, const struct warp_log *logs, int count);
void phases_stop(struct phases *phases);
/* NULL: none. */
struct phase *phase_of(const struct phases *phases, struct phase_name name);
/* Something that the phase counts arrives at `time`. Returns whether it is the last. */
bool phase_make(struct phase *phase, double time, bool copied);

#endif
