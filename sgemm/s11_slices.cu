/* s11: the threads of a block share k.
 *
 * Before: 1024 x 1024 elements are 64 tiles of s10, for 132 SMs; with tiles of half the
 *         size there are enough, but a block of theirs has 64 threads, too few to hide anything.
 * Now:    tiles of 64 x 128, and four teams of 64 threads. Each team multiplies a quarter of every
 *         tile's k, for all of the block's elements. In the end add_slices() adds them up through
 *         shared memory: each keeps a quarter of the elements.
 * See:    docs/sgemm.md#s11
 */
#include "ring.cuh"

typedef shape<64, 128, 8, 16, 32, 4, 4, false, 1> tile;

/* The slices of a block add up: each keeps KEEP of its rows, sum[slice * KEEP] and on, and gives
 * the others away, through shared memory that nobody uses any more. */
__device__ static void add_slices(unsigned char *shared, const place<tile> &me,
                                  float (*sum)[tile::COLUMNS], float (*total)[tile::COLUMNS])
{
    enum { PART = tile::KEEP / 2 * tile::COLUMNS * tile::TEAM };
    float2 *const give = (float2 *)shared + me.t;

#pragma unroll
    for (int s = 0; s < tile::SLICES; s++)
        for (int i = 0; i < tile::KEEP; i += 2)
            for (int j = 0; j < tile::COLUMNS; j++) {
                const int giver = me.slice > s ? me.slice - 1 : me.slice;
                const int to = (s * (tile::SLICES - 1) + giver) * PART;

                if (s != me.slice)
                    give[to + (i / 2 * tile::COLUMNS + j) * tile::TEAM] =
                        pair_of<tile>(sum, s * tile::KEEP + i, j);
                else
                    for (int r = i; r < i + 2; r++)
                        total[r][j] = sum[s * tile::KEEP + r][j];
            }
    __syncthreads();
#pragma unroll
    for (int giver = 0; giver < tile::SLICES - 1; giver++)
        for (int i = 0; i < tile::KEEP; i += 2)
            for (int j = 0; j < tile::COLUMNS; j++) {
                const int from = (me.slice * (tile::SLICES - 1) + giver) * PART;
                const float2 given = give[from + (i / 2 * tile::COLUMNS + j) * tile::TEAM];

                total[i][j] += given.y;
                total[i + 1][j] += given.x;
            }
}

__global__ void __launch_bounds__(tile::THREADS, tile::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const place<tile> me = find_place<tile>();
    const int row = blockIdx.y * tile::HIGH, column = blockIdx.x * tile::WIDE;
    float sum[tile::ROWS][tile::COLUMNS] = {}, total[tile::KEEP][tile::COLUMNS];

    multiply_all<tile>(ring, &map_a, &map_b, row, column, 0, count_depth<tile>(p), me, sum);
    add_slices(shared, me, sum, total);
    store_kept<tile>(p, shared, row, column, me, total);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const int bytes = shared_bytes<tile>();
    const dim3 blocks = plan_launch(run, *p, tile::HIGH, tile::WIDE, tile::THREADS, bytes);
    float *const work = new_work(*p);

    allow_shared(sgemm, bytes);
    TIMED(run) {
        const struct sgemm q = pad_rows(*p, work);

        sgemm<<<blocks, tile::THREADS, bytes>>>(
            map_matrix(q.a, q.lda, q.m, q.k, tile::HIGH, tile::DEPTH, true),
            map_matrix(q.b, q.ldb, q.k, q.n, tile::DEPTH, tile::WIDE, false), q);
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
