/* h12: the copy engine stores C, while the next tile is multiplied.
 *
 * Before: each thread of h11 stores its 128 sums one by one, two bytes each, and its next tile has
 *         to wait for that.
 * Now:    store_tiles() puts a group's sums into shared memory, 64 columns at a time, swizzled as
 *         tiles are, by stmatrix, which is ldmatrix the other way round. Then one thread has the
 *         copy engine store them. Two such panels take turns. Rows of C must begin at multiples of
 *         16 bytes; others are stored as before.
 * See:    docs/hgemm.md#h12
 */
#include "panels.cuh"

typedef shape<128, 256, 4, 2> tile;

__device__ static void store_tiles(block_memory<tile> *block, const struct hgemm &p,
                                   const CUtensorMap *c, int row, int column, int group,
                                   float (&sum)[tile::SUMS])
{
    const bool stores = threadIdx.x % THREADS == 0;

    if (p.n % EIGHT != 0 || p.ldc % EIGHT != 0)
        return store_rows(p, row, column, sum);
    blend_all(p, row, column, sum);
#pragma unroll
    for (int i = 0; i < tile::PANELS; i++, column += tile::PANEL) {
        bf16 *const panel = block->panel[group][i % 2];

        if (stores)
            stores_wait_read<1>(); /* what was in this panel has left */
        group_meet(group);
        put_panel(panel, sum, i * tile::PANEL / 2);
        before_copies();
        group_meet(group);
        if (stores)
            store_tile(panel, c, row, column);
    }
}

__global__ void __cluster_dims__(tile::CLUSTER) __launch_bounds__(tile::ALL_THREADS, 1)
    hgemm(const struct hgemm p, const __grid_constant__ struct all_maps maps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    block_memory<tile> *const block = (block_memory<tile> *)shared;
    const int group = threadIdx.x / THREADS, depth = count_depth<tile>(p);

    start_ring<tile>(&block->ring);
    if (group == tile::GROUPS) {
        give_registers<FEW>();
        if (threadIdx.x % THREADS == 0)
            fetch_pairs<tile>(&block->ring, p, maps.in);
        __syncwarp();
    } else {
        int k = 0;

        take_registers<MANY>();
        for (int pair = blockIdx.x / tile::CLUSTER; pair < count_pairs<tile>(p);
             pair += gridDim.x / tile::CLUSTER, k += depth) {
            const struct place at = find_place<tile>(p, pair);
            float sum[tile::SUMS];

            multiply_all<tile>(&block->ring, group, k, depth, sum);
            store_tiles(block, p, &maps.c, at.row + group * tile::PART, at.column, group, sum);
        }
        stores_wait_read<0>();
    }
    cluster_meet();
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const int blocks =
        plan_pairs<tile>(run, count_pairs<tile>(*p), sizeof(block_memory<tile>), hgemm);
    bf16 *const work = new_work(*p);

    TIMED(run) {
        const struct hgemm q = pad_rows(*p, work);

        hgemm<<<blocks, tile::ALL_THREADS, run->shared_bytes>>>(q, make_all_maps<tile>(q));
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
