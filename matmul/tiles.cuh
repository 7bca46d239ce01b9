/* How m8b to m9b load their tiles: 16 bytes at a time.
 *
 * A block of 128 threads computes a tile of 64 x 64 of C, 8 x 4 elements per thread. From global to
 * shared memory the tiles pass through registers: fetch() loads a thread's share, put() stores it.
 * take() then reads the factors of four products per element.
 * See docs/matmul.md#m8b.
 */
#ifndef TILES_CUH
#define TILES_CUH

enum { TILE = 64, DEPTH = 16, ROWS = 8, COLUMNS = 4, ACROSS = TILE / COLUMNS, DOWN = TILE / ROWS };
enum { THREADS = ACROSS * DOWN, LOADS = TILE * DEPTH / 4 / THREADS };

/* One number for each element of C that a thread computes. */
typedef float sums[ROWS][COLUMNS];

/* TILE x DEPTH of A and DEPTH x TILE of B. */
struct __align__(16) tiles
{
    float a[TILE][DEPTH], b[DEPTH][TILE];
};

/* A thread's share of them. */
struct pieces {
    float4 a[LOADS], b[LOADS];
};

/* A thread's share of the tile of A at `a` and of the tile of B at `b`. Neighbouring threads load
 * neighbouring pieces: four cover a row of A's tile, sixteen a row of B's. */
__device__ inline void fetch(struct pieces *next, const float *a, size_t lda, const float *b,
                             size_t ldb)
{
    for (int p = 0; p < LOADS; p++) {
        const int i = threadIdx.x + p * THREADS;

        next->a[p] = *(const float4 *)&a[i / (DEPTH / 4) * lda + i % (DEPTH / 4) * 4];
        next->b[p] = *(const float4 *)&b[i / (TILE / 4) * ldb + i % (TILE / 4) * 4];
    }
}

__device__ inline void put(struct tiles *tiles, const struct pieces *next)
{
    for (int p = 0; p < LOADS; p++) {
        ((float4 *)tiles->a)[threadIdx.x + p * THREADS] = next->a[p];
        ((float4 *)tiles->b)[threadIdx.x + p * THREADS] = next->b[p];
    }
}

/* What a thread multiplies for four values of k: four numbers of A for each of its rows, and four
 * of B for each of its columns. Row i of thread (x, y) is row i * DOWN + y of the tile. */
struct factors {
    float a[ROWS][4], b[4][COLUMNS];
};

__device__ inline void take(struct factors *factors, const struct tiles *tiles, int k, int x, int y)
{
    for (int i = 0; i < 4; i++)
        *(float4 *)factors->b[i] = *(const float4 *)&tiles->b[k + i][x * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        *(float4 *)factors->a[i] = *(const float4 *)&tiles->a[i * DOWN + y][k];
}

/* The elements of C of thread (x, y). */
__device__ inline void store(float *c, size_t ldc, int x, int y, const sums sum)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[(blockIdx.y * TILE + i * DOWN + y) * ldc + blockIdx.x * TILE + x * COLUMNS + j] =
                sum[i][j];
}

#endif
