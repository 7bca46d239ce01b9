/* SPDX-License-Identifier: MIT */
/* The emulator in one page: what each floor knows of the others.
 *
 *   launcher/  emu: puts our libcudart in front of the real one
 *   cudart/    the runtime's functions   -> timing_launch(), machine_*, memory_*
 *   profile/   what a kernel asked of the GPU, counted (profile.h, lines.h)
 *   trace/     a run recorded, to be drawn (trace.h)
 *   time/      what it would have taken (timing.h)
 *   check/     what it did wrong (check.h)
 *   machine/   struct machine: memory, launches, warps (machine.h); who watches it, it knows as
 *              struct observer alone (observer.h)
 *   ptx/       text -> struct ptx_module (ptx.h)
 *   isa/       what an instruction is (isa.h, instructions.def)
 *   gpus/      which GPU is emulated (gpu.h), how it coalesces (coalesce.h)
 *
 * Words of machine/ that are neither CUDA's nor PTX's; docs/emulator-inside.md has more:
 *   op         an instruction with its executor and the slots of its operands (op.h)
 *   request    what an instruction of a warp asks of memory; its shape: how far apart the lanes'
 *              addresses are (shape.h)
 *   stretch    ops that a path runs one after the other, and reports at once (stretch.h)
 *   turn       what a warp reports from one head of a loop to the next, made in multiples (turns.h)
 *   lap        an iteration of a compiled loop that reports what the last one did (laps.h)
 *   slice      of a kernel's code, what decides which memory it uses (slice.h)
 */
#ifndef EMU_H
#define EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WARP_SIZE = 32 };

/* EACH_LANE(lane, lanes) statement: with `lane` each lane of the set `lanes`, the lowest first. */
#define EACH_LANE(lane, lanes)                                                     \
    for (uint32_t left_of_##lane = (lanes), lane;                                  \
         left_of_##lane && (lane = (uint32_t)__builtin_ctz(left_of_##lane), true); \
         left_of_##lane &= left_of_##lane - 1)

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Spreads neighbouring numbers evenly over the top bits, for hashes: 2^64 / golden ratio, odd
 * (Knuth, "The Art of Computer Programming", volume 3, section 6.4). */
static inline uint64_t hash_spread(uint64_t number)
{
    return number * UINT64_C(0x9E3779B97F4A7C15);
}

struct dim {
    uint32_t x, y, z;
};

/* How many there are in `size`, the number of the one at `at`, where number `number` is. */
static inline uint64_t dim_count(struct dim size)
{
    return (uint64_t)size.x * size.y * size.z;
}

static inline uint64_t dim_number(struct dim size, struct dim at)
{
    return at.x + (uint64_t)size.x * (at.y + (uint64_t)size.y * at.z);
}

static inline struct dim dim_at(struct dim size, uint64_t number)
{
    return (struct dim){(uint32_t)(number % size.x), (uint32_t)(number / size.x % size.y),
                        (uint32_t)(number / size.x / size.y)};
}

static inline bool dim_equal(struct dim a, struct dim b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Warps of a block of that size. */
static inline uint32_t dim_warps(struct dim block)
{
    return (uint32_t)((dim_count(block) + WARP_SIZE - 1) / WARP_SIZE);
}

/* Why a kernel stopped: what cudart reports to the program, and one line for the person. */
enum fault_kind {
    FAULT_NONE,
    FAULT_ADDRESS, /* out of bounds, freed, a host pointer: cudaErrorIllegalAddress */
    FAULT_MISALIGNED, /* cudaErrorMisalignedAddress */
    FAULT_INSTRUCTION, /* cudaErrorIllegalInstruction */
    FAULT_BARRIER, /* divergent barrier, deadlock: cudaErrorLaunchFailure */
    FAULT_TRAP, /* cudaErrorLaunchFailure */
    FAULT_UNSUPPORTED, /* an instruction or feature we do not run: cudaErrorNotSupported */
    FAULT_ASSERT, /* cudaErrorAssert */
    FAULT_INTERRUPTED, /* no fault of the kernel's: a signal ends the program */
};

struct fault {
    enum fault_kind kind;
    char message[768]; /* kernel, source line, block, thread, and what happened */
};

#endif
