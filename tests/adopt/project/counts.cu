/* A histogram of bytes by shared counters. With PLANT_RACE a block adds to its counters without
 * atomics. */
#include "counts.h"

enum { THREADS = 128, BLOCKS = 4 };

__device__ void count(unsigned *bin)
{
#ifdef PLANT_RACE
    *bin += 1;
#else
    atomicAdd(bin, 1);
#endif
}

__global__ void histogram(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned own[BINS];

    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        count(&own[data[i] % BINS]);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

void count_bytes(const unsigned char *data, int n, unsigned *bins)
{
    histogram<<<BLOCKS, THREADS>>>(data, n, bins);
}
