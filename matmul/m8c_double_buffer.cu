/* m8c: the next tiles load while these are multiplied.
 *
 * Before: in m8b a block waited for its loads, then multiplied, then waited again: two barriers per
 *         pair of tiles, and only the other blocks on the SM to hide the memory's latency.
 * Now:    a thread asks for its share of the next tiles, multiplies, and only then stores what has
 *         arrived, in the second of two buffers, `tiles`. No thread writes where another still
 *         reads, so one barrier is enough.
 * See:    docs/matmul.md#m8c
 */
#include "matmul.h"
#include "pieces.cuh"

/* One product for each sum, for value k of the four in `f`. */
__device__ static void add_products(const struct fragments *f, int k, sums sum, sums rest)
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
    struct fragments fragments;

#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        if (k % 4 == 0)
            load_fragments(&fragments, tiles, k, x, y);
        add_products(&fragments, k % 4, sum, rest);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc, int n)
{
    __shared__ struct tiles tiles[2];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    sums sum = {}, rest = {};
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
        multiply(&tiles[now], x, y, sum, rest);
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
                       {.sum = SUM_KAHAN, .registers = THREADS * 255});
}
