/* Chapter: sorting. n keys in order; and pairs, of which those with equal keys keep their order.
 *
 * Here is what every step shares: the inputs, the check, the sizes, the options and the report.
 * What happens on the device is in the step.
 */
#ifndef SORT_H
#define SORT_H

#include <stdalign.h>

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SORT_N = 32 * 1024 * 1024,
    SORT_EMULATED_N = 256 * 1024, /* where a model runs it, unless --n says otherwise */
    SORT_ONE_TILE_N = 2048, /* of steps that sort what one block holds */
};

/* Items: a key of 32 or of 64 bits, alone or with a value of as many. A pair is loaded and stored
 * as one word, of 8 or 16 bytes. */
typedef unsigned long long wide_key;
typedef struct {
    alignas(8) unsigned value;
    unsigned key;
} pair_t;
typedef struct {
    alignas(16) unsigned long long value;
    wide_key key;
} wide_pair;

/* The device side of a step: from n host items to the same in order. */
typedef void sort_keys(const unsigned *a, int n, struct run *run, unsigned *sorted);
typedef void sort_wide_keys(const wide_key *a, int n, struct run *run, wide_key *sorted);
typedef void sort_pairs(const pair_t *a, int n, struct run *run, pair_t *sorted);
typedef void sort_wide_pairs(const wide_pair *a, int n, struct run *run, wide_pair *sorted);

/* What a step does. */
struct sort_step {
    sort_keys *keys;
    sort_wide_keys *wide_keys;
    sort_pairs *pairs; /* NULL, like the next: it is not stable, and has none */
    sort_wide_pairs *wide_pairs;
    bool one_tile; /* sorts no more than SORT_ONE_TILE_N */
    int tile; /* else: keys of a block ... */
    struct chapter_wave wave; /* ... of this kernel */
};

/* main() of a step, STEP. Returns the exit code. */
int sort_main(int argc, char **argv, struct step step, struct sort_step how);

#ifdef __cplusplus
}

/* The first fields of a sort_step, if sort_gpu() takes items of all kinds. */
#define OF_ALL_ITEMS(sort_gpu)                                                              \
    .keys = sort_gpu<unsigned>, .wide_keys = sort_gpu<wide_key>, .pairs = sort_gpu<pair_t>, \
    .wide_pairs = sort_gpu<wide_pair>

/* Its last one: of a kernel that takes items of all kinds, too. */
#define WAVE_OF(kernel, ...) .wave = {(void *)kernel<unsigned>, __VA_ARGS__}

/* The key of an item. */
__host__ __device__ inline unsigned key_of(unsigned key)
{
    return key;
}
__host__ __device__ inline wide_key key_of(wide_key key)
{
    return key;
}
__host__ __device__ inline unsigned key_of(pair_t pair)
{
    return pair.key;
}
__host__ __device__ inline wide_key key_of(wide_pair pair)
{
    return pair.key;
}

/* How many bits the key of an item has. */
template <typename T> constexpr int KEY_BITS = 8 * sizeof(key_of(T()));
#endif

#endif
