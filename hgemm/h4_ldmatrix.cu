/* h4: fragments by ldmatrix, from tiles without gaps.
 *
 * Before: in h3 a lane put its fragments together from words of A and single elements of B.
 * Now:    ldmatrix brings four matrices of 8 x 8 at once, each lane naming a row of 16 bytes, and
 *         turns B over on the way. Rows that lie 128 bytes apart begin in the same bank; instead of
 *         a gap at the end of each row of `a` and `b` its pieces of 16 bytes change places, a
 *         swizzle.
 * See:    docs/hgemm.md#h4
 */
#include "swizzled.cuh"

__global__ void __launch_bounds__(THREADS) hgemm(const struct hgemm p)
{
    __shared__ __align__(128) bf16 a[swizzled::A_SIZE], b[swizzled::B_SIZE];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE, warp = threadIdx.x / 32;
    const int y = warp / 2 * PART, x = warp % 2 * PART;
    float sum[DOWN][ACROSS][4] = {};

#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH) {
        fetch<swizzled>(p, row, column, k, a, b);
        __syncthreads();
        for (int kk = 0; kk < DEPTH; kk += PIECE) {
            unsigned fa[DOWN][4], fb[ACROSS][2];

            load_fragments(a, b, y, x, kk, fa, fb);
            multiply_fragments(fa, fb, sum);
        }
        __syncthreads();
    }
    store_sums(p, row + y, column + x, sum);
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
