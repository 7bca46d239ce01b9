/* What h3 and the steps after it share: products of fragments, and the way of the sums to C. */
#ifndef HGEMM_MMA_CUH
#define HGEMM_MMA_CUH

#include "tile.cuh"

/* A warp's part of C in pieces of 16 x 8. */
enum { DOWN = PART / 16, ACROSS = PART / 8 };

/* sum += a b, by all lanes of the warp: 16 x 16 elements by 16 x 8. */
__device__ inline void mma(const unsigned (&a)[4], const unsigned (&b)[2], float (&sum)[4])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void multiply_fragments(const unsigned (&fa)[DOWN][4],
                                          const unsigned (&fb)[ACROSS][2],
                                          float (&sum)[DOWN][ACROSS][4])
{
    for (int i = 0; i < DOWN; i++)
        for (int j = 0; j < ACROSS; j++)
            mma(fa[i], fb[j], sum[i][j]);
}

/* Each lane stores what it holds; (row, column) is where the warp's part begins. */
__device__ inline void store_sums(const struct hgemm &p, int row, int column,
                                  const float (&sum)[DOWN][ACROSS][4])
{
    const int r = threadIdx.x % 32 / 4, c = threadIdx.x % 4 * 2;

    for (int i = 0; i < DOWN; i++)
        for (int j = 0; j < ACROSS; j++)
            for (int e = 0; e < 4; e++)
                store(p, row + 16 * i + r + e / 2 * 8, column + 8 * j + c + e % 2, sum[i][j][e]);
}

#endif
