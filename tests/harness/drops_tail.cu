/* Broken: n / threads numbers a thread, rounded down. The last ones are nobody's. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    const int threads = gridDim.x * blockDim.x;

    partial[blockIdx.x * blockDim.x + threadIdx.x] = harness_sum(num, n / threads * threads);
}

HARNESS_MAIN(sum_of_squares)
