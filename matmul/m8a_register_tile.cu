/* m8a: 8 x 4 sums per thread, in registers. A new beginning.
 *
 * Before: in m7 a thread had one sum, and every product took two loads from shared memory beside
 *         the four operations of Kahan's formula.
 * Now:    a thread computes 8 x 4 elements of C. For each k multiply() loads 8 numbers of A and 4
 *         of B, for 32 products. A block of 128 threads computes a tile of 64 x 64.
 * See:    docs/matmul.md#m8a
 */
#include "matmul.h"

enum { TILE = 64, DEPTH = 16, ROWS = 8, COLUMNS = 4, ACROSS = TILE / COLUMNS, DOWN = TILE / ROWS };
enum { THREADS = ACROSS * DOWN };

struct tiles {
    float a[TILE][DEPTH], b[DEPTH][TILE];
};

__device__ static void fill(struct tiles *tiles, const float *a, size_t lda, const float *b,
                            size_t ldb)
{
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
        tiles->a[i / DEPTH][i % DEPTH] = a[i / DEPTH * lda + i % DEPTH];
        tiles->b[i / TILE][i % TILE] = b[i / TILE * ldb + i % TILE];
    }
}

/* One number for each element of C that a thread computes. */
typedef float sums[ROWS][COLUMNS];

__device__ static void add_products(const float *a, const float *b, sums sum, sums rest)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float next;

            rest[i][j] = fmaf(-a[i], b[j], rest[i][j]);
            next = __fsub_rn(sum[i][j], rest[i][j]);
            rest[i][j] = __fadd_rn(__fsub_rn(next, sum[i][j]), rest[i][j]);
            sum[i][j] = next;
        }
}

/* Rows DOWN apart and columns ACROSS apart: neighbouring threads read neighbouring words. */
__device__ static void multiply(const struct tiles *tiles, int x, int y, sums sum, sums rest)
{
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        float a[ROWS], b[COLUMNS];

        for (int i = 0; i < ROWS; i++)
            a[i] = tiles->a[i * DOWN + y][k];
        for (int j = 0; j < COLUMNS; j++)
            b[j] = tiles->b[k][j * ACROSS + x];
        add_products(a, b, sum, rest);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc, int n)
{
    __shared__ struct tiles tiles;
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    sums sum = {}, rest = {};

    a += blockIdx.y * TILE * lda;
    b += blockIdx.x * TILE;
#pragma unroll 1
    for (int k = 0; k < n; k += DEPTH) {
        fill(&tiles, a + k, lda, b + k * ldb, ldb);
        __syncthreads();
        multiply(&tiles, x, y, sum, rest);
        __syncthreads();
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[(blockIdx.y * TILE + i * DOWN + y) * ldc + blockIdx.x * TILE + j * ACROSS + x] =
                sum[i][j];
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
