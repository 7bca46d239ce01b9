/* m8d: one operation through all sums, then the next.
 *
 * Before: m8c wrote Kahan's four operations sum by sum. The register file seems to deliver two
 *         operands per cycle, and an instruction with three new ones takes longer.
 * Now:    in add_products() each operation goes through all 32 sums before the next one starts, and
 *         every other row runs backwards, so that neighbouring instructions share an operand.
 * See:    docs/matmul.md#m8d
 */
#include "matmul.h"
#include "pieces.cuh"

/* One product for each sum, for value k of the four in `f`. Every other row runs backwards: it
 * starts with the factor of B that the row before ended with. */
__device__ static void add_products(const struct fragments *f, int k, sums sum, sums rest)
{
    float next[ROWS][COLUMNS];

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int s = i % 2 ? COLUMNS - 1 - j : j;

            rest[i][s] = fmaf(-f->a[i][k], f->b[k][s], rest[i][s]);
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            next[i][j] = __fsub_rn(sum[i][j], rest[i][j]);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = __fsub_rn(next[i][j], sum[i][j]);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            rest[i][j] = __fadd_rn(sum[i][j], rest[i][j]);
            sum[i][j] = next[i][j];
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
