/* s04: A transposed on its way into shared memory.
 *
 * Before: in s03 a thread held four elements of each of its rows of A, 32 registers, to use
 *         one at a time.
 * Now:    A lies in shared memory, `tile_a`, as its transpose, so that a group of four rows is one
 *         128-bit load: both factors are read alike, 16 registers a round. Rows of the transpose
 *         are 4 words longer than the tile: else the words that a warp stores would all lie in few
 *         banks.
 * See:    docs/sgemm.md#s04
 */
#include "tile.cuh"

enum { TILE = 128, DEPTH = 16, SIDE = 8, ACROSS = TILE / SIDE, THREADS = ACROSS * ACROSS };

__global__ void __launch_bounds__(THREADS, 2) sgemm(const struct sgemm p)
{
    __shared__ __align__(16) float tile_a[DEPTH][TILE + 4];
    __shared__ __align__(16) float tile_b[DEPTH][TILE];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[SIDE][SIDE] = {};

    for (int k = 0; k < p.k; k += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
            const int r = i / (DEPTH / 4), c = i % (DEPTH / 4) * 4;
            const float4 v = load4(p.a, p.lda, p.m, p.k, row + r, k + c);

            tile_a[c][r] = v.x;
            tile_a[c + 1][r] = v.y;
            tile_a[c + 2][r] = v.z;
            tile_a[c + 3][r] = v.w;
        }
        for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
            const int r = i / (TILE / 4), c = i % (TILE / 4) * 4;

            *(float4 *)&tile_b[r][c] = load4(p.b, p.ldb, p.k, p.n, k + r, column + c);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < DEPTH; kk++) {
            float a[SIDE], b[SIDE];

            for (int g = 0; g < SIDE; g += 4) {
                *(float4 *)&a[g] = *(const float4 *)&tile_a[kk][g * ACROSS + 4 * y];
                *(float4 *)&b[g] = *(const float4 *)&tile_b[kk][g * ACROSS + 4 * x];
            }
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
        __syncthreads();
    }
    store_sums(p, row, column, y, ACROSS, x, ACROSS, sum);
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
