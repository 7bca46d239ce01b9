/* SPDX-License-Identifier: MIT */
/* The slice of a kernel: of its instructions those that decide which global memory it uses. */
#ifndef SLICE_H
#define SLICE_H

#include "op.h"

/* Give each kernel of the program that has one its slice: code whose other instructions do
 * nothing. Where it runs (block->sliced), requests to global memory are those of the kernel, in the
 * same order, but copies in the background move nothing, and most values are anything.
 *
 * No kernel has a slice where what is read from global memory decides, in any kernel of the
 * program, which memory it uses or which way it goes: what one kernel leaves out, another one could
 * miss. Nor has one that calls a function or reads the clock.
 *
 * Shared memory holds floats, which decide nothing, and counts, which may. By the rules of C no
 * place holds both; a block stops with a fault if a count comes from where a copy was to go. */
void slice_program(struct program *program);
void slice_free(struct code *slice);

#endif
