/* m4: every row starts on an aligned address.
 *
 * Before: in m3 a row of 1000 floats followed directly on the one before, so most rows of B began
 *         in the middle of a memory line, and a warp's load touched two lines instead of one.
 * Now:    in matmul_gpu() cudaMallocPitch chooses the distance between rows, a multiple that suits
 *         the memory. The kernel is m3's: it took leading dimensions from the start.
 * Pinned: the loop over k stays rolled, as in the article, and so does the loop over columns.
 * See:    docs/matmul.md#m4
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
    size_t pitch_a, pitch_b, pitch_c; /* bytes from one row to the next */
    float *d_a, *d_b, *d_c = device_output_pitched(float, run, n, n, &pitch_c);

    run->blocks = n;
    run->threads = THREADS;
    run->shared_bytes = width;
    CHECK(cudaMallocPitch(&d_a, &pitch_a, width, n));
    CHECK(cudaMallocPitch(&d_b, &pitch_b, width, n));
    CHECK(cudaMemcpy2D(d_a, pitch_a, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, pitch_b, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    TIMED(run)
        matmul<<<run->blocks, run->threads, run->shared_bytes>>>(d_a, pitch_a / sizeof(float), d_b,
                                                                 pitch_b / sizeof(float), d_c,
                                                                 pitch_c / sizeof(float), n);

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, pitch_c, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu,
                       {.sum = SUM_KAHAN, .row_bytes = sizeof(float)});
}
