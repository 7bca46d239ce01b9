/* m5: 16 x 16 tiles of both matrices in shared memory.
 *
 * Before: m4 read A once, but all of B for every row of C.
 * Now:    a block of 16 x 16 threads computes one tile of C. It walks along a row of tiles of A,
 *         `tile_a`, and down a column of tiles of B, and 16 threads use each number that it loads:
 *         an eighth of m4's traffic. matrices_new() makes the copies of m4 from here on.
 * See:    docs/matmul.md#m5
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
        tile_a[y][x] = row < n && k + x < n ? a[row * lda + k + x] : 0;
        tile_b[y][x] = k + y < n && column < n ? b[(k + y) * ldb + column] : 0;
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
    if (row < n && column < n)
        c[row * ldc + column] = sum;
}

/* From host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    struct matrices m = matrices_new(a, lda, b, ldb, n, n, run);
    const dim3 threads(TILE, TILE), blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);

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
