/* SPDX-License-Identifier: MIT */
/* What each instruction of a function costs its warp, worked out from the text alone. */
#ifndef COSTS_H
#define COSTS_H

#include "gpus/gpu.h"
#include "ptx/ptx.h"

struct cost {
    uint16_t clocks; /* from the instruction before it to this one, waits for loads apart */
    uint16_t slots; /* of the scheduler */
    bool waits; /* for the warp's loads */
};

/* The costs of `function`'s instructions on `gpu`, by their index, freed with free().
 *
 * Within a basic block an instruction starts when the one before it has left the scheduler and its
 * operands are ready; the last one ends when all results of the block are ready. That leaves out
 * the results of loads: an instruction that reads one `waits`, and so does the last one of a block
 * with loads. If that one is itself a load, the first of the next block waits. */
struct cost *costs_of(const struct gpu *gpu, const struct ptx_function *function);

/* A place between instructions: what those in front of it cost, and the next from there on that
 * waits for loads. */
struct reach {
    uint64_t clocks, slots;
    size_t wait; /* its index; how many there are, where none waits */
};

/* The places in front of these `count` instructions, and the one behind the last, to be freed with
 * free(). What a run of instructions costs follows from where it begins and where it ends. */
struct reach *reaches_of(const struct cost *costs, size_t count);

#endif
