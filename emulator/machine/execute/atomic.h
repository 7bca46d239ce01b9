/* SPDX-License-Identifier: MIT */
/* What bulk copies that reduce (cp.reduce.async.bulk) share with atomic instructions. */
#ifndef ATOMIC_H
#define ATOMIC_H

#include "machine/warp.h"

/* Is there such an operation, by the instruction's modifier, on elements of that type? */
bool atomic_can_reduce(const struct ptx_instr *instr, enum ptx_type type);
/* Reduce `bytes` bytes of elements from `from` into global memory at `to`. */
void atomic_reduce(struct warp *warp, const struct ptx_instr *instr, enum ptx_type type, char *to,
                   const char *from, uint32_t bytes);

#endif
