/* Broken: right results, and one more behind the last. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;

    partial[thread] = harness_sum(num, n);
    if (thread == gridDim.x * blockDim.x - 1)
        partial[thread + 1] = 0;
}

HARNESS_MAIN(sum_of_squares)
