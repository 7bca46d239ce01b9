/* What m8b to m9b compute: a block of 128 threads a tile of 64 x 64 of C, a thread 8 x 4 elements.
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

/* A thread's share of them, on its way from global to shared memory. */
struct pieces {
    float4 a[LOADS], b[LOADS];
};

/* What a thread multiplies for four values of k: four numbers of A for each of its rows, and four
 * of B for each of its columns. Row i of thread (x, y) is row i * DOWN + y of the tile. */
struct fragments {
    float a[ROWS][4], b[4][COLUMNS];
};

/* The elements of C of thread (x, y): row i is row i * DOWN + y of the tile. */
__device__ inline void store(float *c, size_t ldc, int x, int y, const sums sum)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[(blockIdx.y * TILE + i * DOWN + y) * ldc + blockIdx.x * TILE + x * COLUMNS + j] =
                sum[i][j];
}

#endif
