/* h6: four warps multiply, out of shared memory.
 *
 * Before: in h4 and h5 each warp brought fragments to registers before it could multiply: one warp
 *         cannot feed a tensor core of an H100.
 * Now:    multiply() is for the whole block: one instruction, wgmma, has its tensor cores read the
 *         tiles of h4 where they lie, swizzle included, as describe() says. They do so in the
 *         background: products_commit() ends a group of products, and products_wait() waits for
 *         it. What threads store, before_copies() shows to them.
 * See:    docs/hgemm.md#h6
 */
#include "async.cuh"
#include "wgmma.cuh"

/* sum += a b of the two tiles, 16 of k at a time. */
__device__ static void multiply(const bf16 *a, const bf16 *b, float (&sum)[SUMS])
{
    for (int kk = 0; kk < DEPTH; kk += PIECE)
        multiply_by_four(describe(&a[kk], 8 * DEPTH * sizeof(bf16), DEPTH * sizeof(bf16)),
                         describe(&b[kk * WIDE], 8 * WIDE * sizeof(bf16), WIDE * sizeof(bf16)),
                         sum);
}

__global__ void __launch_bounds__(THREADS) hgemm(const struct hgemm p)
{
    __shared__ __align__(1024) bf16 a[swizzled::A_SIZE], b[swizzled::B_SIZE];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    float sum[SUMS] = {};

#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH) {
        fetch<swizzled>(p, row, column, k, a, b);
        before_copies();
        __syncthreads();
        products_fence();
        multiply(a, b, sum);
        products_commit();
        products_wait<0>();
        __syncthreads();
    }
    sums_are_there(sum);
    store_rows(p, row, column, sum);
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p);

    TIMED(run)
        hgemm<<<blocks, THREADS>>>(*p);
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
