/* v5: thread 0 adds up its block, in shared memory.
 *
 * Before: in v4 the CPU had 8192 partial sums to add.
 * Now:    the threads of a block store their sums in `shared`, in shared memory, and after a
 *         barrier thread 0 adds them. The CPU is left with one sum per block.
 * Pinned: both loops stay rolled, as in the article.
 * See:    docs/sumsq.md#v5
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
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 1; i < (int)blockDim.x; i++)
            shared[0] += shared[i];
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
                       .block_sums = true});
}
