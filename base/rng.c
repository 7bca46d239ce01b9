/* SPDX-License-Identifier: MIT */
#include "rng.h"

struct rng rng_seed(uint64_t seed)
{
    return (struct rng){.state = seed};
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio, odd */

    /* The finaliser "variant 13" of David Stafford, as in the paper's SplitMix64. */
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Multiply and take the high half; of the 2^32 low halves the first 2^32 mod bound are rejected, so
 * that every result has equally many (Lemire: "Fast random integer generation in an interval",
 * 2019). */
uint32_t rng_below(struct rng *rng, uint32_t bound)
{
    const uint32_t rejected = -bound % bound;
    uint64_t product;

    do {
        product = (rng_next(rng) >> 32) * bound;
    } while ((uint32_t)product < rejected);
    return (uint32_t)(product >> 32);
}

float rng_float(struct rng *rng)
{
    return (float)(rng_next(rng) >> 40) * 0x1p-24f;
}
