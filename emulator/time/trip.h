/* SPDX-License-Identifier: MIT */
/* What a request to memory costs in the plain model. */
#ifndef TRIP_H
#define TRIP_H

#include "machine/observer.h"

/* Its passes through the memory pipe, and its latency without them. */
struct trip {
    uint32_t passes;
    int latency;
};

static inline struct trip global_trip(const struct gpu *gpu, uint64_t *moved,
                                      struct traffic traffic)
{
    enum { BYTES_A_CLOCK = 64 };
    const uint32_t passes = (traffic.moved + BYTES_A_CLOCK - 1) / BYTES_A_CLOCK;

    *moved += traffic.moved;
    return (struct trip){
        .passes = passes > traffic.transactions ? passes : traffic.transactions,
        .latency = gpu->global_latency,
    };
}

static inline struct trip local_trip(const struct gpu *gpu, uint64_t *moved, uint32_t sectors)
{
    enum { SECTORS_A_CLOCK = LINE_BYTES / SECTOR_BYTES };
    const bool cached = gpu->coalescing == COALESCE_SECTORS;

    if (!cached)
        *moved += (uint64_t)sectors * SECTOR_BYTES;
    return (struct trip){
        .passes = (sectors + SECTORS_A_CLOCK - 1) / SECTORS_A_CLOCK,
        .latency = cached ? gpu->shared_latency : gpu->global_latency,
    };
}

static inline struct trip trip_of(const struct gpu *gpu, uint64_t *moved, enum ptx_space space,
                                  const struct price *price)
{
    switch (space) {
    case PTX_GLOBAL:
        return global_trip(gpu, moved, price->global);
    case PTX_LOCAL:
        return local_trip(gpu, moved, price->passes);
    case PTX_CONST:
        return (struct trip){price->passes, gpu->shared_latency};
    default:
        return (struct trip){price->shared.total, gpu->shared_latency};
    }
}

#endif
