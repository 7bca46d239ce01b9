/* SPDX-License-Identifier: MIT */
/* The cache in front of a multiprocessor's texture units: it spares device memory what was fetched
 * before, not the latency (CUDA C++ Programming Guide, "Texture and Surface Memory").
 * Direct-mapped, in lines of a sector. */
#ifndef TEXTURE_CACHE_H
#define TEXTURE_CACHE_H

#include "machine/observer.h"

/* Four texture units a multiprocessor, from the G80 on (NVIDIA's whitepapers: two multiprocessors
 * with eight address units there, four units each since Kepler's sixteen). */
static inline uint32_t texture_clocks(uint32_t lanes)
{
    return ((uint32_t)__builtin_popcount(lanes) + 3) / 4;
}

struct texture_cache {
    uint64_t *sectors; /* by line: sector + 1; NULL until the first fetch */
    size_t lines;
};

/* What a fetch takes. */
struct fetch_cost {
    uint32_t clocks; /* of the texture units */
    uint32_t misses; /* sectors from device memory */
};

/* A fetch through a cache of `bytes`. */
struct fetch_cost texture_cache_fetch(struct texture_cache *cache, size_t bytes,
                                      const struct fetch_event *event);
/* Forget what it holds. */
void texture_cache_free(struct texture_cache *cache);

#endif
