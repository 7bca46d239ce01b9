/* s11: the threads of a block share k.
 *
 * Before: 1024 x 1024 elements are 64 tiles of s10, for 132 SMs; with tiles of half the
 *         size there are enough, but a block of theirs has 64 threads, too few to hide anything.
 * Now:    tiles of 64 x 128, and four teams of 64 threads. Each team multiplies a quarter of every
 *         tile's k, for all of the block's elements. In the end they add up through shared memory:
 *         each keeps a quarter of the elements.
 * See:    docs/sgemm.md#s11
 */
#include "ring.cuh"

template <class S>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct tile_ring<S> *const ring = (struct tile_ring<S> *)shared;
    const place<S> me = find_place<S>();
    const int row = blockIdx.y * S::HIGH, column = blockIdx.x * S::WIDE;
    const int tiles = (p.k + S::DEPTH - 1) / S::DEPTH;
    float sum[S::ROWS][S::COLUMNS] = {}, total[S::KEEP][S::COLUMNS];

    multiply_all<S>(ring, &map_a, &map_b, row, column, 0, tiles, me, sum);
    add_slices<S>(shared, me, sum, total);
    store_kept<S>(p, shared, row, column, me, total);
}

/* `p` has rows as bulk copies want them. */
template <class S> static void launch(const struct sgemm &p, dim3 blocks)
{
    allow_shared(sgemm<S>, shared_bytes<S>());
    sgemm<S><<<blocks, S::THREADS, shared_bytes<S>()>>>(
        map_matrix(p.a, p.lda, p.m, p.k, S::HIGH, S::DEPTH, true),
        map_matrix(p.b, p.ldb, p.k, p.n, S::DEPTH, S::WIDE, false), p);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    typedef shape<64, 128, 8, 16, 32, 4, 4, false, 1> tile;
    const dim3 blocks =
        plan_launch(run, *p, tile::HIGH, tile::WIDE, tile::THREADS, shared_bytes<tile>());
    float *const work = new_work(*p);

    TIMED(run)
        launch<tile>(pad_rows(*p, work), blocks);
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
