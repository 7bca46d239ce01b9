/* Broken: the last thread of a block adds up what the others have not written yet.
 *
 * Its warp sums up no numbers of its own, so that on a GPU it is there long before the others. A
 * device that takes one warp after the other need not show it in every order: tests try several.
 */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    __shared__ int sums[SUMSQ_MAX_THREADS];
    const int workers = blockDim.x - 32;
    const int first = blockIdx.x * workers + threadIdx.x;
    int sum = 0;

    sums[threadIdx.x] = 0; /* or the right ones of the former run might lie here */
    partial[blockIdx.x * blockDim.x + threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x < workers ? first : n; i < n; i += gridDim.x * workers)
        sum += num[i] * num[i];
    sums[threadIdx.x] = sum;
    /* Here __syncthreads() is missing. */
    if (threadIdx.x == blockDim.x - 1) {
        for (int i = 0; i < workers; i++)
            sum += sums[i];
        partial[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    }
}

HARNESS_MAIN(sum_of_squares)
