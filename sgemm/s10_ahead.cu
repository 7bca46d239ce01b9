/* s10: the next fragments are loaded between the products.
 *
 * Before: in s09 ptxas put a round's six loads from shared memory right in front of the products
 *         that need them, and two warps per scheduler do not hide the wait.
 * Now:    two sets of fragments, the numbers of A and B that a thread multiplies in a round. After
 *         every second column of products load_fragment() asks for a piece of the next one. A
 *         __syncwarp() ends each round: it costs one slot, and keeps ptxas from moving the loads
 *         back.
 * See:    docs/sgemm.md#s10
 */
#include "ring.cuh"

enum { HIGH = 64, WIDE = 256, DEPTH = 16, STAGES = 4, ROWS = 8, COLUMNS = 16 };
enum { ACROSS = WIDE / COLUMNS, DOWN = HIGH / ROWS, THREADS = ACROSS * DOWN };
enum { PIECES = ROWS / 4 + COLUMNS / 4 };

typedef shape<HIGH, WIDE, ROWS, COLUMNS, DEPTH, STAGES, 1, true, 2> tile_shape;
typedef tile_ring<tile_shape> tiles_of_block;

/* One of a round's PIECES 128-bit loads: first those of A, then those of B; beyond them none. */
__device__ static void load_fragment(int piece, const float *at, const float *bt, int x, int y,
                                     float *a, float *b)
{
    const int g = piece - ROWS / 4;

    if (g < 0)
        *(float4 *)&a[4 * piece] = *(const float4 *)&at[4 * piece * DOWN + 4 * y];
    else if (g < COLUMNS / 4)
        *(float4 *)&b[4 * g] = *(const float4 *)&bt[4 * g * ACROSS + 4 * x];
}

__global__ void __launch_bounds__(THREADS, 2)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tiles_of_block *const tiles = (tiles_of_block *)shared;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int x = warp % (ACROSS / 8) * 8 + lane % 8, y = warp / (ACROSS / 8) * 4 + lane / 8;
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    const int count = (p.k + DEPTH - 1) / DEPTH;
    float sum[ROWS][COLUMNS] = {};

    start_ring(tiles, &map_a, &map_b, row, column, 0, count);
#pragma unroll 1
    for (int tile = 0; tile < count; tile++) {
        const float(*const at)[HIGH] = tiles->transposed[tile % 2];
        const float(*const bt)[WIDE] = tiles->b[tile % STAGES];
        float a[2][ROWS], b[2][COLUMNS];

        for (int piece = 0; piece < PIECES; piece++)
            load_fragment(piece, at[0], bt[0], x, y, a[0], b[0]);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            if (k == DEPTH / 2 && tile + 1 < count)
                transpose(tiles, tile + 1);
            for (int j = 0; j < COLUMNS; j++) {
                for (int i = 0; i < ROWS; i++) {
                    const int s = j % 2 ? ROWS - 1 - i : i;

                    sum[s][j] = fmaf(a[k % 2][s], b[k % 2][j], sum[s][j]);
                }
                if (j % 2 == 0 && k + 1 < DEPTH)
                    load_fragment(j / 2, at[k + 1], bt[k + 1], x, y, a[~k & 1], b[~k & 1]);
            }
            __syncwarp();
        }
        __syncthreads();
        if (threadIdx.x == 0 && tile + STAGES < count)
            fetch(tiles, &map_a, &map_b, row, column, (tile + STAGES) * DEPTH, tile + STAGES);
    }
    store_sums(p, row, column, y, DOWN, x, ACROSS, sum);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p, HIGH, WIDE, THREADS, sizeof(tiles_of_block));
    float *const work = new_work(*p);

    allow_shared(sgemm, sizeof(tiles_of_block));
    TIMED(run) {
        const struct sgemm q = pad_rows(*p, work);

        sgemm<<<blocks, THREADS, sizeof(tiles_of_block)>>>(
            map_matrix(q.a, q.lda, q.m, q.k, HIGH, DEPTH, true),
            map_matrix(q.b, q.ldb, q.k, q.n, DEPTH, WIDE, false), q);
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
