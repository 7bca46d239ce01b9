/* Chapter: sorting. n keys in order; and pairs, of which those with equal keys keep their order.
 *
 * Here is what every step shares: the inputs, the check, the sizes, the options and the report.
 * What happens on the device is in the step.
 */
#ifndef SORT_H
#define SORT_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SORT_N = 32 * 1024 * 1024,
    SORT_EMULATED_N = 256 * 1024, /* where a model runs it, unless --n says otherwise */
    SORT_ONE_TILE_N = 2048, /* of steps that sort what one block holds */
};

/* A key of 32 bits, in the upper half of a word of 64, and a value in the lower. */
typedef unsigned long long pair_t;

/* The device side of a step: from n host items to the same in order. */
typedef void sort_keys(const unsigned *a, int n, struct run *run, unsigned *sorted);
typedef void sort_pairs(const pair_t *a, int n, struct run *run, pair_t *sorted);

/* What a step does. */
struct sort_step {
    sort_keys *keys;
    sort_pairs *pairs; /* NULL: it is not stable, and has none */
    bool one_tile; /* sorts no more than SORT_ONE_TILE_N */
};

/* main() of a step, STEP. Returns the exit code. */
int sort_main(int argc, char **argv, struct step step, struct sort_step how);

#ifdef __cplusplus
}

/* The key of an item. */
__host__ __device__ inline unsigned key_of(unsigned key)
{
    return key;
}
__host__ __device__ inline unsigned key_of(pair_t pair)
{
    return pair >> 32;
}
#endif

#endif
