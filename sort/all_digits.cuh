/* How many items have each digit, for all passes at once, as a histogram of b2's kind. */
#ifndef ALL_DIGITS_CUH
#define ALL_DIGITS_CUH

#include "tile.cuh"

template <typename T> constexpr int PASSES = KEY_BITS<T> / BITS;

/* The items of each digit, in each of its places: counts[pass][digit]. */
template <typename T>
__global__ void __launch_bounds__(SORTERS) count_all(const T *a, int n, int *counts)
{
    __shared__ int mine[PASSES<T>][DIGITS];
    const int t = threadIdx.x;

    for (int pass = 0; pass < PASSES<T>; pass++)
        mine[pass][t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * SORTERS + t; i < n; i += gridDim.x * SORTERS)
        for (int pass = 0; pass < PASSES<T>; pass++)
            atomicAdd(&mine[pass][digit_of(a[i], pass * BITS)], 1);
    __syncthreads();
    for (int pass = 0; pass < PASSES<T>; pass++)
        atomicAdd(&counts[pass * DIGITS + t], mine[pass][t]);
}

#endif
