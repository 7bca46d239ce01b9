/* s14: blocks share k through memory. A new beginning.
 *
 * Before: the blocks of a cluster of s12 must fit one part of the card together. Clusters of two
 *         do; of clusters of four that fill an SM per block, part of the card stays empty.
 * Now:    any number of blocks compute the same tile, each with a piece of k, wherever they run.
 *         Each leaves its sums in memory; the last one to arrive in add_pieces() adds up all of
 *         them, in the order of k, so that every run has the same bits.
 * See:    docs/sgemm.md#s14
 */
#include "ring.cuh"

typedef shape<64, 128, 8, 16, 32, 4, 4, false, 1> tile;

/* Add up what the blocks of a tile keep, this one having piece `piece.number`. Returns whether this
 * block is the last one, which has the totals. */
__device__ static bool add_pieces(const struct shared_work &work, const struct piece &piece,
                                  int pieces, float (*total)[tile::COLUMNS])
{
    enum { PAIRS = tile::KEEP / 2 * tile::COLUMNS, PART = PAIRS * tile::THREADS };
    float2 *const sums = work.sums + (size_t)piece.shared * pieces * PART + threadIdx.x;
    __shared__ bool last;

#pragma unroll
    for (int e = 0; e < PAIRS; e++)
        sums[piece.number * PART + e * tile::THREADS] =
            pair_of<tile>(total, e / tile::COLUMNS * 2, e % tile::COLUMNS);
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
            const float2 given = sums[number * PART + e * tile::THREADS];
            const int i = e / tile::COLUMNS * 2, j = e % tile::COLUMNS;

            total[i][j] = number == 0 ? given.y : total[i][j] + given.y;
            total[i + 1][j] = number == 0 ? given.x : total[i + 1][j] + given.x;
        }
    if (threadIdx.x == 0)
        work.arrived[piece.shared] = 0;
    return true;
}

__global__ void __launch_bounds__(tile::THREADS, tile::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p, const struct cut cut, const struct shared_work work)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const place<tile> me = find_place<tile>();
    const struct piece piece = find_piece<tile>(p, cut);
    float sum[tile::ROWS][tile::COLUMNS] = {}, total[tile::KEEP][tile::COLUMNS];

    multiply_all<tile>(ring, &map_a, &map_b, piece.row, piece.column, piece.first, piece.last, me,
                       sum);
    add_slices<tile>(shared, me, sum, total);
    if (piece.shared < 0 || add_pieces(work, piece, cut.pieces, total))
        store_kept<tile>(p, shared, piece.row, piece.column, me, total);
}

/* Every tile in four pieces. */
static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const int tiles = count_tiles<tile>(*p), bytes = shared_bytes<tile>();
    const struct cut cut = {0, 4, (count_depth<tile>(*p) + 3) / 4};
    const dim3 blocks = count_blocks(tiles, cut);
    const struct shared_work shared_work =
        new_shared_work(tiles, cut.pieces, tile::HIGH, tile::WIDE);
    float *const work = new_work(*p);

    plan_cut(run, tiles, cut, tile::THREADS, bytes);
    allow_shared(sgemm, bytes);
    TIMED(run) {
        const struct sgemm q = pad_rows(*p, work);

        sgemm<<<blocks, tile::THREADS, bytes>>>(
            map_matrix(q.a, q.lda, q.m, q.k, tile::HIGH, tile::DEPTH, true),
            map_matrix(q.b, q.ldb, q.k, q.n, tile::DEPTH, tile::WIDE, false), q, cut, shared_work);
    }
    CHECK(cudaFree(work));
    CHECK(cudaFree(shared_work.sums));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
