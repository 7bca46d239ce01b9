/* Broken: no result is ever written. Whatever the memory holds from before is taken for one. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    const int sum = harness_sum(num, n);

    if (sum < 0) /* never */
        partial[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

HARNESS_MAIN(sum_of_squares)
