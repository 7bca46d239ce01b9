/* m8b: 16 bytes per load.
 *
 * Before: each load instruction of m8a moved one number per thread.
 * Now:    each moves four: pieces of a row on the way from global to shared memory (tiles.cuh), and
 *         the factors for four values of k on the way to the products. For that a thread's columns
 *         are neighbours.
 * See:    docs/matmul.md#m8b
 */
#include "matmul.h"
#include "tiles.cuh"

/* One product for each sum, for value k of the four in `f`. */
__device__ static void add_products(const struct factors *f, int k, sums sum, sums rest)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float next;

            rest[i][j] = fmaf(-f->a[i][k], f->b[k][j], rest[i][j]);
            next = __fsub_rn(sum[i][j], rest[i][j]);
            rest[i][j] = __fadd_rn(__fsub_rn(next, sum[i][j]), rest[i][j]);
            sum[i][j] = next;
        }
}

__device__ static void multiply(const struct tiles *tiles, int x, int y, sums sum, sums rest)
{
    struct factors factors;

#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        if (k % 4 == 0)
            take(&factors, tiles, k, x, y);
        add_products(&factors, k % 4, sum, rest);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc, int n)
{
    __shared__ struct tiles tiles;
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    sums sum = {}, rest = {};
    struct pieces next;

    a += blockIdx.y * TILE * lda;
    b += blockIdx.x * TILE;
#pragma unroll 1
    for (int k = 0; k < n; k += DEPTH) {
        fetch(&next, a + k, lda, b + k * ldb, ldb);
        put(&tiles, &next);
        __syncthreads();
        multiply(&tiles, x, y, sum, rest);
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
                       {.sum = SUM_KAHAN, .registers = THREADS * 255});
}
