/* v6: each block adds as a tree.
 *
 * Before: in v5 thread 0 added 256 sums, one after the other, while 255 threads waited.
 * Now:    in each round the threads whose number is a multiple of 2, 4, 8 ... add the sum 1, 2, 4
 *         ..., `offset`, further on: 8 rounds instead of 255 additions. The working threads are
 *         scattered, so most warps take part in most rounds with only a few of their lanes active.
 * Pinned: both loops stay rolled, as in the article.
 * See:    docs/sumsq.md#v6
 */
#include <stdlib.h>

#include "sumsq.h"

__global__ void sum_of_squares(const int *num, int n, int *partial, long long *time)
{
    extern __shared__ int shared[];
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;

    if (threadIdx.x == 0)
        time[blockIdx.x] = clock64();
#pragma unroll 1
    for (int i = thread; i < n; i += gridDim.x * blockDim.x)
        sum += num[i] * num[i];
    shared[threadIdx.x] = sum;
    __syncthreads();

#pragma unroll 1
    for (int offset = 1, mask = 1; offset < (int)blockDim.x; offset += offset, mask += offset) {
        if ((threadIdx.x & mask) == 0)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = shared[0];
        time[gridDim.x + blockIdx.x] = clock64();
    }
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    const int count = run->blocks;
    int *partial = (int *)memory_host(count * sizeof(int));
    int *d_num = device_input(int, num, n);
    int *d_partial = device_output(int, run, count);
    long long *d_time = device_output(long long, run, 2 * run->blocks);
    long long sum;

    run->shared_bytes = run->threads * sizeof(int);
    TIMED(run)
        sum_of_squares<<<run->blocks, run->threads, run->shared_bytes>>>(d_num, n, d_partial,
                                                                         d_time);

    device_fetch(int, partial, d_partial, count);
    sumsq_clocks(run, d_time, run->blocks);
    device_free(run, d_num);
    device_free(run, d_partial);
    device_free(run, d_time);
    sum = sumsq_add(partial, count);
    free(partial);
    return sum;
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu,
                      {.blocks = 32,
                       .threads = 256,
                       .max_blocks = SUMSQ_MAX_BLOCKS,
                       .max_threads = SUMSQ_MAX_THREADS,
                       .power_of_two = true,
                       .block_sums = true});
}
