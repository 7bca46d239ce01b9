/* Broken: squares the input in place. The first run is right; the next squares squares. */
#include "harness.h"

__global__ void sum_of_squares(int *num, int n, int *partial)
{
    int sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        num[i] *= num[i];
        sum += num[i];
    }
    partial[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

HARNESS_MAIN(sum_of_squares)
