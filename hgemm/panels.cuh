/* What h12 and the steps after it share: sums on their way to C through shared memory, in panels of
 * 64 x 64. */
#ifndef HGEMM_PANELS_CUH
#define HGEMM_PANELS_CUH

#include "pairs.cuh"

/* A block's shared memory: two panels for each group, and the ring. */
template <class S> struct block_memory {
    bf16 panel[S::GROUPS][2][S::PART * S::PANEL];
    tile_ring<S> ring;
};

struct all_maps {
    struct maps in;
    CUtensorMap c;
};

template <class S> static inline struct all_maps make_all_maps(const struct hgemm &p)
{
    return {make_maps<S>(p), map_matrix(p.c, p.ldc, p.m, p.n, S::PART, S::PANEL)};
}

/* The four warps of a group meet. */
__device__ inline void group_meet(int group)
{
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(group + 1), "r"((int)THREADS) : "memory");
}

/* What the sums become in C, where this group's part begins at (row, column). Whether C is read is
 * asked once: asked for every sum it costs as much as storing them all. */
template <int N>
__device__ inline void blend_all(const struct hgemm &p, int row, int column, float (&sum)[N])
{
    if (p.beta == 0) {
#pragma unroll
        for (int i = 0; i < N; i++)
            sum[i] = __fmul_rn(p.alpha, sum[i]);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            sum[i] = blend(p, row + row_of(i), column + column_of(i), sum[i]);
    }
}

/* Two neighbours of a row. */
__device__ inline unsigned round_two(float left, float right)
{
    const __nv_bfloat162 both = __floats2bfloat162_rn(left, right);

    return *(const unsigned *)&both;
}

/* Four matrices of 8 x 8 to shared memory: this lane says where a row of one of them goes. */
__device__ inline void stmatrix(bf16 *row, const unsigned (&from)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}

/* 64 columns of a group's sums, from sum number `first` on, to `panel`. */
template <int N> __device__ inline void put_panel(bf16 *panel, const float (&sum)[N], int first)
{
    const int lane = threadIdx.x % 32, top = threadIdx.x % THREADS / 32 * 16;

#pragma unroll
    for (int j = 0; j < 64; j += 16) {
        unsigned out[4];

        for (int e = 0; e < 4; e++)
            out[e] = round_two(sum[first + j / 2 + 2 * e], sum[first + j / 2 + 2 * e + 1]);
        stmatrix(&panel[swizzled::b(top + lane % 16, j + lane / 16 * 8)], out);
    }
}

#endif
