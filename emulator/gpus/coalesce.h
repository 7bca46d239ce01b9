/* SPDX-License-Identifier: MIT */
/* What a warp's memory instruction costs: pure functions from the addresses of its lanes.
 *
 * `lanes` is a set of lanes, not empty; `addresses[lane]` counts only for lanes in it, and the
 * others may hold anything. `bytes` is what one lane moves (element size x vector width), a power
 * of two from 1 to 32, and each address is a multiple of the element's size.
 */
#ifndef COALESCE_H
#define COALESCE_H

#include "emu.h"
#include "gpus/gpu.h"

enum { SECTOR_BYTES = 32, LINE_BYTES = 128, BANK_BYTES = 4 };

/* What a half-warp of compute 1.x sends to memory. */
struct half_warp_traffic {
    uint32_t shared, single; /* transactions: for several lanes, for one lane */
    uint32_t moved; /* bytes they carry */
};

/* The transactions of a half-warp, of which `lanes` are bits 0 to 15, under one of two rules.
 *
 * COALESCE_HALF_WARP (compute 1.0 and 1.1): where lane k reads element k, of 4, 8 or 16 bytes, of a
 * segment aligned to 16 elements, it is one transaction of 64 or 128 bytes, or two of 128; lanes
 * may sit idle. Else it is a transaction of at least 32 bytes for each active lane (CUDA
 * Programming Guide 1.1, section 5.1.2.1).
 *
 * COALESCE_SEGMENTS (compute 1.2 and 1.3): in any order, one transaction for each segment of 128
 * bytes that lanes touch, or of 64 for 2-byte elements and of 32 for single bytes. It shrinks to
 * the half, and to the quarter, that has all they want of it (guide 2.3, section 5.1.2.1). */
struct half_warp_traffic coalesce_half_warp(enum coalescing rule, uint32_t lanes,
                                            const uint64_t *addresses, uint32_t bytes);

/* One request to global memory. */
struct traffic {
    uint32_t sectors; /* different 32-byte sectors touched */
    uint32_t lines; /* different 128-byte lines touched */
    uint32_t transactions; /* sent to memory: one a line, or what the half-warps make */
    uint32_t single; /* of these, those that a half-warp makes for one lane */
    uint32_t moved; /* bytes these transactions carry */
};

/* A request to global memory under `rule`.
 *
 * COALESCE_SECTORS: every sector touched is moved once, however many lanes want it; equal to what
 * Nsight Compute counts as smsp__sass_sectors_mem_global.
 *
 * COALESCE_HALF_WARP, COALESCE_SEGMENTS: what both half-warps send, coalesce_half_warp(). */
struct traffic coalesce(enum coalescing rule, uint32_t lanes, const uint64_t *addresses,
                        uint32_t bytes);

/* The same under COALESCE_SECTORS where the lanes touch every byte from `begin` to before `end`. */
struct traffic coalesce_span(uint64_t begin, uint64_t end);

/* One request to shared memory. A wavefront is one pass over the banks. */
struct wavefronts {
    uint32_t total;
    uint32_t ideal; /* without bank conflicts; total - ideal is what they cost */
};

/* A request to shared memory of `banks` 4-byte banks that serve `bank_lanes` lanes together.
 *
 * 32 lanes together: 64-bit accesses go by half-warps, 128-bit ones by quarter-warps, and lanes
 * that want the same word share it. A wide load whose lanes k and k ^ 1, or k and k ^ 2, all agree
 * returns half as many registers and takes groups twice as large (NVIDIA's developer forum, topic
 * 77228, on compute 7.0 to 7.5). Equal to smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.
 *
 * 16 lanes together (compute 1.x): wide accesses go word by word, each conflicting by its stride,
 * and one word a pass, here that of the lowest lane left, may be broadcast. */
struct wavefronts bank_wavefronts(int banks, int bank_lanes, bool load, uint32_t lanes,
                                  const uint64_t *offsets, uint32_t bytes);

/* Sectors of a request to local memory at offsets in each thread's own. It is laid out word by word
 * across the lanes: the same word of all 32 lanes is one line. */
uint32_t local_sectors(uint32_t lanes, const uint64_t *offsets, uint32_t bytes);

/* How many different addresses: a request to constant memory takes that many passes. */
uint32_t distinct_addresses(uint32_t lanes, const uint64_t *addresses);

#endif
