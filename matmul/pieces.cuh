/* The loads of m8b, for the steps after it. Between global and shared memory the tiles pass through
 * registers: fetch() loads a thread's share, and put() stores it once the buffer is free. */
#ifndef PIECES_CUH
#define PIECES_CUH

#include "tiles.cuh"

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

/* As in m8b. */
__device__ inline void load_fragments(struct fragments *to, const struct tiles *tiles, int k, int x,
                                      int y)
{
    for (int i = 0; i < 4; i++)
        *(float4 *)to->b[i] = *(const float4 *)&tiles->b[k + i][x * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        *(float4 *)to->a[i] = *(const float4 *)&tiles->a[i * DOWN + y][k];
}

#endif
