/* r0: a tree in global memory.
 *
 * Now:    in reduction() a block adds 256 neighbours as a tree. In each round the threads whose
 *         number is a multiple of 2, 4, 8 ... add the number 1, 2, 4 ... further on. All of it
 *         happens in the input array, in global memory, so the input is copied again before every
 *         run. This file spells out what later steps take from common/.
 * Pinned: the loop stays rolled, here and in the steps that follow, as in the source.
 * See:    docs/reduction.md#r0
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS };

__global__ void reduction(float *a, int n, float *sums)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

#pragma unroll 1
    for (int offset = 1; offset < THREADS; offset *= 2) {
        if (threadIdx.x % (2 * offset) == 0 && i + offset < n)
            a[i] += a[i + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = i < n ? a[i] : 0;
}

/* The whole device side, from host numbers to one sum per block. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    const size_t bytes = n * sizeof(float), sums_bytes = run->blocks * sizeof(float);
    float *d_a, *d_work, *d_sums;
    cudaEvent_t begin, end;

    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_work, bytes));
    CHECK(cudaMalloc(&d_sums, sums_bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    for (int i = -run->warmups; i < run->runs; i++) {
        float ms;

        if (run->poison) /* so that a sum nobody wrote cannot look right */
            CHECK(cudaMemset(d_sums, 0xFF, sums_bytes));
        CHECK(cudaMemcpy(d_work, d_a, bytes, cudaMemcpyDeviceToDevice));
        run_flush(run);
        CHECK(cudaEventRecord(begin));
        reduction<<<run->blocks, THREADS>>>(d_work, n, d_sums);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0)
            run->ms[run->done++] = ms;
    }

    CHECK(cudaMemcpy(sums, d_sums, sums_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_work));
    CHECK(cudaFree(d_sums));
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu,
                          {.threads = THREADS, .block_elements = THREADS});
}
