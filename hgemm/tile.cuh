/* What the kernels share beyond their ideas: reads that stop at a matrix's edge, the tiles of A and
 * B in shared memory, and the store of C. Outside a matrix there is 0, so that no kernel has a
 * second way for edges. */
#ifndef HGEMM_TILE_CUH
#define HGEMM_TILE_CUH

#include "hgemm.h"

/* A block of four warps computes HIGH x WIDE elements, DEPTH of k at a time; a warp half of the
 * rows and half of the columns. Tensor cores multiply 16 x 16 by 16 x 16 elements. */
enum { HIGH = 64, WIDE = 64, DEPTH = 32, THREADS = 128, PART = 32, PIECE = 16, EIGHT = 8 };

/* Eight elements of a row: at once where rows begin at multiples of 16 bytes. */
__device__ inline void load8(bf16 *to, const bf16 *matrix, int ld, int rows, int columns, int row,
                             int column)
{
    const bf16 *const from = &matrix[(size_t)row * ld + column];

    if (ld % EIGHT == 0 && row < rows && column + EIGHT <= columns) {
        *(uint4 *)to = *(const uint4 *)from;
        return;
    }
    for (int i = 0; i < EIGHT; i++)
        to[i] = row < rows && column + i < columns ? from[i] : __float2bfloat16_rn(0);
}

/* Where elements of the tiles of A and B are in shared memory, and how many each tile takes. Eight
 * more elements in a row: then eight rows, one below the other, begin in different banks. */
struct padded {
    enum { A_LD = DEPTH + 8, B_LD = WIDE + 8, A_SIZE = HIGH * A_LD, B_SIZE = DEPTH * B_LD };
    __device__ static int a(int row, int column)
    {
        return row * A_LD + column;
    }
    __device__ static int b(int row, int column)
    {
        return row * B_LD + column;
    }
};

/* The block's threads bring the tiles of A and B at k. */
template <typename layout>
__device__ inline void fetch(const struct hgemm &p, int row, int column, int k, bf16 *a, bf16 *b)
{
    for (int i = threadIdx.x * EIGHT; i < HIGH * DEPTH; i += THREADS * EIGHT)
        load8(&a[layout::a(i / DEPTH, i % DEPTH)], p.a, p.lda, p.m, p.k, row + i / DEPTH,
              k + i % DEPTH);
    for (int i = threadIdx.x * EIGHT; i < DEPTH * WIDE; i += THREADS * EIGHT)
        load8(&b[layout::b(i / WIDE, i % WIDE)], p.b, p.ldb, p.k, p.n, k + i / WIDE,
              column + i % WIDE);
}

/* What element (row, column) of C becomes, if there is one: alpha sum + beta C. With beta = 0, C is
 * not read. */
__device__ inline float blend(const struct hgemm &p, int row, int column, float sum)
{
    if (p.beta == 0 || row >= p.m || column >= p.n)
        return __fmul_rn(p.alpha, sum);
    return fmaf(p.alpha, sum,
                __fmul_rn(p.beta, __bfloat162float(p.c[(size_t)row * p.ldc + column])));
}

__device__ inline void store(const struct hgemm &p, int row, int column, float sum)
{
    if (row < p.m && column < p.n)
        p.c[(size_t)row * p.ldc + column] = __float2bfloat16_rn(blend(p, row, column, sum));
}

/* As many blocks as C has tiles. */
static inline dim3 plan_launch(struct run *run, const struct hgemm &p, size_t shared = 0)
{
    const dim3 blocks((p.n + WIDE - 1) / WIDE, (p.m + HIGH - 1) / HIGH);

    run->blocks = blocks.x;
    run->blocks_y = blocks.y;
    run->threads = THREADS;
    run->shared_bytes = shared;
    return blocks;
}

#endif
