/* Nothing is broken here: what the others are accused of is not the fault of what they share. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    partial[blockIdx.x * blockDim.x + threadIdx.x] = harness_sum(num, n);
}

HARNESS_MAIN(sum_of_squares)
