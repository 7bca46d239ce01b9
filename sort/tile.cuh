/* The tile of a block, for the steps from k6 on, and where the digits of 8 bits begin in it. */
#ifndef TILE_CUH
#define TILE_CUH

#include "passes.cuh"

enum { BITS = 8, DIGITS = 1 << BITS, SORTERS = DIGITS, SORTER_WARPS = SORTERS / 32 };

/* Items of a thread, and of a block. */
template <typename T> constexpr int ITEMS = 64 / sizeof(T);
template <typename T> constexpr int TILE = SORTERS *ITEMS<T>;

template <typename T> __device__ int digit_of(T item, int shift)
{
    return key_of(item) >> shift & (DIGITS - 1);
}

/* Stands for items behind the end: they have the largest of each digit. */
template <typename T> __device__ T last_item()
{
    T item;

    memset(&item, 0xff, sizeof(T));
    return item;
}

/* Thread t has the count of digit t in `count`, and returns that of all digits before. All threads
 * of the block call it, and pass a barrier before they do so again. */
__device__ inline int before_digit(int count)
{
    __shared__ int sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = warp_scan(count);
    int before = sum - count;

    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    for (int k = 0; k < warp; k++)
        before += sums[k];
    return before;
}

/* A block's shared memory. */
template <typename T> struct tile_of {
    T items[TILE<T>];
    int counts[SORTER_WARPS][DIGITS]; /* in each warp's part; then where these begin in the tile */
    int starts[DIGITS];
};

/* Where item k of this thread's EACH lies in the tile: a warp has its own part, lane by lane. */
template <int EACH> __device__ int place(int k)
{
    return threadIdx.x / 32 * 32 * EACH + k * 32 + threadIdx.x % 32;
}

#endif
