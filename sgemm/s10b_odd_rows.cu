/* s10b: rows of C that start anywhere. A new beginning.
 *
 * Before: s10 stores 128 bits at a time. Where rows of C are no multiple of 16 bytes it stores word
 *         by word: 8 threads of a warp write words that lie 16 bytes apart.
 * Now:    then store_rows() sends C through shared memory, which is free by now: a thread puts its
 *         sums there column by column, and a warp stores 32 neighbours of a row. Two sums that lie
 *         one below the other leave together, the lower one first. So ptxas gives them a pair of
 *         registers, the lower one the even register; of A's factors the upper one has it. A
 *         multiply-add reads its sum and its factor of A from different banks.
 * See:    docs/sgemm.md#s10b
 */
#include "ring.cuh"

typedef shape<64, 256, 8, 16, 16, 4, 1, true, 2> tile;

/* Where rows 4 * rows and on of a column are in shared memory. Eight threads that write columns 4
 * apart meet different banks, and so do eight that read neighbouring ones. */
__device__ static int place_of(int column, int rows)
{
    return column * tile::HIGH + 4 * (rows ^ (column ^ column >> 3) % 8);
}

__device__ static void store_rows(const struct sgemm &p, float *stage, int row, int column,
                                  const place<tile> &me, const float (*sum)[tile::COLUMNS])
{
#pragma unroll
    for (int j = 0; j < tile::COLUMNS; j++)
        for (int i = 0; i < tile::ROWS; i += 2) {
            const int c = j / 4 * 4 * tile::ACROSS + 4 * me.x + j % 4;

            *(float2 *)&stage[place_of(c, i / 4 * tile::DOWN + me.y) + i % 4] =
                make_float2(sum[i + 1][j], sum[i][j]);
        }
    __syncthreads();
#pragma unroll 4
    for (int i = threadIdx.x; i < tile::HIGH / 4 * tile::WIDE; i += tile::THREADS) {
        const int r = i / tile::WIDE, c = i % tile::WIDE;
        const float4 v = *(const float4 *)&stage[place_of(c, r)];

        store(p, row + 4 * r, column + c, v.y);
        store(p, row + 4 * r + 1, column + c, v.x);
        store(p, row + 4 * r + 2, column + c, v.w);
        store(p, row + 4 * r + 3, column + c, v.z);
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
    float sum[tile::ROWS][tile::COLUMNS] = {};

    multiply_all<tile>(ring, &map_a, &map_b, row, column, 0, count_depth<tile>(p), me, sum);
    if (p.ldc % 4 == 0)
        store_sums(p, row, column, me.y, tile::DOWN, me.x, tile::ACROSS, sum);
    else
        store_rows(p, (float *)shared, row, column, me, sum);
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
