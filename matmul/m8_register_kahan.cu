/* m8: 32 sums a thread, in registers.
 *
 * Before: in m6 a thread had one sum, and each product cost two loads from shared memory beside its
 *         four operations.
 * Now:    a thread computes 8 x 4 elements: 12 numbers loaded serve 32 products, and 32 chains of
 *         dependent operations hide each other's latency. Loads take 16 bytes; the next tiles are
 *         on their way in registers while these are multiplied. The four operations of Kahan's
 *         formula go through all 32 sums one after the other, so that neighbours share an operand.
 * See:    docs/matmul.md#m8
 */
#include "matmul.h"

enum { TILE = 64, DEPTH = 16, ROWS = 8, COLUMNS = 4, ACROSS = TILE / COLUMNS, DOWN = TILE / ROWS };
enum { THREADS = ACROSS * DOWN, LOADS = TILE * DEPTH / 4 / THREADS };

/* TILE x DEPTH of A and DEPTH x TILE of B. */
struct __align__(16) tiles
{
    float a[TILE][DEPTH], b[DEPTH][TILE];
};

/* What this thread carries of the next tiles. */
struct pieces {
    float4 a[LOADS], b[LOADS];
};

__device__ static void fetch(struct pieces *next, const float *a, size_t lda, const float *b,
                             size_t ldb)
{
    for (int p = 0; p < LOADS; p++) {
        const int i = threadIdx.x + p * THREADS;

        next->a[p] = *(const float4 *)&a[i / (DEPTH / 4) * lda + i % (DEPTH / 4) * 4];
        next->b[p] = *(const float4 *)&b[i / (TILE / 4) * ldb + i % (TILE / 4) * 4];
    }
}

__device__ static void put(struct tiles *tiles, const struct pieces *next)
{
    for (int p = 0; p < LOADS; p++) {
        ((float4 *)tiles->a)[threadIdx.x + p * THREADS] = next->a[p];
        ((float4 *)tiles->b)[threadIdx.x + p * THREADS] = next->b[p];
    }
}

/* One product for each sum. Every other row runs backwards: it starts with the factor of B that the
 * row before ended with. */
__device__ static void add_products(const float (*a)[4], int k, const float *b,
                                    float (*sum)[COLUMNS], float (*rest)[COLUMNS])
{
    float next[ROWS][COLUMNS];

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int s = i % 2 ? COLUMNS - 1 - j : j;

            rest[i][s] = fmaf(-a[i][k], b[s], rest[i][s]);
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

/* Row `i` of a thread is row i * DOWN + y of the tile. */
__device__ static void multiply(const struct tiles *tiles, int x, int y, float (*sum)[COLUMNS],
                                float (*rest)[COLUMNS])
{
#pragma unroll
    for (int k = 0; k < DEPTH; k += 4) {
        float a[ROWS][4], b[4][COLUMNS];

        for (int i = 0; i < 4; i++)
            *(float4 *)b[i] = *(const float4 *)&tiles->b[k + i][x * COLUMNS];
        for (int i = 0; i < ROWS; i++)
            *(float4 *)a[i] = *(const float4 *)&tiles->a[i * DOWN + y][k];
#pragma unroll
        for (int i = 0; i < 4; i++)
            add_products(a, i, b[i], sum, rest);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    matmul(const float *__restrict__ a, size_t lda, const float *__restrict__ b, size_t ldb,
           float *__restrict__ c, size_t ldc, int n)
{
    __shared__ struct tiles tiles[2];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    float sum[ROWS][COLUMNS] = {}, rest[ROWS][COLUMNS] = {};
    struct pieces next;
    int now = 0;

    a += blockIdx.y * TILE * lda;
    b += blockIdx.x * TILE;
    fetch(&next, a, lda, b, ldb);
    put(&tiles[now], &next);
    __syncthreads();
#pragma unroll 1
    for (int k = DEPTH; k < n + DEPTH; k += DEPTH, now ^= 1) {
        const int ahead = k < n ? k : 0; /* in the end a tile that nobody uses: no branch */

        fetch(&next, a + ahead, lda, b + ahead * ldb, ldb);
        multiply(&tiles[now], x, y, sum, rest);
        put(&tiles[now ^ 1], &next);
        __syncthreads();
    }
    for (int i = 0; i < ROWS; i++)
        *(float4 *)&c[(blockIdx.y * TILE + i * DOWN + y) * ldc + blockIdx.x * TILE + x * COLUMNS] =
            *(const float4 *)sum[i];
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    const int padded = (n + TILE - 1) / TILE * TILE;
    const size_t padded_width = padded * sizeof(float);
    const dim3 blocks(padded / TILE, padded / TILE);
    size_t pitch_a, pitch_b, pitch_c; /* bytes from one row to the next */
    float *d_a, *d_b, *d_c = device_output_pitched(float, run, padded, padded, &pitch_c);

    run->blocks = run->blocks_y = blocks.x;
    run->threads = THREADS;
    CHECK(cudaMallocPitch(&d_a, &pitch_a, padded_width, padded));
    CHECK(cudaMallocPitch(&d_b, &pitch_b, padded_width, padded));
    CHECK(cudaMemset(d_a, 0, pitch_a * padded));
    CHECK(cudaMemset(d_b, 0, pitch_b * padded));
    CHECK(cudaMemcpy2D(d_a, pitch_a, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, pitch_b, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    TIMED(run)
        matmul<<<blocks, THREADS>>>(d_a, pitch_a / sizeof(float), d_b, pitch_b / sizeof(float), d_c,
                                    pitch_c / sizeof(float), n);

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, pitch_c, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu,
                       {.sum = SUM_KAHAN, .registers = THREADS * 255});
}
