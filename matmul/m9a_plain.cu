/* m9a: plain sums, to see what compensation costs.
 *
 * Before: m8d spent four operations on every product, three of them to repair rounding.
 * Now:    add_products() is one operation each, with the error of m1. m9b gets rid of that again.
 * See:    docs/matmul.md#m9a
 */
#include "matmul.h"
#include "pieces.cuh"

/* One product for each sum, for value k of the four in `f`; every other row backwards as in m8d. */
__device__ static void add_products(const struct fragments *f, int k, sums sum)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int s = i % 2 ? COLUMNS - 1 - j : j;

            sum[i][s] = fmaf(f->a[i][k], f->b[k][s], sum[i][s]);
        }
}

__device__ static void multiply(const struct tiles *tiles, int x, int y, sums sum)
{
    struct fragments fragments;

#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        if (k % 4 == 0)
            load_fragments(&fragments, tiles, k, x, y);
        add_products(&fragments, k % 4, sum);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc, int n)
{
    __shared__ struct tiles tiles[2];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    sums sum = {};
    struct pieces next;

    a += blockIdx.y * TILE * lda;
    b += blockIdx.x * TILE;
    fetch(&next, a, lda, b, ldb);
    put(&tiles[0], &next);
    __syncthreads();
#pragma unroll 1
    for (int k = DEPTH, now = 0; k < n + DEPTH; k += DEPTH, now ^= 1) {
        const int ahead = k < n ? k : 0; /* at the end a tile that nobody uses: no branch */

        fetch(&next, a + ahead, lda, b + ahead * ldb, ldb);
        multiply(&tiles[now], x, y, sum);
        put(&tiles[now ^ 1], &next);
        __syncthreads();
    }
    store(c, ldc, x, y, sum);
}

/* From host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const int padded = (n + TILE - 1) / TILE * TILE;
    struct matrices m = matrices_new(a, lda, b, ldb, n, padded, run);
    const dim3 blocks(padded / TILE, padded / TILE);

    run->blocks = run->blocks_y = blocks.x;
    run->threads = THREADS;
    TIMED(run)
        matmul<<<blocks, THREADS>>>(m.a, m.lda, m.b, m.ldb, m.c, m.ldc, n);

    matrices_fetch(&m, c, ldc, n, run);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu,
                       {.sum = SUM_PLAIN, .registers = THREADS * 255});
}
