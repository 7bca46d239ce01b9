/* m9b: compensated between chunks.
 *
 * Before: the longer m9a's sums get, the more each further product loses.
 * Now:    48 products are added plainly, then compensate() adds their sum by Kahan's formula, and
 *         the next 48 start from 0. The bound of the error is that of 48, however large n is.
 * See:    docs/matmul.md#m9b
 */
#include "matmul.h"
#include "pieces.cuh"

enum { CHUNK = 48 /* products: whole tiles of DEPTH */ };

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

/* Add the sums of a chunk to the compensated ones, and start the next chunk. */
__device__ static void compensate(sums part, sums sum, sums rest)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float next;

            rest[i][j] = __fsub_rn(rest[i][j], part[i][j]);
            next = __fsub_rn(sum[i][j], rest[i][j]);
            rest[i][j] = __fadd_rn(__fsub_rn(next, sum[i][j]), rest[i][j]);
            sum[i][j] = next;
            part[i][j] = 0;
        }
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc, int n)
{
    __shared__ struct tiles tiles[2];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    sums part = {}, sum = {}, rest = {};
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
        multiply(&tiles[now], x, y, part);
        if (k % CHUNK == 0 || k >= n)
            compensate(part, sum, rest);
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
                       {.sum = SUM_CHUNKS, .chunk = CHUNK, .registers = THREADS * 255});
}
