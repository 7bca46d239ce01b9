/* m8b: 16 bytes per load.
 *
 * Before: each load instruction of m8a moved one number per thread.
 * Now:    each moves four: in fill() pieces of a row, in load_fragments() the factors for four
 *         values of k. For that a thread's columns are neighbours.
 * See:    docs/matmul.md#m8b
 */
#include "matmul.h"
#include "tiles.cuh"

/* Neighbouring threads load neighbouring pieces: four have a row of A's tile, sixteen of B's. */
__device__ static void fill(struct tiles *tiles, struct pieces *next, const float *a, size_t lda,
                            const float *b, size_t ldb)
{
    for (int p = 0, i = threadIdx.x; p < LOADS; p++, i += THREADS) {
        next->a[p] = *(const float4 *)&a[i / (DEPTH / 4) * lda + i % (DEPTH / 4) * 4];
        next->b[p] = *(const float4 *)&b[i / (TILE / 4) * ldb + i % (TILE / 4) * 4];
    }
    for (int p = 0; p < LOADS; p++) {
        ((float4 *)tiles->a)[threadIdx.x + p * THREADS] = next->a[p];
        ((float4 *)tiles->b)[threadIdx.x + p * THREADS] = next->b[p];
    }
}

__device__ static void load_fragments(struct fragments *to, const struct tiles *tiles, int k, int x,
                                      int y)
{
    for (int i = 0; i < 4; i++)
        *(float4 *)to->b[i] = *(const float4 *)&tiles->b[k + i][x * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        *(float4 *)to->a[i] = *(const float4 *)&tiles->a[i * DOWN + y][k];
}

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
    __shared__ struct tiles tiles;
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    sums sum = {}, rest = {};
    struct pieces next;

    a += blockIdx.y * TILE * lda;
    b += blockIdx.x * TILE;
#pragma unroll 1
    for (int k = 0; k < n; k += DEPTH) {
        fill(&tiles, &next, a + k, lda, b + k * ldb, ldb);
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
