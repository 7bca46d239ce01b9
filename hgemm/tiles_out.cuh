/* What h13 and h14 share: h12's way of a tile to C, for tiles of any shape. */
#ifndef HGEMM_TILES_OUT_CUH
#define HGEMM_TILES_OUT_CUH

#include "panels.cuh"

/* This group's sums to C at (row, column). */
template <class S>
__device__ inline void store_tiles(block_memory<S> *block, const struct hgemm &p,
                                   const CUtensorMap *c, int row, int column, int group,
                                   float (&sum)[S::SUMS])
{
    const bool stores = threadIdx.x % THREADS == 0;

    if (p.n % EIGHT != 0 || p.ldc % EIGHT != 0)
        return store_rows(p, row, column, sum);
    blend_all(p, row, column, sum);
#pragma unroll
    for (int i = 0; i < S::PANELS; i++, column += S::PANEL) {
        bf16 *const panel = block->panel[group][i % 2];

        if (stores)
            stores_wait_read<1>(); /* what was in this panel has left */
        group_meet(group);
        put_panel(panel, sum, i * S::PANEL / 2);
        before_copies();
        group_meet(group);
        if (stores)
            store_tile(panel, c, row, column);
    }
}

/* Multiply all of this block's tiles, and store them. */
template <class S>
__device__ inline void multiply_pairs(block_memory<S> *block, const struct hgemm &p,
                                      const CUtensorMap *c, int group)
{
    const int depth = count_depth<S>(p);
    int k = 0;

    for (int pair = blockIdx.x / S::CLUSTER; pair < count_pairs<S>(p);
         pair += gridDim.x / S::CLUSTER, k += depth) {
        const struct place at = find_place<S>(p, pair);
        float sum[S::SUMS];

        multiply_all<S>(&block->ring, group, k, depth, sum);
        store_tiles<S>(block, p, c, at.row + group * S::PART, at.column, group, sum);
    }
    stores_wait_read<0>();
}

#endif
