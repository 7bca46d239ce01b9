/* Broken: a thread whose sum is 0 writes nothing, as if memory were born zero. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    const int sum = harness_sum(num, n);

    if (sum)
        partial[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

HARNESS_MAIN(sum_of_squares)
