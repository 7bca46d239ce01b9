/* s14: blocks share k through memory.
 *
 * Before: the blocks of a cluster of s12 must fit one part of the card together. Clusters of two
 *         do; of clusters of four that fill a multiprocessor per block, part of the card stays
 *         empty.
 * Now:    any number of blocks compute the same tile, each with a share of k, wherever they run.
 *         Each leaves its sums in memory; the last one to arrive adds up all of them, in the order
 *         of k, so that every run has the same bits.
 * See:    docs/sgemm.md#s14
 */
#include "ring.cuh"

/* The kept sums of the block's tile from all its gridDim.z blocks. Returns whether this is the last
 * one, which has them. */
template <class S>
__device__ static bool add_blocks(const struct shared_work &work, float (*total)[S::COLUMNS])
{
    enum { KEPT = S::KEEP * S::COLUMNS };
    const int tile = blockIdx.y * gridDim.x + blockIdx.x;
    float *const sums = work.sums + (size_t)tile * gridDim.z * KEPT * S::THREADS + threadIdx.x;
    __shared__ bool last;

#pragma unroll
    for (int e = 0; e < KEPT; e++)
        sums[(blockIdx.z * KEPT + e) * S::THREADS] = total[e / S::COLUMNS][e % S::COLUMNS];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&work.arrived[tile], 1) == gridDim.z - 1;
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
    for (unsigned block = 0; block < gridDim.z; block++)
#pragma unroll
        for (int e = 0; e < KEPT; e++) { /* loads that do not wait for each other */
            const float given = sums[(block * KEPT + e) * S::THREADS];
            float *const sum = &total[e / S::COLUMNS][e % S::COLUMNS];

            *sum = block == 0 ? given : *sum + given;
        }
    if (threadIdx.x == 0)
        work.arrived[tile] = 0;
    return true;
}

/* One of SPLIT blocks, gridDim.z of them. */
template <class S, int SPLIT>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p, const struct shared_work work)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct tile_ring<S> *const ring = (struct tile_ring<S> *)shared;
    const place<S> me = find_place<S>();
    const int row = blockIdx.y * S::HIGH, column = blockIdx.x * S::WIDE;
    const int tiles = (p.k + S::DEPTH - 1) / S::DEPTH;
    const int first = SPLIT == 1 ? 0 : blockIdx.z * tiles / SPLIT;
    const int last = SPLIT == 1 ? tiles : (blockIdx.z + 1) * tiles / SPLIT;
    float sum[S::ROWS][S::COLUMNS] = {}, total[S::KEEP][S::COLUMNS];

    multiply_all<S>(ring, &map_a, &map_b, row, column, first, last, me, sum);
    add_slices<S>((float *)shared, me, sum, total);
    if (SPLIT == 1 || add_blocks<S>(work, total))
        store_kept<S>(p, row, column, me, total);
}

template <class S, int SPLIT> static dim3 tile_blocks(const struct sgemm &p)
{
    return dim3((p.n + S::WIDE - 1) / S::WIDE, (p.m + S::HIGH - 1) / S::HIGH, SPLIT);
}

/* `p` with rows as bulk copies want them. With `overlap` the launch may begin early: see s15. */
template <class S, int SPLIT>
static void launch(const struct sgemm &p, const struct shared_work &work, bool overlap)
{
    const cudaLaunchConfig_t config =
        launch_config(tile_blocks<S, SPLIT>(p), S::THREADS, shared_bytes<S>(), overlap);

    allow_shared(sgemm<S, SPLIT>, shared_bytes<S>());
    CHECK(cudaLaunchKernelEx(&config, sgemm<S, SPLIT>,
                             map_matrix(p.a, p.lda, p.m, p.k, S::HIGH, S::DEPTH, true),
                             map_matrix(p.b, p.ldb, p.k, p.n, S::DEPTH, S::WIDE, false), p, work));
}

template <class S, int SPLIT>
static void split_gpu(const struct sgemm *p, struct run *run, bool overlap)
{
    const struct shared_work shared_work =
        new_shared_work(tile_blocks<S, SPLIT>(*p), S::HIGH, S::WIDE);
    float *const work = new_work(*p);

    plan_launch(run, *p, S::HIGH, S::WIDE, S::THREADS, shared_bytes<S>());
    TIMED(run)
        launch<S, SPLIT>(pad_rows(*p, work), shared_work, overlap);
    CHECK(cudaFree(work));
    CHECK(cudaFree(shared_work.sums));
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    split_gpu<shape<64, 128, 8, 16, 32, 4, 4, false, 1>, 4>(p, run, false);
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
