/* s01: a tile of 16 x 256 a block, as in the paper of 2013.
 *
 * Now:    in sgemm() 128 threads compute a tile of C of 16 x 256. 16 x 32 elements of A lie in
 *         shared memory; a thread reads two neighbours of a row of B at once, as a float2, and
 *         multiplies them by 16 elements of A: 32 sums in registers.
 *         The paper changes three things against the SGEMM before it. Options take them back:
 *         --narrow 1 is a tile of 16 x 64, for 64 threads with a column each; --single 1 reads one
 *         float at a time; --shallow 1 keeps 16 x 16 of A.
 * See:    docs/sgemm.md#s01
 */
#include "tile.cuh"

enum { ROWS = 16 };

static int64_t narrow, single, shallow; /* options: 0 or 1 */

/* A thread has COLUMNS columns: two as a float2, or one, or two with half a tile in between. Past
 * an edge it reads the last row or column again, and nobody uses what that gives. */
template <int WIDTH, int COLUMNS, bool PAIR, int DEPTH>
__global__ void __launch_bounds__(WIDTH / COLUMNS) sgemm(const struct sgemm p)
{
    constexpr int THREADS = WIDTH / COLUMNS, APART = PAIR ? 1 : THREADS;
    constexpr int DOWN = THREADS / DEPTH, LOADS = ROWS / DOWN;
    __shared__ float tile_a[ROWS][DEPTH];
    const int row = blockIdx.y * ROWS, row_a = threadIdx.x / DEPTH, k_a = threadIdx.x % DEPTH;
    const int column = blockIdx.x * WIDTH + threadIdx.x * (PAIR ? COLUMNS : 1);
    const float *a[LOADS], *b[COLUMNS]; /* what is loaded next */
    float sum[ROWS][COLUMNS] = {};

    for (int l = 0; l < LOADS; l++)
        a[l] = &p.a[(size_t)min(row + row_a + l * DOWN, p.m - 1) * p.lda + min(k_a, p.k - 1)];
    for (int j = 0; j < COLUMNS; j++)
        b[j] = &p.b[min(column + j * APART, p.n - (PAIR ? COLUMNS : 1))];
    for (int k = 0; k < p.k; k += DEPTH) {
        float part[LOADS];

#pragma unroll
        for (int l = 0; l < LOADS; l++)
            part[l] = *a[l];
#pragma unroll
        for (int l = 0; l < LOADS; l++) {
            tile_a[row_a + l * DOWN][k_a] = part[l];
            a[l] += k + DEPTH + k_a < p.k ? DEPTH : 0;
        }
        __syncthreads();
#pragma unroll 8
        for (int kk = 0; kk < min(DEPTH, p.k - k); kk++) {
            float factor[COLUMNS];

            if constexpr (PAIR)
                *(float2 *)factor = *(const float2 *)b[0];
            else
                for (int j = 0; j < COLUMNS; j++)
                    factor[j] = *b[j];
            for (int j = 0; j < COLUMNS; j++)
                b[j] += p.ldb;
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = fmaf(tile_a[i][kk], factor[j], sum[i][j]);
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
    const dim3 blocks = plan_launch(run, *p, ROWS, WIDTH, WIDTH / COLUMNS);

    TIMED(run)
        sgemm<WIDTH, COLUMNS, PAIR, DEPTH><<<blocks, run->threads>>>(*p);
}

template <int DEPTH> static void choose(const struct sgemm *p, struct run *run)
{
    if (narrow)
        launch<64, 1, false, DEPTH>(p, run);
    else if (!single && p->n % 2 == 0 && p->ldb % 2 == 0) /* a float2 starts at an even element */
        launch<256, 2, true, DEPTH>(p, run);
    else
        launch<256, 2, false, DEPTH>(p, run);
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
