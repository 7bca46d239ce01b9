/* h15: the blocks of a cluster share k. A new beginning.
 *
 * Before: a C with few rows has few tiles, and h14 leaves SMs idle, however long k is.
 * Now:    as in SGEMM's s12, PARTS blocks, a cluster, compute the same tile, each with its part of
 *         k. Each leaves its sums in its shared memory; in add_up() it reads, for its part of the
 *         rows, those of all blocks. They are added up in the order of the blocks, whichever is
 *         done first.
 * See:    docs/hgemm.md#h15
 */
#include "pairs.cuh"

enum { PARTS = 4 };
typedef shape<64, 128, 4> tile;

struct memory {
    tile_ring<tile> ring;
    float sums[tile::HIGH][tile::WIDE + 8]; /* more than a row, for the banks */
};

__device__ static void multiply_part(struct memory *m, int count)
{
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    float sum[tile::SUMS] = {};

    if (count > 0)
        multiply_all<tile>(&m->ring, 0, 0, count, sum);
#pragma unroll
    for (int i = 0; i < tile::SUMS; i += 2)
        *(float2 *)&m->sums[row + i / 2 % 2 * 8][column + i / 4 * 8] = {sum[i], sum[i + 1]};
}

/* What block `rank` of the cluster has at `sum`. */
__device__ static float sum_of(const float *sum, int rank)
{
    float there;

    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(there) : "r"(in_block(sum, rank)));
    return there;
}

/* This block's part of the tile's rows, to C. */
__device__ static void add_up(const struct memory *m, const struct hgemm &p, struct place at)
{
    const int high = tile::HIGH / PARTS, first = cluster_rank() * high;

    for (int i = threadIdx.x; i < high * tile::WIDE; i += tile::ALL_THREADS) {
        const int row = first + i / tile::WIDE, column = i % tile::WIDE;
        float sum = 0;

        for (int rank = 0; rank < PARTS; rank++)
            sum += sum_of(&m->sums[row][column], rank);
        store(p, at.row + row, at.column + column, sum);
    }
}

__global__ void __cluster_dims__(PARTS) __launch_bounds__(tile::ALL_THREADS, 1)
    hgemm(const struct hgemm p, const __grid_constant__ struct maps maps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct memory *const m = (struct memory *)shared;
    const struct place at = find_place<tile>(p, blockIdx.x / PARTS);
    const int depth = count_depth<tile>(p), rank = cluster_rank();
    const int first = depth * rank / PARTS, count = depth * (rank + 1) / PARTS - first;

    start_ring<tile>(&m->ring);
    if (threadIdx.x < THREADS)
        multiply_part(m, count);
    for (int k = 0; threadIdx.x == THREADS && k < count; k++)
        fetch_stage<tile>(&m->ring, maps, at, first + k, k);
    __syncwarp();
    cluster_meet();
    add_up(m, p, at);
    cluster_meet(); /* nobody leaves whose sums are still being read */
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    bf16 *const work = new_work(*p);

    run->blocks = PARTS * count_pairs<tile>(*p);
    run->blocks_y = 1;
    run->threads = tile::ALL_THREADS;
    run->shared_bytes = sizeof(struct memory);
    CHECK(cudaFuncSetAttribute(hgemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)run->shared_bytes));
    TIMED(run) {
        const struct hgemm q = pad_rows(*p, work);

        hgemm<<<run->blocks, tile::ALL_THREADS, run->shared_bytes>>>(q, make_maps<tile>(q));
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
