/* What the kernels share beyond their ideas: reads that stop at a matrix's edge, and the store of
 * C. Outside a matrix there is 0, so that no kernel has a second way for edges. */
#ifndef TILE_CUH
#define TILE_CUH

#include "sgemm.h"

/* Element (row, column) of a matrix of rows x columns. */
__device__ inline float load(const float *matrix, int ld, int rows, int columns, int row,
                             int column)
{
    return row < rows && column < columns ? matrix[(size_t)row * ld + column] : 0;
}

/* Four elements of a row, from `column` on, which is a multiple of 4. One 128-bit load where the
 * rows start on multiples of 16 bytes and all four exist; else one by one. */
__device__ inline float4 load4(const float *matrix, int ld, int rows, int columns, int row,
                               int column)
{
    if (ld % 4 == 0 && row < rows && column + 3 < columns)
        return *(const float4 *)&matrix[(size_t)row * ld + column];
    return make_float4(load(matrix, ld, rows, columns, row, column),
                       load(matrix, ld, rows, columns, row, column + 1),
                       load(matrix, ld, rows, columns, row, column + 2),
                       load(matrix, ld, rows, columns, row, column + 3));
}

/* alpha sum + beta C. With beta = 0, C is not read: it may hold anything. The roundings are spelled
 * out, so that a GPU and the emulator agree. */
__device__ inline float blend(const struct sgemm &p, float sum, const float *c)
{
    if (p.beta == 0)
        return __fmul_rn(p.alpha, sum);
    return fmaf(p.alpha, sum, __fmul_rn(p.beta, *c));
}

/* Element (row, column) of C, if there is one. */
__device__ inline void store(const struct sgemm &p, int row, int column, float sum)
{
    float *const c = &p.c[(size_t)row * p.ldc + column];

    if (row < p.m && column < p.n)
        *c = blend(p, sum, c);
}

/* Four of them from `column` on, a multiple of 4. The sums are passed one by one: a thread that
 * views its sums as float4 makes the compiler keep them in registers that follow each other, and
 * then it cannot choose their banks. */
__device__ inline void store4(const struct sgemm &p, int row, int column, float s0, float s1,
                              float s2, float s3)
{
    float *const c = &p.c[(size_t)row * p.ldc + column];

    if (p.ldc % 4 == 0 && row < p.m && column + 3 < p.n) {
        float4 old = {};

        if (p.beta != 0)
            old = *(const float4 *)c;
        *(float4 *)c = make_float4(blend(p, s0, &old.x), blend(p, s1, &old.y), blend(p, s2, &old.z),
                                   blend(p, s3, &old.w));
        return;
    }
    store(p, row, column, s0);
    store(p, row, column + 1, s1);
    store(p, row, column + 2, s2);
    store(p, row, column + 3, s3);
}

#endif
