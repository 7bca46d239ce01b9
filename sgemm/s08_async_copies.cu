/* s08: copies that bypass the registers, three tiles ahead.
 *
 * Before: in s07 the next tiles travelled through 40 registers per thread, one tile ahead at most.
 * Now:    in fetch() cp.async (compute 8.0) copies from global to shared memory directly, in the
 *         background. A ring of four stages keeps three tiles on their way: memory may take three
 *         times as long to answer. A is transposed word by word as it is copied.
 * See:    docs/sgemm.md#s08
 */
#include <cuda_pipeline.h>

#include "tile.cuh"

enum { HIGH = 64, WIDE = 256, DEPTH = 16, STAGES = 4, ROWS = 8, COLUMNS = 16 };
enum { ACROSS = WIDE / COLUMNS, DOWN = HIGH / ROWS, THREADS = ACROSS * DOWN };

struct __align__(16) tiles
{
    float a[DEPTH][HIGH + 4], b[DEPTH][WIDE];
};

/* Copy the tiles at k. A thread's columns are always the same; zeros for what is outside. */
__device__ static void fetch(struct tiles *tiles, const struct sgemm &p, int row, int column, int k)
{
    enum { A_ROWS = THREADS / DEPTH, B_ROWS = THREADS * 4 / WIDE }; /* in one pass */
    const int ar = threadIdx.x / DEPTH, ac = threadIdx.x % DEPTH;
    const int br = threadIdx.x * 4 / WIDE, bc = threadIdx.x * 4 % WIDE;
    const float *const a = p.a + (size_t)(row + ar) * p.lda + k + ac;
    const float *const b = p.b + (size_t)(k + br) * p.ldb + column + bc;

#pragma unroll
    for (int r = 0; r < HIGH; r += A_ROWS) {
        const bool inside = row + ar + r < p.m && k + ac < p.k;

        __pipeline_memcpy_async(&tiles->a[ac][ar + r], inside ? a + r * p.lda : p.a, 4,
                                inside ? 0 : 4);
    }
#pragma unroll
    for (int r = 0; r < DEPTH; r += B_ROWS) {
        const bool inside = k + br + r < p.k && column + bc < p.n;

        __pipeline_memcpy_async(&tiles->b[br + r][bc], inside ? b + r * p.ldb : p.b, 16,
                                inside ? 0 : 16);
    }
    __pipeline_commit();
}

__global__ void __launch_bounds__(THREADS, 2) sgemm(const struct sgemm p)
{
    extern __shared__ struct tiles tiles[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int x = warp % (ACROSS / 8) * 8 + lane % 8, y = warp / (ACROSS / 8) * 4 + lane / 8;
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    float sum[ROWS][COLUMNS] = {};
    int stage = 0;

    for (int s = 0; s < STAGES - 1; s++)
        fetch(&tiles[s], p, row, column, s * DEPTH);
#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH, stage = (stage + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2); /* this thread's part of the stage has arrived */
        __syncthreads(); /* everybody's has, and the stage before is free again */
        fetch(&tiles[(stage + STAGES - 1) % STAGES], p, row, column, k + (STAGES - 1) * DEPTH);
#pragma unroll
        for (int kk = 0; kk < DEPTH; kk++)
            multiply_round(tiles[stage].a[kk], tiles[stage].b[kk], y, DOWN, x, ACROSS, sum);
    }
    __pipeline_wait_prior(0);
    store_sums(p, row, column, y, DOWN, x, ACROSS, sum);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const size_t shared = STAGES * sizeof(struct tiles);
    const dim3 blocks = plan_launch(run, *p, HIGH, WIDE, THREADS, shared);
    float *const work = new_work(*p);

    allow_shared(sgemm, shared);
    TIMED(run)
        sgemm<<<blocks, THREADS, shared>>>(pad_rows(*p, work));
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
