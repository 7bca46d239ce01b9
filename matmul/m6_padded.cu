/* m6: padded to whole tiles.
 *
 * Before: in m5 every load and every store asked whether it was inside the matrix.
 * Now:    the matrices on the device are as large as their tiles, and zero outside of n x n: zeros
 *         add nothing, and the questions are gone.
 * See:    docs/matmul.md#m6
 */
#include "matmul.h"

enum { TILE = 16 };

__global__ void matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0, rest = 0;

    for (int k = 0; k < n; k += TILE) {
        tile_a[y][x] = a[row * lda + k + x];
        tile_b[y][x] = b[(k + y) * ldb + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            float next;

            rest = fmaf(-tile_a[y][i], tile_b[i][x], rest);
            next = __fsub_rn(sum, rest);
            rest = __fadd_rn(__fsub_rn(next, sum), rest);
            sum = next;
        }
        __syncthreads();
    }
    c[row * ldc + column] = sum;
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    const int padded = (n + TILE - 1) / TILE * TILE;
    const size_t padded_width = padded * sizeof(float);
    const dim3 threads(TILE, TILE), blocks(padded / TILE, padded / TILE);
    size_t pitch_a, pitch_b, pitch_c; /* bytes from one row to the next */
    float *d_a, *d_b, *d_c = device_output_pitched(float, run, padded, padded, &pitch_c);

    run->blocks = run->blocks_y = blocks.x;
    run->threads = run->threads_y = TILE;
    CHECK(cudaMallocPitch(&d_a, &pitch_a, padded_width, padded));
    CHECK(cudaMallocPitch(&d_b, &pitch_b, padded_width, padded));
    CHECK(cudaMemset(d_a, 0, pitch_a * padded));
    CHECK(cudaMemset(d_b, 0, pitch_b * padded));
    CHECK(cudaMemcpy2D(d_a, pitch_a, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, pitch_b, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    TIMED(run)
        matmul<<<blocks, threads>>>(d_a, pitch_a / sizeof(float), d_b, pitch_b / sizeof(float), d_c,
                                    pitch_c / sizeof(float), padded);

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, pitch_c, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu, {.sum = SUM_KAHAN});
}
