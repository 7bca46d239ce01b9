/* Broken: adds to what the output held before, and so once more in every run. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    partial[blockIdx.x * blockDim.x + threadIdx.x] += harness_sum(num, n);
}

HARNESS_MAIN(sum_of_squares)
