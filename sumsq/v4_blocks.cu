/* v4: 32 blocks.
 *
 * Before: in v3 a single block kept a single SM busy, however many the card has.
 * Now:    32 blocks of 256 threads spread over the SMs. Thread t of the whole grid, `thread`, reads
 *         t, t + all threads, ... Every block records when it starts and ends, and the CPU adds up
 *         8192 partial sums.
 * Pinned: the loop over the numbers stays rolled, as in the article.
 * See:    docs/sumsq.md#v4
 */
#include <stdlib.h>

#include "sumsq.h"

__global__ void sum_of_squares(const int *num, int n, int *partial, long long *time)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;

    if (threadIdx.x == 0)
        time[blockIdx.x] = clock64();
#pragma unroll 1
    for (int i = thread; i < n; i += gridDim.x * blockDim.x)
        sum += num[i] * num[i];
    partial[thread] = sum;
    if (threadIdx.x == 0)
        time[gridDim.x + blockIdx.x] = clock64();
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    const int count = run->blocks * run->threads;
    int *partial = (int *)memory_host(count * sizeof(int));
    int *d_num = device_input(int, num, n);
    int *d_partial = device_output(int, run, count);
    long long *d_time = device_output(long long, run, 2 * run->blocks);
    long long sum;

    TIMED(run)
        sum_of_squares<<<run->blocks, run->threads>>>(d_num, n, d_partial, d_time);

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
                       .max_threads = SUMSQ_MAX_THREADS});
}
