/* What k9 and k9b teach, for the steps after them: a tile that is loaded, then counted, and whose
 * items then go straight to their places. */
#ifndef PLACES_CUH
#define PLACES_CUH

#include "or.cuh"

/* A block's shared memory, for EACH items per thread. */
template <typename T, int EACH> struct placed_tile {
    T items[SORTERS * EACH];
    int counts[SORTER_WARPS][DIGITS]; /* in each warp's part; then where its next item belongs */
    unsigned seen[SORTER_WARPS][DIGITS]; /* the lanes of a warp with this digit, for a moment */
    int bases[DIGITS]; /* where the tile's items of a digit begin in the output, less in the tile */
    int number;
};

/* All threads of the block call it, and then pass a barrier. */
template <typename T, int EACH>
__device__ void clear_and_number(placed_tile<T, EACH> *tile, int *started)
{
    for (int i = threadIdx.x; i < SORTER_WARPS * DIGITS; i += blockDim.x)
        tile->counts[0][i] = tile->seen[0][i] = 0;
    if (threadIdx.x == 0)
        tile->number = atomicAdd(started, 1);
}

/* Load this thread's items. */
template <typename T, int EACH> __device__ void load(const T *a, int here, T (&items)[EACH])
{
#pragma unroll
    for (int k = 0; k < EACH; k++)
        items[k] = place<EACH>(k) < here ? a[place<EACH>(k)] : last_item<T>();
}

/* Count their digits. */
template <typename T, int EACH>
__device__ void count(placed_tile<T, EACH> *tile, int shift, const T *items)
{
#pragma unroll
    for (int k = 0; k < EACH; k++)
        atomicAdd(&tile->counts[threadIdx.x / 32][digit_of(items[k], shift)], 1);
}

/* How many items of the tile have this digit. */
template <typename T, int EACH> __device__ int count_of(const placed_tile<T, EACH> *tile, int digit)
{
    int count = 0;

    for (int warp = 0; warp < SORTER_WARPS; warp++)
        count += tile->counts[warp][digit];
    return count;
}

/* Instead of counts, where each warp's items of this digit belong; it begins at `before`. */
template <typename T, int EACH>
__device__ void set_places(placed_tile<T, EACH> *tile, int digit, int before)
{
    for (int warp = 0; warp < SORTER_WARPS; warp++) {
        const int here = tile->counts[warp][digit];

        tile->counts[warp][digit] = before;
        before += here;
    }
}

/* Put this thread's items into the tile. */
template <typename T, int EACH>
__device__ void put(placed_tile<T, EACH> *tile, int shift, const T *items)
{
    const int warp = threadIdx.x / 32;

#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int digit = digit_of(items[k], shift);

        tile->items[rank_of(tile->counts[warp], tile->seen[warp], digit)] = items[k];
    }
}

/* Store the tile's first `here` items. */
template <typename T, int EACH>
__device__ void store(const placed_tile<T, EACH> *tile, int here, int shift, T *out)
{
    for (int i = threadIdx.x; i < here; i += blockDim.x)
        out[tile->bases[digit_of(tile->items[i], shift)] + i] = tile->items[i];
}

#endif
