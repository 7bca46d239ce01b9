/* What k11 teaches, for the step after it: two warps that look back. */
#ifndef LOOKERS_CUH
#define LOOKERS_CUH

#include "many.cuh"

enum { LOOKERS = 64, EACH = DIGITS / LOOKERS, SWEEPERS = SORTERS + LOOKERS };

/* Add to each sum that of all tiles before this one, whose word of the first digit is at `at`; the
 * other digits are LOOKERS further on each. Words up to `nothing` say nothing. */
__device__ inline void look_back_for_four(volatile word *at, int tile, int nothing, int *sums)
{
    unsigned open = (1 << EACH) - 1; /* whose sums are not complete */

    for (int k = tile; k > 0 && open; k--) {
        word found[EACH];

        at -= DIGITS;
        for (bool missing = true; missing;) {
            missing = false;
            for (int d = 0; d < EACH; d++) {
                found[d] = at[d * LOOKERS];
                missing |= found[d] >> 32 <= nothing;
            }
        }
        for (int d = 0; d < EACH; d++) {
            if (open >> d & 1)
                sums[d] += (int)found[d];
            if (found[d] >> 32 == nothing + ALL_SUM)
                open &= ~(1u << d);
        }
    }
}

/* Where the tile's digits belong. `totals` are its counts. */
template <typename T>
__device__ void look(tile_t<T> *tile, const int *totals, volatile word *words, int nothing)
{
    const int first = threadIdx.x - SORTERS;
    volatile word *const own = words + (size_t)tile->number * DIGITS + first;
    int sums[EACH] = {};

    look_back_for_four(own, tile->number, nothing, sums);
    for (int d = 0; d < EACH; d++) {
        const int digit = first + d * LOOKERS;

        own[d * LOOKERS] = word_of_sum(nothing + ALL_SUM, sums[d] + totals[digit]);
        tile->bases[digit] += sums[d];
    }
}

/* What a block does in a pass of sort_by_sweeps(). It has SWEEPERS threads and sizeof(tile_t<T>)
 * bytes of dynamic shared memory. Words up to `nothing` are left from earlier passes. */
template <typename T>
__device__ void sweep_tile(const T *a, int n, int shift, const int *counts, volatile word *words,
                           int *started, T *out, int nothing = NOTHING)
{
    extern __shared__ __align__(16) char room[];
    __shared__ int totals[DIGITS];
    tile_t<T> *const tile = (tile_t<T> *)room;
    const bool sorter = threadIdx.x < SORTERS;
    const int t = threadIdx.x, start = before_digit(sorter ? counts[t] : 0);
    T items[MANY<T>];

    clear_and_number(tile, started);
    __syncthreads();
    const int first = tile->number * MANY_TILE<T>, here = min(MANY_TILE<T>, n - first);

    if (sorter) {
        load(a + first, here, items);
        count(tile, shift, items);
    }
    __syncthreads();
    const int total = sorter ? count_of(tile, t) : 0, in_tile = before_digit(total);

    if (sorter) {
        words[(size_t)tile->number * DIGITS + t] = word_of_sum(nothing + ITS_SUM, total);
        totals[t] = total;
        tile->bases[t] = start - in_tile;
        set_places(tile, t, in_tile);
    }
    __syncthreads();
    if (sorter)
        put(tile, shift, items);
    else
        look<T>(tile, totals, words, nothing);
    __syncthreads();
    store(tile, here, shift, out);
}

#endif
