/* m6: padded to whole tiles.
 *
 * Before: in m5 every load and every store checked that it was inside the matrix.
 * Now:    on the device the matrices consist of whole tiles, `padded` wide, with zeros outside of
 *         n x n. Zeros add nothing to a sum, and no check is left.
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

/* From host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const int padded = (n + TILE - 1) / TILE * TILE;
    struct matrices m = matrices_new(a, lda, b, ldb, n, padded, run);
    const dim3 threads(TILE, TILE), blocks(padded / TILE, padded / TILE);

    run->blocks = run->blocks_y = blocks.x;
    run->threads = run->threads_y = TILE;
    TIMED(run)
        matmul<<<blocks, threads>>>(m.a, m.lda, m.b, m.ldb, m.c, m.ldc, n);

    matrices_fetch(&m, c, ldc, n, run);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu, {.sum = SUM_KAHAN});
}
