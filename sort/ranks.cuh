/* What k6 teaches, for the step after it: a tile in the order of a digit, by ranks in warps. */
#ifndef RANKS_CUH
#define RANKS_CUH

#include "tile.cuh"

/* The rank of an item among those of its digit that this warp has had so far. */
__device__ inline int rank_of(int *counts, int digit)
{
    const unsigned same = __match_any_sync(0xffffffff, digit), me = 1u << threadIdx.x % 32;
    const int before = counts[digit];

    __syncwarp();
    if ((same & (me - 1)) == 0) /* the first of them */
        counts[digit] = before + __popc(same);
    __syncwarp();
    return before + __popc(same & (me - 1));
}

/* Sort `here` items at `a` into tile->items. Items behind the end count as the largest digit. All
 * threads call it; thread t returns how many items have digit t. */
template <typename T> __device__ int sort_tile(tile_of<T> *tile, const T *a, int here, int shift)
{
    int *const counts = tile->counts[threadIdx.x / 32], digit = threadIdx.x, count = 0;
    T items[ITEMS<T>];
    int ranks[ITEMS<T>];

    for (int i = threadIdx.x; i < SORTER_WARPS * DIGITS; i += SORTERS)
        tile->counts[0][i] = 0;
    __syncthreads();
    for (int k = 0; k < ITEMS<T>; k++) {
        items[k] = place<ITEMS<T>>(k) < here ? a[place<ITEMS<T>>(k)] : last_item<T>();
        ranks[k] = rank_of(counts, digit_of(items[k], shift));
    }
    __syncthreads();
    for (int warp = 0; warp < SORTER_WARPS; warp++)
        count += tile->counts[warp][digit];
    int before = tile->starts[digit] = before_digit(count);

    for (int warp = 0; warp < SORTER_WARPS; warp++) {
        const int here = tile->counts[warp][digit];

        tile->counts[warp][digit] = before;
        before += here;
    }
    __syncthreads();
    for (int k = 0; k < ITEMS<T>; k++)
        tile->items[counts[digit_of(items[k], shift)] + ranks[k]] = items[k];
    __syncthreads();
    return count;
}

#endif
