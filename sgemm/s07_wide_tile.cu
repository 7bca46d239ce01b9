/* s07: 128 sums a thread, multiplied along a serpentine.
 *
 * Before: in s06 8 + 8 numbers from shared memory served 64 products, one after the other row by
 *         row, so that each row began with the far end of B again.
 * Now:    8 x 16 sums a thread: 24 numbers serve 128 products. 128 threads compute a tile of
 *         64 x 256, with up to 255 registers each: two blocks, 8 warps, per SM. In
 *         multiply() the products go down one column and up the next: neighbours share a factor.
 * See:    docs/sgemm.md#s07
 */
#include "tile.cuh"

enum { HIGH = 64, WIDE = 256, DEPTH = 16, ROWS = 8, COLUMNS = 16 };
enum { ACROSS = WIDE / COLUMNS, DOWN = HIGH / ROWS, THREADS = ACROSS * DOWN };
enum { LOADS_A = HIGH * DEPTH / 4 / THREADS, LOADS_B = WIDE * DEPTH / 4 / THREADS };

struct __align__(16) tiles
{
    float a[DEPTH][HIGH + 4], b[DEPTH][WIDE];
};

/* What this thread carries of the next tiles. */
struct pieces {
    float4 a[LOADS_A], b[LOADS_B];
};

__device__ static void fetch(struct pieces *next, const struct sgemm &p, int row, int column, int k)
{
    fetch_pieces<HIGH, DEPTH, THREADS>(next->a, p.a, p.lda, p.m, p.k, row, k);
    fetch_pieces<DEPTH, WIDE, THREADS>(next->b, p.b, p.ldb, p.k, p.n, k, column);
}

__device__ static void put(struct tiles *tiles, const struct pieces *next)
{
    put_transposed<HIGH, DEPTH, THREADS>(tiles->a, next->a);
#pragma unroll
    for (int l = 0; l < LOADS_B; l++)
        ((float4 *)tiles->b)[threadIdx.x + l * THREADS] = next->b[l];
}

__device__ static void multiply(const struct tiles *tiles, int x, int y, float (*sum)[COLUMNS])
{
#pragma unroll
    for (int kk = 0; kk < DEPTH; kk++) {
        float a[ROWS], b[COLUMNS];

        for (int g = 0; g < ROWS; g += 4)
            *(float4 *)&a[g] = *(const float4 *)&tiles->a[kk][g * DOWN + 4 * y];
        for (int g = 0; g < COLUMNS; g += 4)
            *(float4 *)&b[g] = *(const float4 *)&tiles->b[kk][g * ACROSS + 4 * x];
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < ROWS; i++) {
                const int s = j % 2 ? ROWS - 1 - i : i;

                sum[s][j] = fmaf(a[s], b[j], sum[s][j]);
            }
    }
}

__global__ void __launch_bounds__(THREADS, 2) sgemm(const struct sgemm p)
{
    __shared__ struct tiles tiles[2];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int x = warp % (ACROSS / 8) * 8 + lane % 8, y = warp / (ACROSS / 8) * 4 + lane / 8;
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    float sum[ROWS][COLUMNS] = {};
    struct pieces next;
    int now = 0;

    fetch(&next, p, row, column, 0);
    put(&tiles[now], &next);
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH, now ^= 1) {
        fetch(&next, p, row, column, k + DEPTH); /* behind the last tile: zeros */
        multiply(&tiles[now], x, y, sum);
        put(&tiles[now ^ 1], &next);
        __syncthreads();
    }
    store_sums(p, row, column, y, DOWN, x, ACROSS, sum);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p, HIGH, WIDE, THREADS);
    float *const work = new_work(*p);

    TIMED(run)
        sgemm<<<blocks, THREADS>>>(pad_rows(*p, work));
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
