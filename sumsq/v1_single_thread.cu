/* v1: one thread does everything. A new beginning.
 *
 * Now:    in sum_of_squares() a single thread walks through all the numbers, and every load waits
 *         for the one before. This file spells out what later steps take from common/: device
 *         memory, copies, poison, repeated runs, events.
 * Pinned: the loop stays rolled, as in the article: unrolled, one thread would hide the latency
 *         this chapter is about.
 * See:    docs/sumsq.md#v1
 */
#include "sumsq.h"

__global__ void sum_of_squares(const int *num, int n, int *result, long long *time)
{
    const long long start = clock64();
    int sum = 0;

#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += num[i] * num[i];
    *result = sum;
    *time = clock64() - start;
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    const size_t bytes = n * sizeof(int);
    int *d_num, *d_result, result;
    long long *d_time;
    cudaEvent_t begin, end;

    CHECK(cudaMalloc(&d_num, bytes));
    CHECK(cudaMalloc(&d_result, sizeof(int)));
    CHECK(cudaMalloc(&d_time, sizeof(long long)));
    CHECK(cudaMemcpy(d_num, num, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    for (int i = -run->warmups; i < run->runs; i++) {
        float ms;

        if (run->poison) /* so that a result nobody wrote cannot look right */
            CHECK(cudaMemset(d_result, 0xFF, sizeof(int)));
        run_flush(run);
        CHECK(cudaEventRecord(begin));
        sum_of_squares<<<1, 1>>>(d_num, n, d_result, d_time);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0)
            run->ms[run->done++] = ms;
    }

    CHECK(cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&run->cycles, d_time, sizeof(long long), cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(d_num));
    CHECK(cudaFree(d_result));
    CHECK(cudaFree(d_time));
    return result;
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu, {.blocks = 1, .threads = 1});
}
