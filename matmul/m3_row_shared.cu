/* m3: one block per row, the row of A in shared memory.
 *
 * Before: in m2 each of the n threads of a row of C read the whole row of A from global memory.
 * Now:    the threads of a block compute one row of C. Together they read its row of A once, into
 *         `data`, shared memory. B is still read n times.
 * Pinned: the loop over k stays rolled, as in the article, and so does the loop over columns.
 * See:    docs/matmul.md#m3
 */
#include "matmul.h"

enum { THREADS = 256 };

__global__ void matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n)
{
    extern __shared__ float data[];
    const size_t row = blockIdx.x;

    for (int k = threadIdx.x; k < n; k += blockDim.x)
        data[k] = a[row * lda + k];
    __syncthreads();
#pragma unroll 1
    for (int column = threadIdx.x; column < n; column += blockDim.x) {
        float sum = 0, rest = 0;

#pragma unroll 1
        for (int k = 0; k < n; k++) {
            float next;

            rest = fmaf(-data[k], b[k * ldb + column], rest);
            next = __fsub_rn(sum, rest);
            rest = __fadd_rn(__fsub_rn(next, sum), rest);
            sum = next;
        }
        c[row * ldc + column] = sum;
    }
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    float *d_a, *d_b, *d_c = device_output(float, run, (size_t)n *n);

    run->blocks = n;
    run->threads = THREADS;
    run->shared_bytes = width;
    CHECK(cudaMalloc(&d_a, width * n));
    CHECK(cudaMalloc(&d_b, width * n));
    CHECK(cudaMemcpy2D(d_a, width, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, width, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    TIMED(run)
        matmul<<<run->blocks, run->threads, run->shared_bytes>>>(d_a, n, d_b, n, d_c, n, n);

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, width, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu,
                       {.sum = SUM_KAHAN, .row_bytes = sizeof(float)});
}
