/* SPDX-License-Identifier: MIT */
/* Where the random numbers of cuRAND come from: three of its generators. Each is many subsequences
 * that take turns, as the manual of cuRAND orders results. */
#ifndef CURAND_SOURCE_H
#define CURAND_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

enum source_kind { SOURCE_XORWOW, SOURCE_MRG32K3A, SOURCE_PHILOX };

struct source {
    enum source_kind kind;
    uint64_t seed;
    uint64_t subsequences; /* how many subsequences there are */
    uint64_t next; /* the subsequence whose turn it is; of Philox the number that is next */
    uint64_t first; /* of Philox: the number that was next at the start */
    struct xorwow *xorwow;
    struct mrg *mrg;
};

/* Begin after `offset` numbers, in the order of today or of before CUDA 11. False: no memory. */
bool source_start(struct source *source, enum source_kind kind, bool legacy, uint64_t seed,
                  uint64_t offset);
void source_stop(struct source *source);

/* Draw from the subsequence whose turn it is: 32 bits, or a number in (0, 1]. */
uint32_t source_bits(struct source *source);
float source_uniform(struct source *source);
double source_uniform_double(struct source *source);
/* The turn is over. */
void source_turn(struct source *source);
/* Is the second of a pair next? Then the first one is, from now on. */
bool source_to_pair(struct source *source);

#endif
