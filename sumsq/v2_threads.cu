/* v2: 256 threads, one slice of the numbers each. A new beginning.
 *
 * Before: in v1 one thread waited for every load.
 * Now:    while one warp waits for its load, another issues the next. Every thread sums a slice of
 *         its own, from `begin` to `end`, and the CPU adds up the partial sums.
 * Pinned: the loop stays rolled, as in the article: unrolled, one thread would hide the latency
 *         this chapter is about.
 * See:    docs/sumsq.md#v2
 */
#include "sumsq.h"

__global__ void sum_of_squares(const int *num, int n, int *partial, long long *time)
{
    const long long start = clock64();
    const int size = (n + blockDim.x - 1) / blockDim.x;
    const int begin = threadIdx.x * size;
    const int end = min(begin + size, n);
    int sum = 0;

#pragma unroll 1
    for (int i = begin; i < end; i++)
        sum += num[i] * num[i];
    partial[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *time = clock64() - start;
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    int partial[SUMSQ_MAX_THREADS];
    int *d_num = device_input(int, num, n);
    int *d_partial = device_output(int, run, run->threads);
    long long *d_time = device_output(long long, run, 1);

    TIMED(run)
        sum_of_squares<<<1, run->threads>>>(d_num, n, d_partial, d_time);

    device_fetch(int, partial, d_partial, run->threads);
    device_fetch(long long, &run->cycles, d_time, 1);
    device_free(run, d_num);
    device_free(run, d_partial);
    device_free(run, d_time);
    return sumsq_add(partial, run->threads);
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu,
                      {.blocks = 1, .threads = 256, .max_threads = SUMSQ_MAX_THREADS});
}
