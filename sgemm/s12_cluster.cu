/* s12: the blocks of a cluster share k.
 *
 * Before: 64 x 4096 elements of C are 32 tiles of s11, for 132 SMs.
 * Now:    tiles of 64 x 64, and two blocks, a cluster (compute 9.0), compute the same one, each
 *         with half of k. In the end each adds up half of the tile in add_cluster(), out of the
 *         shared memory of both.
 * See:    docs/sgemm.md#s12
 */
#include <cooperative_groups.h>

#include "ring.cuh"

enum { CLUSTER = 2 };
typedef shape<64, 64, 8, 8, 32, 4, 4, false, 1> tile;

/* The blocks of a cluster add up, element by element of what each thread keeps; each block stores
 * its share. */
__device__ static void add_cluster(const struct sgemm &p, float *mine, const place<tile> &me,
                                   int row, int column, float (*total)[tile::COLUMNS])
{
    enum { KEPT = tile::KEEP * tile::COLUMNS };
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int share = KEPT / gridDim.z, first = blockIdx.z * share;

    __syncthreads(); /* what the slices gave has been read */
#pragma unroll
    for (int e = 0; e < KEPT; e++)
        mine[e * tile::THREADS + threadIdx.x] = total[e / tile::COLUMNS][e % tile::COLUMNS];
    cluster.sync();
    for (int e = first; e < first + share; e += 4) {
        const int i = me.slice * tile::KEEP + e / tile::COLUMNS, j = e % tile::COLUMNS;
        float v[4] = {};

        for (unsigned block = 0; block < gridDim.z; block++) {
            const float *const theirs = cluster.map_shared_rank(mine, block);

            for (int f = 0; f < 4; f++)
                v[f] += theirs[(e + f) * tile::THREADS + threadIdx.x];
        }
        store4(p, row + i / 4 * 4 * tile::DOWN + 4 * me.y + i % 4,
               column + j * tile::ACROSS + 4 * me.x, v[0], v[1], v[2], v[3]);
    }
    cluster.sync(); /* nobody leaves whose memory others still read */
}

__global__ void __launch_bounds__(tile::THREADS, tile::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const place<tile> me = find_place<tile>();
    const int row = blockIdx.y * tile::HIGH, column = blockIdx.x * tile::WIDE;
    const int tiles = count_depth<tile>(p);
    const int first = blockIdx.z * tiles / CLUSTER, last = (blockIdx.z + 1) * tiles / CLUSTER;
    float sum[tile::ROWS][tile::COLUMNS] = {}, total[tile::KEEP][tile::COLUMNS];

    multiply_all<tile>(ring, &map_a, &map_b, row, column, first, last, me, sum);
    add_slices<tile>(shared, me, sum, total);
    add_cluster(p, (float *)shared, me, row, column, total);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const int bytes = shared_bytes<tile>();
    const dim3 blocks = plan_launch(run, *p, tile::HIGH, tile::WIDE, tile::THREADS, bytes);
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension};
    cudaLaunchConfig_t config = {.gridDim = dim3(blocks.x, blocks.y, CLUSTER),
                                 .blockDim = tile::THREADS,
                                 .dynamicSmemBytes = (size_t)bytes,
                                 .attrs = &cluster,
                                 .numAttrs = 1};
    float *const work = new_work(*p);

    cluster.val.clusterDim = {1, 1, CLUSTER};
    allow_shared(sgemm, bytes);
    TIMED(run) {
        const struct sgemm q = pad_rows(*p, work);

        CHECK(cudaLaunchKernelEx(
            &config, sgemm, map_matrix(q.a, q.lda, q.m, q.k, tile::HIGH, tile::DEPTH, true),
            map_matrix(q.b, q.ldb, q.k, q.n, tile::DEPTH, tile::WIDE, false), q));
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
