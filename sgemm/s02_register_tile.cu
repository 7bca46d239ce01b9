/* s02: 8 x 8 sums a thread, both tiles in shared memory. A new beginning.
 *
 * Before: in s01 one of the two factors came from shared memory for every row: 16 loads for 32
 *         products.
 * Now:    256 threads of sgemm() compute a tile of 128 x 128. For each k a thread loads 8 elements
 *         of A and 8 of B, and has 64 products of them: a quarter of a load a product. Its rows are
 *         16 apart, and so are its columns: neighbouring threads read neighbouring words.
 * See:    docs/sgemm.md#s02
 */
#include "tile.cuh"

enum { TILE = 128, DEPTH = 16, SIDE = 8, ACROSS = TILE / SIDE, THREADS = ACROSS * ACROSS };

__global__ void __launch_bounds__(THREADS, 2) sgemm(const struct sgemm p)
{
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[SIDE][SIDE] = {};

    for (int k = 0; k < p.k; k += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            const int r = i / DEPTH, c = i % DEPTH;

            tile_a[r][c] = load(p.a, p.lda, p.m, p.k, row + r, k + c);
        }
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            const int r = i / TILE, c = i % TILE;

            tile_b[r][c] = load(p.b, p.ldb, p.k, p.n, k + r, column + c);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < DEPTH; kk++) {
            float a[SIDE], b[SIDE];

            for (int i = 0; i < SIDE; i++)
                a[i] = tile_a[i * ACROSS + y][kk];
            for (int j = 0; j < SIDE; j++)
                b[j] = tile_b[kk][j * ACROSS + x];
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            store(p, row + i * ACROSS + y, column + j * ACROSS + x, sum[i][j]);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p, TILE, TILE, THREADS);

    TIMED(run)
        sgemm<<<blocks, THREADS>>>(*p);
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
