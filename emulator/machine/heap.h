/* SPDX-License-Identifier: MIT */
/* The heap that kernels allocate from with malloc() and new. One for the machine: it outlives
 * launches, and no two threads use it at once (an operation that orders blocks, see lockstep.c). */
#ifndef HEAP_H
#define HEAP_H

#include "machine.h"

struct heap;

/* `bytes` of global memory at a multiple of 16, or 0 where there is no room. What was freed is used
 * again only once no fresh memory is left. */
uint64_t heap_allocate(struct machine *machine, uint64_t bytes);
/* False: heap_allocate() did not return this address, or it is free again. */
bool heap_free(struct machine *machine, uint64_t address);
/* Forget all of it. */
void heap_clear(struct machine *machine);
/* What is known of the heap, made if there is none yet, for a launch that is to change nothing; and
 * that put back, which frees the copy. NULL: no memory. */
struct heap *heap_keep(struct machine *machine);
void heap_restore(struct machine *machine, struct heap *kept);

#endif
