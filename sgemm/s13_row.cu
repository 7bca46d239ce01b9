/* s13: a row times a matrix.
 *
 * Before: with m = 1 a tile of s12 computes 64 rows, of which 63 do not exist.
 * Now:    no tiles. Each element of B is used once: this is a matter of reading B at full speed,
 *         128 bits per load and many loads on their way. A block owns 128 columns, a warp every
 *         sixteenth row of its share of k; the eight blocks of a cluster add up what they found.
 *         Several rows of C are computed one by one.
 * See:    docs/sgemm.md#s13
 */
#include <cooperative_groups.h>

#include "tile.cuh"

enum { WARPS = 16, ROW_THREADS = 32 * WARPS, ROW_WIDE = 32 * 4, ROW_CLUSTER = 8 };

__device__ static void add_product(float4 *sum, float a, float4 b)
{
    sum->x = fmaf(a, b.x, sum->x);
    sum->y = fmaf(a, b.y, sum->y);
    sum->z = fmaf(a, b.z, sum->z);
    sum->w = fmaf(a, b.w, sum->w);
}

__device__ static void add(float4 *sum, float4 b)
{
    add_product(sum, 1, b);
}

__global__ void __cluster_dims__(1, 1, ROW_CLUSTER) __launch_bounds__(ROW_THREADS)
    multiply_row(const struct sgemm p)
{
    __shared__ float4 of_warp[WARPS][32], of_block[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.y, column = blockIdx.x * ROW_WIDE + 4 * lane;
    const float *const a = p.a + (size_t)row * p.lda;
    float4 sum = {};

    if (p.ldb % 4 == 0 && column + 3 < p.n) { /* asked once: the loads can follow each other */
#pragma unroll 16
        for (int k = blockIdx.z * WARPS + warp; k < p.k; k += ROW_CLUSTER * WARPS)
            add_product(&sum, a[k], *(const float4 *)&p.b[(size_t)k * p.ldb + column]);
    } else {
        for (int k = blockIdx.z * WARPS + warp; k < p.k; k += ROW_CLUSTER * WARPS)
            add_product(&sum, a[k],
                        make_float4(load(p.b, p.ldb, p.k, p.n, k, column),
                                    load(p.b, p.ldb, p.k, p.n, k, column + 1),
                                    load(p.b, p.ldb, p.k, p.n, k, column + 2),
                                    load(p.b, p.ldb, p.k, p.n, k, column + 3)));
    }
    of_warp[warp][lane] = sum;
    __syncthreads();
    if (warp == 0) {
        for (int w = 1; w < WARPS; w++)
            add(&sum, of_warp[w][lane]);
        of_block[lane] = sum;
    }
    cluster.sync();
    if (warp == 0 && blockIdx.z == 0) {
        for (int block = 1; block < ROW_CLUSTER; block++)
            add(&sum, cluster.map_shared_rank(of_block, block)[lane]);
        store4(p, row, column, sum.x, sum.y, sum.z, sum.w);
    }
    cluster.sync(); /* nobody leaves whose memory another still reads */
}

static void launch_row(const struct sgemm &p)
{
    multiply_row<<<dim3((p.n + ROW_WIDE - 1) / ROW_WIDE, p.m, ROW_CLUSTER), ROW_THREADS>>>(p);
}

static void row_gpu(const struct sgemm *p, struct run *run)
{
    run->blocks = (p->n + ROW_WIDE - 1) / ROW_WIDE;
    run->blocks_y = p->m;
    run->threads = ROW_THREADS;
    TIMED(run)
        launch_row(*p);
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, row_gpu, {});
}
