/* s14: blocks share k through memory.
 *
 * Before: the blocks of a cluster of s12 must fit one part of the card together. Clusters of two
 *         do; of clusters of four that fill an SM per block, part of the card stays empty.
 * Now:    any number of blocks compute the same tile, each with a piece of k, wherever they run.
 *         Each leaves its sums in memory; the last one to arrive adds up all of them, in the order
 *         of k, so that every run has the same bits.
 * See:    docs/sgemm.md#s14
 */
#include "ring.cuh"

/* Add up what the blocks of a tile keep, this one having piece `piece.number`. Returns whether this
 * block is the last one, which has the totals. */
template <class S>
__device__ static bool add_pieces(const struct shared_work &work, const struct piece &piece,
                                  int pieces, float (*total)[S::COLUMNS])
{
    enum { PAIRS = S::KEEP / 2 * S::COLUMNS, PART = PAIRS * S::THREADS };
    float2 *const sums = work.sums + (size_t)piece.shared * pieces * PART + threadIdx.x;
    __shared__ bool last;

#pragma unroll
    for (int e = 0; e < PAIRS; e++)
        sums[piece.number * PART + e * S::THREADS] =
            take_pair<S>(total, e / S::COLUMNS * 2, e % S::COLUMNS);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&work.arrived[piece.shared], 1) == pieces - 1;
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
    for (int number = 0; number < pieces; number++)
#pragma unroll
        for (int e = 0; e < PAIRS; e++) { /* loads that do not wait for each other */
            const float2 given = sums[number * PART + e * S::THREADS];
            const int i = e / S::COLUMNS * 2, j = e % S::COLUMNS;

            total[i][j] = number == 0 ? given.y : total[i][j] + given.y;
            total[i + 1][j] = number == 0 ? given.x : total[i + 1][j] + given.x;
        }
    if (threadIdx.x == 0)
        work.arrived[piece.shared] = 0;
    return true;
}

template <class S>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p, const struct cut cut, const struct shared_work work)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct tile_ring<S> *const ring = (struct tile_ring<S> *)shared;
    const place<S> me = find_place<S>();
    const struct piece piece = find_piece<S>(p, cut);
    float sum[S::ROWS][S::COLUMNS] = {}, total[S::KEEP][S::COLUMNS];

    multiply_all<S>(ring, &map_a, &map_b, piece.row, piece.column, piece.first, piece.last, me,
                    sum);
    add_slices<S>(shared, me, sum, total);
    if (piece.shared < 0 || add_pieces<S>(work, piece, cut.pieces, total))
        store_kept<S>(p, shared, piece.row, piece.column, me, total);
}

/* `p` has rows as bulk copies want them. With `overlap` the launch may begin early: see s15. */
template <class S>
static void launch(const struct sgemm &p, const struct cut &cut, const struct shared_work &work,
                   bool overlap)
{
    const int blocks = count_blocks(count_tiles<S>(p), cut);
    const cudaLaunchConfig_t config = launch_config(blocks, S::THREADS, shared_bytes<S>(), overlap);

    allow_shared(sgemm<S>, shared_bytes<S>());
    CHECK(cudaLaunchKernelEx(
        &config, sgemm<S>, map_matrix(p.a, p.lda, p.m, p.k, S::HIGH, S::DEPTH, true),
        map_matrix(p.b, p.ldb, p.k, p.n, S::DEPTH, S::WIDE, false), p, cut, work));
}

template <class S>
static void cut_gpu(const struct sgemm *p, struct run *run, const struct cut &cut, bool overlap)
{
    const int tiles = count_tiles<S>(*p);
    const struct shared_work shared_work =
        new_shared_work(tiles - cut.whole, cut.pieces, S::HIGH, S::WIDE);
    float *const work = new_work(*p);

    plan_cut(run, tiles, cut, S::THREADS, shared_bytes<S>());
    TIMED(run)
        launch<S>(pad_rows(*p, work), cut, shared_work, overlap);
    CHECK(cudaFree(work));
    CHECK(cudaFree(shared_work.sums));
}

/* Every tile in four pieces. */
static void split_gpu(const struct sgemm *p, struct run *run)
{
    typedef shape<64, 128, 8, 16, 32, 4, 4, false, 1> S;

    cut_gpu<S>(p, run, {0, 4, (count_depth<S>(*p) + 3) / 4}, false);
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, split_gpu, {});
}
