/* h5: copies in the background, three tiles ahead. A new beginning.
 *
 * Before: in h4 the tensor cores waited while tiles went through registers into shared memory.
 * Now:    copy8() has cp.async bring 16 bytes from global to shared memory, in the background, and
 *         a ring of four stages keeps three tiles on their way. That takes rows of A and B that
 *         begin at multiples of 16 bytes; others are fetched as in h4, into the same ring.
 * See:    docs/hgemm.md#h5
 */
#include <cuda_pipeline.h>

#include "swizzled.cuh"

enum { STAGES = 4, BYTES = 16 };

struct __align__(128) tiles
{
    bf16 a[swizzled::A_SIZE], b[swizzled::B_SIZE];
};

/* Eight elements of a row; zeros for those outside. */
__device__ static void copy8(bf16 *to, const bf16 *matrix, int ld, int rows, int columns, int row,
                             int column)
{
    const int inside = row < rows ? min(max(columns - column, 0), (int)EIGHT) : 0;
    const bf16 *const from = inside ? &matrix[(size_t)row * ld + column] : matrix;

    __pipeline_memcpy_async(to, from, BYTES, BYTES - inside * sizeof(bf16));
}

__device__ static void fetch_rows(struct tiles &tiles, const struct hgemm &p, int row, int column,
                                  int k)
{
    for (int i = threadIdx.x * EIGHT; i < HIGH * DEPTH; i += THREADS * EIGHT)
        copy8(&tiles.a[swizzled::a(i / DEPTH, i % DEPTH)], p.a, p.lda, p.m, p.k, row + i / DEPTH,
              k + i % DEPTH);
    for (int i = threadIdx.x * EIGHT; i < DEPTH * WIDE; i += THREADS * EIGHT)
        copy8(&tiles.b[swizzled::b(i / WIDE, i % WIDE)], p.b, p.ldb, p.k, p.n, k + i / WIDE,
              column + i % WIDE);
}

template <bool ALIGNED>
__device__ static void fetch(struct tiles &tiles, const struct hgemm &p, int row, int column, int k)
{
    if (ALIGNED)
        fetch_rows(tiles, p, row, column, k);
    else
        fetch<swizzled>(p, row, column, k, tiles.a, tiles.b);
    __pipeline_commit();
}

template <bool ALIGNED> __global__ void __launch_bounds__(THREADS) hgemm(const struct hgemm p)
{
    __shared__ struct tiles tiles[STAGES];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE, warp = threadIdx.x / 32;
    const int y = warp / 2 * PART, x = warp % 2 * PART;
    float sum[DOWN][ACROSS][4] = {};
    int stage = 0;

    for (int s = 0; s < STAGES - 1; s++)
        fetch<ALIGNED>(tiles[s], p, row, column, s * DEPTH);
#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH, stage = (stage + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2); /* this thread's part of the stage has arrived */
        __syncthreads(); /* everybody's has, and the stage before is free again */
        fetch<ALIGNED>(tiles[(stage + STAGES - 1) % STAGES], p, row, column,
                       k + (STAGES - 1) * DEPTH);
        for (int kk = 0; kk < DEPTH; kk += PIECE) {
            unsigned fa[DOWN][4], fb[ACROSS][2];

            load_fragments(tiles[stage].a, tiles[stage].b, y, x, kk, fa, fb);
            multiply_fragments(fa, fb, sum);
        }
    }
    __pipeline_wait_prior(0);
    store_sums(p, row + y, column + x, sum);
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p);

    TIMED(run) {
        if (p->lda % EIGHT == 0 && p->ldb % EIGHT == 0)
            hgemm<true><<<blocks, THREADS>>>(*p);
        else
            hgemm<false><<<blocks, THREADS>>>(*p);
    }
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
