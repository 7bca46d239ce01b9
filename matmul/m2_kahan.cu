/* m2: compensated sums.
 *
 * Before: m1's sum grows to hundreds, and each product added to it lost its last bits.
 * Now:    Kahan's formula: `rest` holds, negated, what the sum has lost so far, and the next
 *         product is added to it first. Four operations per product instead of one, each waiting
 *         for the one before.
 * Pinned: the loop over k stays rolled, as in the article. Every rounding is spelled out: a
 *         compiler that knew algebra would find that (next - sum) + rest is zero.
 * See:    docs/matmul.md#m2
 */
#include "matmul.h"

enum { THREADS = 256 };

__global__ void matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n)
{
    const long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long row = index / n;
    const int column = index % n;
    float sum = 0, rest = 0;

    if (row >= n)
        return;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        float next;

        rest = fmaf(-a[row * lda + k], b[k * ldb + column], rest);
        next = __fsub_rn(sum, rest);
        rest = __fadd_rn(__fsub_rn(next, sum), rest);
        sum = next;
    }
    c[row * ldc + column] = sum;
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    float *d_a, *d_b, *d_c = device_output(float, run, (size_t)n *n);

    run->blocks = ((long long)n * n + THREADS - 1) / THREADS;
    run->threads = THREADS;
    CHECK(cudaMalloc(&d_a, width * n));
    CHECK(cudaMalloc(&d_b, width * n));
    CHECK(cudaMemcpy2D(d_a, width, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, width, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    TIMED(run)
        matmul<<<run->blocks, run->threads>>>(d_a, n, d_b, n, d_c, n, n);

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, width, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu, {.sum = SUM_KAHAN});
}
