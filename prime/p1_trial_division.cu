/* p1: try every divisor.
 *
 * Now:    the divisors up to the root of n are cut into slices, one per thread. Each thread of
 *         find_divisor() tries its slice and writes its verdict, and the CPU collects them. This
 *         file spells out what later steps take from common/.
 * Pinned: the loop stays rolled, as in the article.
 * See:    docs/prime.md#p1
 */
#include <stdlib.h>

#include "prime.h"

__global__ void find_divisor(uint64_t n, uint64_t root, uint64_t slice, uint64_t *divisor)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t begin = 2 + thread * slice;
    const uint64_t end = min(begin + slice, root + 1);
    uint64_t found = PRIME_NO_DIVISOR;

#pragma unroll 1
    for (uint64_t d = begin; d < end && !found; d++)
        if (n % d == 0)
            found = d;
    divisor[thread] = found;
}

/* The whole device side: the smallest divisor of n, or none. */
static uint64_t prime_gpu(uint64_t n, uint64_t root, struct run *run)
{
    const uint64_t divisors = root < 2 ? 0 : root - 1;
    const unsigned blocks = prime_blocks(divisors), threads = blocks * PRIME_THREADS;
    const uint64_t slice = (divisors + threads - 1) / threads; /* rounded up: none is left out */
    const size_t bytes = threads * sizeof(uint64_t);
    uint64_t *divisor = (uint64_t *)memory_host(bytes), *d_divisor, found;
    cudaEvent_t begin, end;

    run->blocks = blocks;
    run->threads = PRIME_THREADS;
    run->done = 0;
    CHECK(cudaMalloc(&d_divisor, bytes));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    for (int i = -run->warmups; i < run->runs; i++) {
        float ms;

        if (run->poison) /* so that a verdict nobody wrote is seen */
            CHECK(cudaMemset(d_divisor, 0xFF, bytes));
        run_flush(run);
        CHECK(cudaEventRecord(begin));
        find_divisor<<<blocks, PRIME_THREADS>>>(n, root, slice, d_divisor);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0)
            run->ms[run->done++] = ms;
    }

    CHECK(cudaMemcpy(divisor, d_divisor, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(d_divisor));
    found = prime_gather(divisor, threads);
    free(divisor);
    return found;
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.divide = prime_gpu, .smallest = true, .loop = true});
}
