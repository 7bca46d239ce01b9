/* SPDX-License-Identifier: MIT */
/* What each instruction of a function costs its warp, worked out from the text alone. */
#ifndef COSTS_H
#define COSTS_H

#include "gpus/gpu.h"
#include "ptx/ptx.h"

struct cost {
    uint16_t clocks; /* from the instruction before it to this one, without waits for loads */
    uint16_t slots; /* for which it keeps the scheduler, in clocks */
    bool waits; /* for all loads of the warp */
};

/* The costs of `function`'s instructions on `gpu`, by their index, freed with free().
 *
 * Within a basic block an instruction starts when the one before it has left the scheduler and its
 * operands are ready; the last one ends when all results of the block are ready. That leaves out
 * the results of loads: an instruction that reads one `waits`, and so does the last one of a block
 * with loads. If that one is itself a load, the first of the next block waits. */
struct cost *costs_of(const struct gpu *gpu, const struct ptx_function *function);

/* Is one of its types f64? */
bool costs_doubles(const struct ptx_instr *instr);

/* What all instructions before an instruction cost, and which is the next one from it on that
 * waits for loads. What instructions i to k - 1 cost is the difference of those of k and of i. */
struct running_cost {
    uint64_t clocks, slots;
    size_t wait; /* its index; the number of all instructions if none waits */
};

/* One for each of these `count` instructions, and one after the last; freed with free(). */
struct running_cost *running_costs_of(const struct cost *costs, size_t count);

#endif
