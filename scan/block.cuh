/* What c4 teaches, for the steps after it: the sums before each thread of a warp and of a block, by
 * shuffles; and that scan, by one block. */
#ifndef BLOCK_CUH
#define BLOCK_CUH

#include "scan.h"

enum { THREADS = 1024, WARPS = THREADS / 32 };

/* Each lane returns the sum of its own number and of all lanes below. */
template <typename T> __device__ T warp_scan(T sum)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        const T below = __shfl_up_sync(0xffffffff, sum, offset);

        if (threadIdx.x % 32 >= offset)
            sum += below;
    }
    return sum;
}

/* Every lane returns the sum over its warp. */
template <typename T> __device__ T warp_sum(T sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    return sum;
}

/* Each thread returns the sum over all threads before it; *total becomes that over all. */
template <typename T> __device__ T block_scan(T x, T *total)
{
    __shared__ T sums[WARPS]; /* of each warp, then of it and all warps before */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const T sum = warp_scan(x), before = __shfl_up_sync(0xffffffff, sum, 1);

    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0)
        sums[lane] = warp_scan(sums[lane]);
    __syncthreads();
    *total = sums[WARPS - 1];
    return (warp > 0 ? sums[warp - 1] : 0) + (lane > 0 ? before : 0);
}

/* By one block of THREADS threads, in place: number i becomes the sum of those before it. */
template <typename T> __global__ void __launch_bounds__(THREADS) scan_by_one_block(T *a, int n)
{
    T before = 0, total; /* the sum of all earlier tiles, and of this one */

    for (int first = 0; first < n; first += THREADS) {
        const int i = first + threadIdx.x;
        const T sum = before + block_scan(i < n ? a[i] : 0, &total);

        if (i < n)
            a[i] = sum;
        before += total;
        __syncthreads();
    }
}

#endif
