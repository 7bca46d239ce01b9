/* From g1: the sum of n numbers is added to *sum. */
#ifndef ADD_UP_CUH
#define ADD_UP_CUH

enum { THREADS = 256, BLOCKS = 1024 };

static __global__ void add_up(const int *a, int n, unsigned long long *sum)
{
    long long mine = 0;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        mine += a[i];
    for (int distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, (unsigned long long)mine);
}

#endif
