/* s01: a tile of 16 x 256 a block, as in the paper of 2013.
 *
 * Now:    128 threads compute a tile of C of 16 x 256. 16 x 32 elements of A lie in shared memory;
 *         a thread reads two neighbours of a row of B at once, as a float2, and multiplies them by
 *         16 elements of A: 32 sums in registers.
 *         The paper changes three things against the SGEMM before it. Options take them back:
 *         --narrow 1 is a tile of 16 x 64, --single 1 reads one float at a time, --shallow 1 keeps
 *         16 x 16 of A.
 * See:    docs/sgemm.md#s01
 */
#include "tile.cuh"

enum { ROWS = 16 };

static int64_t narrow, single, shallow; /* options: 0 or 1 */

/* Two neighbours of a row of B. */
__device__ static float2 load2(const struct sgemm &p, int row, int column)
{
    if (p.ldb % 2 == 0 && row < p.k && column + 1 < p.n)
        return *(const float2 *)&p.b[(size_t)row * p.ldb + column];
    return make_float2(load(p.b, p.ldb, p.k, p.n, row, column),
                       load(p.b, p.ldb, p.k, p.n, row, column + 1));
}

/* A thread has COLUMNS columns: two as a float2, or one, or two with half a tile in between. */
template <int WIDTH, int COLUMNS, bool PAIR, int DEPTH>
__global__ void __launch_bounds__(WIDTH / COLUMNS) sgemm(const struct sgemm p)
{
    constexpr int THREADS = WIDTH / COLUMNS, APART = PAIR ? 1 : THREADS;
    __shared__ float tile_a[ROWS][DEPTH];
    const int row = blockIdx.y * ROWS;
    const int column = blockIdx.x * WIDTH + threadIdx.x * (PAIR ? COLUMNS : 1);
    float sum[ROWS][COLUMNS] = {};

    for (int k = 0; k < p.k; k += DEPTH) {
        for (int i = threadIdx.x; i < ROWS * DEPTH; i += THREADS)
            tile_a[i / DEPTH][i % DEPTH] =
                load(p.a, p.lda, p.m, p.k, row + i / DEPTH, k + i % DEPTH);
        __syncthreads();
#pragma unroll 4
        for (int kk = 0; kk < DEPTH; kk++) {
            float b[COLUMNS];

            if constexpr (PAIR) {
                const float2 pair = load2(p, k + kk, column);

                b[0] = pair.x;
                b[1] = pair.y;
            } else {
                for (int j = 0; j < COLUMNS; j++)
                    b[j] = load(p.b, p.ldb, p.k, p.n, k + kk, column + j * APART);
            }
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = fmaf(tile_a[i][kk], b[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            store(p, row + i, column + j * APART, sum[i][j]);
}

template <int WIDTH, int COLUMNS, bool PAIR, int DEPTH>
static void launch(const struct sgemm *p, struct run *run)
{
    const dim3 blocks((p->n + WIDTH - 1) / WIDTH, (p->m + ROWS - 1) / ROWS);

    run->blocks = blocks.x;
    run->blocks_y = blocks.y;
    run->threads = WIDTH / COLUMNS;
    TIMED(run)
        sgemm<WIDTH, COLUMNS, PAIR, DEPTH><<<blocks, run->threads>>>(*p);
}

template <int DEPTH> static void choose(const struct sgemm *p, struct run *run)
{
    if (narrow)
        single ? launch<64, 1, false, DEPTH>(p, run) : launch<64, 2, true, DEPTH>(p, run);
    else
        single ? launch<256, 2, false, DEPTH>(p, run) : launch<256, 2, true, DEPTH>(p, run);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    shallow ? choose<16>(p, run) : choose<32>(p, run);
}

int main(int argc, char **argv)
{
    return sgemm_main(
        argc, argv, STEP, sgemm_gpu,
        {.options = {
             {.name = "narrow", .value = &narrow, .max = 1, .help = "1: a tile of 16 x 64"},
             {.name = "single", .value = &single, .max = 1, .help = "1: one float of B a load"},
             {.name = "shallow", .value = &shallow, .max = 1, .help = "1: 16 x 16 of A"}}});
}
