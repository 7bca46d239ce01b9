/* s13: a row times a matrix. A new beginning.
 *
 * Before: with m = 1 a tile of s12 computes 64 rows, of which 63 do not exist.
 * Now:    no tiles, but multiply_row(). Each element of B is used once: all that counts is reading
 *         B at full speed, 128 bits per load and many loads on their way. A block owns 32 columns
 *         and all of k: its 128 groups of eight threads take every 128th row, and add up through
 *         shared memory. Several rows of C are computed one by one.
 * See:    docs/sgemm.md#s13
 */
#include "tile.cuh"

enum { ROW_THREADS = 1024, ACROSS_ROW = 8, GROUPS = ROW_THREADS / ACROSS_ROW };
enum { ROW_WIDE = 4 * ACROSS_ROW };

__device__ static void add_product(float4 *sum, float a, float4 b)
{
    sum->x = fmaf(a, b.x, sum->x);
    sum->y = fmaf(a, b.y, sum->y);
    sum->z = fmaf(a, b.z, sum->z);
    sum->w = fmaf(a, b.w, sum->w);
}

__global__ void __launch_bounds__(ROW_THREADS) multiply_row(const struct sgemm p)
{
    __shared__ float4 part[GROUPS][ACROSS_ROW];
    const int group = threadIdx.x / ACROSS_ROW, x = threadIdx.x % ACROSS_ROW;
    const int row = blockIdx.y, column = blockIdx.x * ROW_WIDE + 4 * x;
    const float *const a = p.a + (size_t)row * p.lda;
    float4 sum = {};

    begin_early();
    if (p.ldb % 4 == 0 && column + 3 < p.n) { /* asked once: the loads can follow each other */
#pragma unroll 8
        for (int k = group; k < p.k; k += GROUPS)
            add_product(&sum, a[k], __ldcs((const float4 *)&p.b[(size_t)k * p.ldb + column]));
    } else {
        for (int k = group; k < p.k; k += GROUPS)
            add_product(&sum, a[k],
                        make_float4(load(p.b, p.ldb, p.k, p.n, k, column),
                                    load(p.b, p.ldb, p.k, p.n, k, column + 1),
                                    load(p.b, p.ldb, p.k, p.n, k, column + 2),
                                    load(p.b, p.ldb, p.k, p.n, k, column + 3)));
    }
    part[group][x] = sum;
    __syncthreads();
    for (int half = GROUPS / 2; half > 0; half /= 2) {
        if (group < half) {
            add_product(&sum, 1, part[group + half][x]);
            part[group][x] = sum;
        }
        __syncthreads();
    }
    if (group == 0)
        store4(p, row, column, sum.x, sum.y, sum.z, sum.w);
}

static dim3 row_blocks(const struct sgemm &p)
{
    return dim3((p.n + ROW_WIDE - 1) / ROW_WIDE, p.m);
}

static void launch_row(const struct sgemm &p, bool overlap)
{
    const cudaLaunchConfig_t config = launch_config(row_blocks(p), ROW_THREADS, 0, overlap);

    CHECK(cudaLaunchKernelEx(&config, multiply_row, p));
}

static void row_gpu(const struct sgemm *p, struct run *run)
{
    const dim3 blocks = row_blocks(*p);

    run->blocks = blocks.x;
    run->blocks_y = blocks.y;
    run->threads = ROW_THREADS;
    TIMED(run)
        launch_row(*p, false);
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, row_gpu, {});
}
