/* h9: tiles of 128 x 256, by two groups of four warps.
 *
 * Before: each product of h8 was 64 x 64: two factors come from shared memory for every 64 x 64 x
 *         16 multiply-adds, and an SM fetches 16 KiB for every 64 x 64 x 64.
 * Now:    in multiply_all() two groups multiply 64 x 256 each, with one B between them: 48 KiB for
 *         eight times as much. A thread now holds 128 sums. Registers are shared out evenly when a
 *         block starts, but the group that fetches needs few of them: give_registers() returns
 *         them to the block, and the others take them.
 * See:    docs/hgemm.md#h9
 */
#include "groups.cuh"

enum { FEW = 40, MANY = 232 };
typedef shape<128, 256, 4> tile;

__device__ static void fetch_all(tile_ring<tile> *ring, const struct maps &maps, int row,
                                 int column, int count)
{
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        const int s = k % tile::STAGES;

        if (k >= tile::STAGES)
            barrier_wait(&ring->empty[s], k / tile::STAGES - 1);
        barrier_expect(&ring->full[s], sizeof(ring->a[s]) + sizeof(ring->b[s]));
        copy_tile(ring->a[s], &maps.a, row, k * tile::DEEP, &ring->full[s]);
        for (int i = 0; i < tile::PANELS; i++)
            copy_tile(ring->b[s][i], &maps.b, k * tile::DEEP, column + i * tile::PANEL,
                      &ring->full[s]);
    }
}

__device__ static void multiply_all(tile_ring<tile> *ring, int group, int count,
                                    float (&sum)[tile::SUMS])
{
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        const int s = k % tile::STAGES;

        barrier_wait(&ring->full[s], k / tile::STAGES);
        products_fence();
        multiply_stage<tile>(ring, s, group, sum);
        products_commit();
        products_wait<1>();
        if (k > 0 && threadIdx.x % 32 == 0)
            barrier_arrive(&ring->empty[(k - 1) % tile::STAGES]);
    }
    products_wait<0>();
}

__global__ void __launch_bounds__(tile::ALL_THREADS, 1)
    hgemm(const struct hgemm p, const __grid_constant__ struct maps maps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const int row = blockIdx.y * tile::HIGH, column = blockIdx.x * tile::WIDE;
    const int group = threadIdx.x / THREADS, count = (p.k + tile::DEEP - 1) / tile::DEEP;

    if (threadIdx.x == 0) {
        barriers_init(ring->full, tile::STAGES);
        barriers_init(ring->empty, tile::STAGES, tile::WARPS);
    }
    __syncthreads();
    if (group == tile::GROUPS) {
        give_registers<FEW>();
        if (threadIdx.x % THREADS == 0)
            fetch_all(ring, maps, row, column, count);
    } else {
        float sum[tile::SUMS] = {};

        take_registers<MANY>();
        multiply_all(ring, group, count, sum);
        sums_are_there(sum);
        store_rows(p, row + group * tile::PART, column, sum);
    }
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
