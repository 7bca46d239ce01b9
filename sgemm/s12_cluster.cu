/* s12: the blocks of a cluster share k.
 *
 * Before: 64 x 4096 elements of C are 32 tiles of s11, for 132 SMs.
 * Now:    tiles of 64 x 64, and two blocks, a cluster (compute 9.0), compute the same one, each
 *         with half of k. In the end each adds up half of the tile, out of the shared memory of
 *         both.
 * See:    docs/sgemm.md#s12
 */
#include <cooperative_groups.h>

#include "ring.cuh"

/* The blocks of a cluster add up, element by element of what each thread keeps; each block stores
 * its share. */
template <class S>
__device__ static void add_cluster(const struct sgemm &p, float *mine, const place<S> &me, int row,
                                   int column, float (*total)[S::COLUMNS])
{
    enum { KEPT = S::KEEP * S::COLUMNS };
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int share = KEPT / gridDim.z, first = blockIdx.z * share;

    __syncthreads(); /* what the slices gave has been read */
#pragma unroll
    for (int e = 0; e < KEPT; e++)
        mine[e * S::THREADS + threadIdx.x] = total[e / S::COLUMNS][e % S::COLUMNS];
    cluster.sync();
    for (int e = first; e < first + share; e += 4) {
        const int i = me.slice * S::KEEP + e / S::COLUMNS, j = e % S::COLUMNS;
        float v[4] = {};

        for (unsigned block = 0; block < gridDim.z; block++) {
            const float *const theirs = cluster.map_shared_rank(mine, block);

            for (int f = 0; f < 4; f++)
                v[f] += theirs[(e + f) * S::THREADS + threadIdx.x];
        }
        store4(p, row + i / 4 * 4 * S::DOWN + 4 * me.y + i % 4, column + j * S::ACROSS + 4 * me.x,
               v[0], v[1], v[2], v[3]);
    }
    cluster.sync(); /* nobody leaves whose memory others still read */
}

/* A block of a cluster of CLUSTER, gridDim.z of them. */
template <class S, int CLUSTER>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct tile_ring<S> *const ring = (struct tile_ring<S> *)shared;
    const place<S> me = find_place<S>();
    const int row = blockIdx.y * S::HIGH, column = blockIdx.x * S::WIDE;
    const int tiles = (p.k + S::DEPTH - 1) / S::DEPTH;
    const int first = blockIdx.z * tiles / CLUSTER, last = (blockIdx.z + 1) * tiles / CLUSTER;
    float sum[S::ROWS][S::COLUMNS] = {}, total[S::KEEP][S::COLUMNS];

    multiply_all<S>(ring, &map_a, &map_b, row, column, first, last, me, sum);
    add_slices<S>(shared, me, sum, total);
    add_cluster<S>(p, (float *)shared, me, row, column, total);
}

/* `p` with rows as bulk copies want them. */
template <class S, int CLUSTER> static void launch(const struct sgemm &p, dim3 tiles)
{
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension};
    cudaLaunchConfig_t config = {.gridDim = dim3(tiles.x, tiles.y, CLUSTER),
                                 .blockDim = S::THREADS,
                                 .dynamicSmemBytes = (size_t)shared_bytes<S>(),
                                 .attrs = &cluster,
                                 .numAttrs = 1};

    cluster.val.clusterDim = {1, 1, CLUSTER};
    allow_shared(sgemm<S, CLUSTER>, shared_bytes<S>());
    CHECK(cudaLaunchKernelEx(&config, sgemm<S, CLUSTER>,
                             map_matrix(p.a, p.lda, p.m, p.k, S::HIGH, S::DEPTH, true),
                             map_matrix(p.b, p.ldb, p.k, p.n, S::DEPTH, S::WIDE, false), p));
}

static void cluster_gpu(const struct sgemm *p, struct run *run)
{
    typedef shape<64, 64, 8, 8, 32, 4, 4, false, 1> tile;
    const dim3 tiles =
        plan_launch(run, *p, tile::HIGH, tile::WIDE, tile::THREADS, shared_bytes<tile>());
    float *const work = new_work(*p);

    TIMED(run)
        launch<tile, 2>(pad_rows(*p, work), tiles);
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, cluster_gpu, {});
}
