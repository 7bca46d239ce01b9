/* s05: the next tiles are on their way while these are multiplied. A new beginning.
 *
 * Before: in s04 a block waited for its loads, then multiplied, and had two barriers a tile.
 * Now:    in fetch() each thread loads its part of the next tiles into registers, multiplies, and
 *         only then put() stores them in shared memory, into the second of two buffers. Nobody
 *         writes where others still read: one barrier a tile.
 * See:    docs/sgemm.md#s05
 */
#include "tile.cuh"

enum { TILE = 128, DEPTH = 16, SIDE = 8, ACROSS = TILE / SIDE, THREADS = ACROSS * ACROSS };
enum { LOADS = TILE * DEPTH / 4 / THREADS };

struct __align__(16) tiles
{
    float a[DEPTH][TILE + 4], b[DEPTH][TILE];
};

/* What this thread carries of the next tiles. */
struct pieces {
    float4 a[LOADS], b[LOADS];
};

__device__ static void fetch(struct pieces *next, const struct sgemm &p, int row, int column, int k)
{
    fetch_pieces<TILE, DEPTH, THREADS>(next->a, p.a, p.lda, p.m, p.k, row, k);
    fetch_pieces<DEPTH, TILE, THREADS>(next->b, p.b, p.ldb, p.k, p.n, k, column);
}

__device__ static void put(struct tiles *tiles, const struct pieces *next)
{
    put_transposed<TILE, DEPTH, THREADS>(tiles->a, next->a);
    for (int l = 0; l < LOADS; l++)
        ((float4 *)tiles->b)[threadIdx.x + l * THREADS] = next->b[l];
}

__device__ static void multiply(const struct tiles *tiles, int x, int y, float (*sum)[SIDE])
{
#pragma unroll
    for (int kk = 0; kk < DEPTH; kk++) {
        float a[SIDE], b[SIDE];

        for (int g = 0; g < SIDE; g += 4) {
            *(float4 *)&a[g] = *(const float4 *)&tiles->a[kk][g * ACROSS + 4 * y];
            *(float4 *)&b[g] = *(const float4 *)&tiles->b[kk][g * ACROSS + 4 * x];
        }
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
}

__global__ void __launch_bounds__(THREADS, 2) sgemm(const struct sgemm p)
{
    __shared__ struct tiles tiles[2];
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[SIDE][SIDE] = {};
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
