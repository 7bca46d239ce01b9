/* SPDX-License-Identifier: MIT */
/* What happens to a launch's requests in L2. */
#ifndef CYCLE_TRAFFIC_H
#define CYCLE_TRAFFIC_H

#include "time/cycle_notes.h"

/* A block that has ended, and the lines that it used. */
struct ended_block {
    uint64_t number; /* of the block */
    union line_use *all;
    uint32_t count;
    uint64_t requests; /* as block_uses */
    double weight; /* blocks that it stands for */
};

/* Sectors of device memory. */
struct cycle_moved {
    double read, written;
};

/* The block has ended: sort its uses by `when`, roughly. The emulator ran its warps one after
 * the other, but a GPU runs them together. */
void cycle_order_uses(struct block_uses *uses);
/* Replay the lines through L2, in waves of `at_once` blocks, which take turns. Sorts the blocks by
 * number. Fills `misses`, by instruction, which must be zeros, and returns the sectors that device
 * memory reads and writes. */
struct cycle_moved l2_replay(struct l2 *l2, struct ended_block *blocks, size_t count, size_t sms,
                             uint64_t at_once, struct cycle_misses *misses, size_t instrs);

#endif
