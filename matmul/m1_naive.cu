/* m1: one thread per element.
 *
 * Now:    thread t of matmul() computes element t of C, counted row by row: a row of A times a
 *         column of B. This file spells out what later steps take from common/: device memory,
 *         poison, repeated runs, events. The copies leave out the gaps between the host's rows.
 * Pinned: the loop over k stays rolled, as in the article.
 * See:    docs/matmul.md#m1
 */
#include "matmul.h"

enum { THREADS = 256 };

__global__ void matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n)
{
    const long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long row = index / n;
    const int column = index % n;
    float sum = 0;

    if (row >= n)
        return;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = fmaf(a[row * lda + k], b[k * ldb + column], sum);
    c[row * ldc + column] = sum;
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    float *d_a, *d_b, *d_c;
    cudaEvent_t begin, end;

    run->blocks = ((long long)n * n + THREADS - 1) / THREADS;
    run->threads = THREADS;
    CHECK(cudaMalloc(&d_a, width * n));
    CHECK(cudaMalloc(&d_b, width * n));
    CHECK(cudaMalloc(&d_c, width * n));
    CHECK(cudaMemcpy2D(d_a, width, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, width, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    for (int i = -run->warmups; i < run->runs; i++) {
        float ms;

        if (run->poison) /* so that an element nobody wrote cannot look right */
            CHECK(cudaMemset(d_c, 0xFF, width * n));
        run_flush(run);
        CHECK(cudaEventRecord(begin));
        matmul<<<run->blocks, run->threads>>>(d_a, n, d_b, n, d_c, n, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0)
            run->ms[run->done++] = ms;
    }

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, width, width, n, cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu, {.sum = SUM_PLAIN});
}
