/* h10: two blocks fetch B for each other.
 *
 * Before: blocks of h9 one below the other fetch the same tiles of B, each for itself.
 * Now:    two of them are a cluster. In fetch_all() each fetches its own tile of A and half of B's,
 *         which the copy engine puts into the shared memory of both. So a stage is free when both
 *         blocks have multiplied: multiply_all() arrives at the barriers of both. A cluster meets
 *         at the beginning, before a block hears from the other, and at the end.
 * See:    docs/hgemm.md#h10
 */
#include "groups.cuh"

enum { FEW = 40, MANY = 232 };
typedef shape<128, 256, 4, 2> tile;

__device__ static void fetch_all(tile_ring<tile> *ring, const struct maps &maps, int row,
                                 int column, int count)
{
    const int first = cluster_rank() * tile::SHARE;

#pragma unroll 1
    for (int k = 0; k < count; k++) {
        const int s = k % tile::STAGES;

        if (k >= tile::STAGES)
            barrier_wait(&ring->empty[s], k / tile::STAGES - 1);
        barrier_expect(&ring->full[s], sizeof(ring->a[s]) + sizeof(ring->b[s]));
        copy_tile(ring->a[s], &maps.a, row, k * tile::DEEP, &ring->full[s]);
        for (int i = first; i < first + tile::SHARE; i++)
            copy_tile_to(tile::EVERYONE, ring->b[s][i], &maps.b, k * tile::DEEP,
                         column + i * tile::PANEL, &ring->full[s]);
    }
}

__device__ static void multiply_all(tile_ring<tile> *ring, int group, int count,
                                    float (&sum)[tile::SUMS])
{
    const int lane = threadIdx.x % 32;

#pragma unroll 1
    for (int k = 0; k < count; k++) {
        const int s = k % tile::STAGES;

        barrier_wait(&ring->full[s], k / tile::STAGES);
        products_fence();
        multiply_stage<tile>(ring, s, group, sum);
        products_commit();
        products_wait<1>();
        if (k > 0 && lane < tile::CLUSTER)
            barrier_arrive_in(&ring->empty[(k - 1) % tile::STAGES], lane);
    }
    products_wait<0>();
}

__global__ void __cluster_dims__(1, tile::CLUSTER) __launch_bounds__(tile::ALL_THREADS, 1)
    hgemm(const struct hgemm p, const __grid_constant__ struct maps maps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const int row = blockIdx.y * tile::HIGH, column = blockIdx.x * tile::WIDE;
    const int group = threadIdx.x / THREADS, count = (p.k + tile::DEEP - 1) / tile::DEEP;

    if (threadIdx.x == 0) {
        barriers_init(ring->full, tile::STAGES);
        barriers_init(ring->empty, tile::STAGES, tile::WARPS * tile::CLUSTER);
    }
    cluster_meet();
    if (group == tile::GROUPS) {
        give_registers<FEW>();
        if (threadIdx.x % THREADS == 0)
            fetch_all(ring, maps, row, column, count);
        __syncwarp();
    } else {
        float sum[tile::SUMS] = {};

        take_registers<MANY>();
        multiply_all(ring, group, count, sum);
        sums_are_there(sum);
        store_rows(p, row + group * tile::PART, column, sum);
    }
    cluster_meet(); /* nobody leaves to whom others still send */
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const dim3 blocks = plan_tiles<tile>(run, *p, hgemm);
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
