/* SPDX-License-Identifier: MIT */
/* How a warp's memory instruction is served, piece by piece: what coalesce.h counts, laid out for a
 * picture. Slow and plain; arguments as there. */
#ifndef PASSES_H
#define PASSES_H

#include "gpus/coalesce.h"

/* Bytes that memory moves for a request. */
struct piece {
    uint64_t address;
    uint32_t bytes;
};

/* What a request to global memory moves under `rule`: sectors, or transactions of half-warps, whose
 * bytes add up to coalesce()'s. In `pieces` is room for `most`; returns how many there are, which
 * may be more. */
int global_pieces(enum coalescing rule, uint32_t lanes, const uint64_t *addresses, uint32_t bytes,
                  struct piece *pieces, int most);

enum { PASS_WORDS = 8 };

/* The pass over the banks that serves word `w` of lane `l` of a request to shared memory, into
 * passes[l][w]; the highest is one below bank_wavefronts()'s total. `bytes` is 32 at most. */
void bank_passes(int banks, int bank_lanes, bool load, uint32_t lanes, const uint64_t *offsets,
                 uint32_t bytes, uint16_t passes[WARP_SIZE][PASS_WORDS]);

#endif
