/* SPDX-License-Identifier: MIT */
/* Whole kernels made up at random, in which nothing is left open: no race, no undefined value, no
 * result that PTX lets a GPU choose (kernel_lines.c lists what is left out). So every device
 * must give the same results. Each result goes into a log, a slot of it for each. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>
#include <stdio.h>

enum {
    KERNEL_BLOCKS = 2,
    KERNEL_BLOCK_THREADS = 64,
    KERNEL_THREADS = KERNEL_BLOCKS * KERNEL_BLOCK_THREADS,
    KERNEL_SLOTS = 224, /* at most */
    SLOT_BYTES = 8 * KERNEL_THREADS, /* a slot: thread by thread its result, in 8 bytes */
    INPUT_WORDS = 1024, /* of 64 bits */
    LOG_UNWRITTEN = 0xCD, /* a log's bytes before the launch */
};

/* What stands in a slot: the result of `line` in the register `result`. */
struct kernel_slot {
    char line[200], result[8];
};

/* Kernels of compute capability 9.0; or such as the first GPUs run, too. */
enum kernel_age { KERNEL_OLD, KERNEL_NEW };

/* What stands in front of the kernels of a module; and the kernel `k<number>` of a seed, which
 * takes the addresses of its log and of the input. Returns how many slots it fills, `slots` what
 * with. */
void put_module(FILE *file, uint64_t seed, enum kernel_age age);
int put_kernel(FILE *file, uint64_t seed, uint32_t number, enum kernel_age age,
               struct kernel_slot slots[KERNEL_SLOTS]);

/* What the kernels of a seed read. */
void fill_input(uint64_t seed, uint64_t input[INPUT_WORDS]);

#endif
