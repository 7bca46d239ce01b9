/* Broken: the last thread of a block adds up what the others may not have written yet.
 *
 * A device that takes one warp after the other forgives it, as long as it takes the last warp last.
 */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    __shared__ int sums[SUMSQ_MAX_THREADS];
    const int last = blockDim.x - 1;
    int sum = harness_sum(num, n);

    sums[threadIdx.x] = sum;
    /* Here __syncthreads() is missing. */
    if (threadIdx.x == last)
        for (int i = 0; i < last; i++)
            sum += sums[i];
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x == last ? sum : 0;
}

HARNESS_MAIN(sum_of_squares)
