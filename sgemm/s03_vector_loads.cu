/* s03: 128 bits a load.
 *
 * Before: s02 moved one word at a time, from global to shared memory and from there to registers.
 * Now:    four words at a time, from `tile_a` and `tile_b` too. A thread's columns are two groups
 *         of four neighbours; of A it loads four neighbours along k, which serve four rounds.
 * See:    docs/sgemm.md#s03
 */
#include "tile.cuh"

enum { TILE = 128, DEPTH = 16, SIDE = 8, ACROSS = TILE / SIDE, THREADS = ACROSS * ACROSS };

__global__ void __launch_bounds__(THREADS, 2) sgemm(const struct sgemm p)
{
    __shared__ float4 tile_a[TILE][DEPTH / 4], tile_b[DEPTH][TILE / 4];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[SIDE][SIDE] = {};

    for (int k = 0; k < p.k; k += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
            const int r = i / (DEPTH / 4), c = i % (DEPTH / 4);

            tile_a[r][c] = load4(p.a, p.lda, p.m, p.k, row + r, k + 4 * c);
        }
        for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
            const int r = i / (TILE / 4), c = i % (TILE / 4);

            tile_b[r][c] = load4(p.b, p.ldb, p.k, p.n, k + r, column + 4 * c);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < DEPTH; kk += 4) {
            float a[SIDE][4], b[4][SIDE];

            for (int i = 0; i < SIDE; i++)
                *(float4 *)a[i] = tile_a[i * ACROSS + y][kk / 4];
            for (int t = 0; t < 4; t++)
                for (int g = 0; g < SIDE / 4; g++)
                    *(float4 *)&b[t][4 * g] = tile_b[kk + t][g * ACROSS + x];
            for (int t = 0; t < 4; t++)
                for (int i = 0; i < SIDE; i++)
                    for (int j = 0; j < SIDE; j++)
                        sum[i][j] = fmaf(a[i][t], b[t][j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j += 4)
            store4(p, row + i * ACROSS + y, column + j * ACROSS + 4 * x, sum[i][j], sum[i][j + 1],
                   sum[i][j + 2], sum[i][j + 3]);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p, TILE, TILE, THREADS);
    float *const work = new_work(*p);

    TIMED(run)
        sgemm<<<blocks, THREADS>>>(pad_rows(*p, work));
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
