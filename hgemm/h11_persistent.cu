/* h11: blocks stay, in an order of tiles that L2 likes.
 *
 * Before: a block of h10 ends with its tile; the next one on the SM sets up its barriers, and waits
 *         for its first tiles. All blocks together read whole rows of tiles, and many columns.
 * Now:    one block for each SM; fetch_pairs() and multiply_pairs() take tile after tile. The ring
 *         goes on: while a tile of C is stored, the next one's first stages arrive. find_place()
 *         has the clusters that run at the same time compute a part of C that is about as high as
 *         wide: they share what L2 has.
 * See:    docs/hgemm.md#h11
 */
#include "pairs.cuh"

typedef shape<128, 256, 4, 2> tile;

__device__ static void fetch_pairs(tile_ring<tile> *ring, const struct hgemm &p,
                                   const struct maps &maps)
{
    int k = 0;

    for (int pair = blockIdx.x / tile::CLUSTER; pair < count_pairs<tile>(p);
         pair += gridDim.x / tile::CLUSTER) {
        const struct place at = find_place<tile>(p, pair);

#pragma unroll 1
        for (int i = 0; i < count_depth<tile>(p); i++)
            fetch_stage<tile>(ring, maps, at, i, k++);
    }
}

__device__ static void multiply_pairs(tile_ring<tile> *ring, const struct hgemm &p, int group)
{
    const int depth = count_depth<tile>(p);
    int k = 0;

    for (int pair = blockIdx.x / tile::CLUSTER; pair < count_pairs<tile>(p);
         pair += gridDim.x / tile::CLUSTER, k += depth) {
        const struct place at = find_place<tile>(p, pair);
        float sum[tile::SUMS];

        multiply_all<tile>(ring, group, k, depth, sum);
        store_rows(p, at.row + group * tile::PART, at.column, sum);
    }
}

__global__ void __cluster_dims__(tile::CLUSTER) __launch_bounds__(tile::ALL_THREADS, 1)
    hgemm(const struct hgemm p, const __grid_constant__ struct maps maps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const int group = threadIdx.x / THREADS;

    start_ring<tile>(ring);
    if (group == tile::GROUPS) {
        give_registers<FEW>();
        if (threadIdx.x % THREADS == 0)
            fetch_pairs(ring, p, maps);
        __syncwarp();
    } else {
        take_registers<MANY>();
        multiply_pairs(ring, p, group);
    }
    cluster_meet();
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const int blocks = plan_pairs<tile>(run, count_pairs<tile>(*p), sizeof(tile_ring<tile>), hgemm);
    bf16 *const work = new_work(*p);

    TIMED(run) {
        const struct hgemm q = pad_rows(*p, work);

        hgemm<<<blocks, tile::ALL_THREADS, run->shared_bytes>>>(q, make_maps<tile>(q));
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
