/* SPDX-License-Identifier: MIT */
/* Seeded random numbers, the same on every system: rand() is not. */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
struct rng {
    uint64_t state;
};

/* A generator whose numbers depend on `seed` alone. */
struct rng rng_seed(uint64_t seed);

/* The next 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* A uniform integer in [0, bound), without bias. `bound` must be positive. */
uint32_t rng_below(struct rng *rng, uint32_t bound);

/* A uniform float in [0, 1), a multiple of 2^-24. */
float rng_float(struct rng *rng);

#ifdef __cplusplus
}
#endif
#endif
