/* h3: fragments in plain sight.
 *
 * Before: in h2 nobody said which lane holds which element, and C took a way through shared memory.
 * Now:    mma.sync m16n8k16, the instruction that wmma is made of, whose layout the manual of PTX
 *         gives. Lane 4 r + c holds of A rows r and r + 8, columns 2 c, 2 c + 1 and 8 more; of B
 *         rows 2 c, 2 c + 1 and 8 more of column r; of C columns 2 c and 2 c + 1 of rows r and
 *         r + 8. A lane loads its own elements, by pair_of_a() and pair_of_b(), and stores its own
 *         sums.
 * See:    docs/hgemm.md#h3
 */
#include "mma.cuh"

/* Two neighbours of a row of A; two elements of a column of B, one below the other. */
__device__ static unsigned pair_of_a(const bf16 *a, int row, int column)
{
    return *(const unsigned *)&a[padded::a(row, column)];
}

__device__ static unsigned pair_of_b(const bf16 *b, int row, int column)
{
    return __bfloat16_as_ushort(b[padded::b(row, column)]) |
           (unsigned)__bfloat16_as_ushort(b[padded::b(row + 1, column)]) << 16;
}

/* A row of 16 x 16 pieces of A and of 16 x 8 pieces of B, at kk. */
__device__ static void load_fragments(const bf16 *a, const bf16 *b, int y, int x, int kk,
                                      unsigned (&fa)[DOWN][4], unsigned (&fb)[ACROSS][2])
{
    const int r = threadIdx.x % 32 / 4, c = threadIdx.x % 4 * 2;

    for (int i = 0; i < DOWN; i++)
        for (int e = 0; e < 4; e++)
            fa[i][e] = pair_of_a(a, y + 16 * i + r + e % 2 * 8, kk + c + e / 2 * 8);
    for (int j = 0; j < ACROSS; j++)
        for (int e = 0; e < 2; e++)
            fb[j][e] = pair_of_b(b, kk + c + e * 8, x + 8 * j + r);
}

__global__ void __launch_bounds__(THREADS) hgemm(const struct hgemm p)
{
    __shared__ __align__(16) bf16 a[padded::A_SIZE], b[padded::B_SIZE];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE, warp = threadIdx.x / 32;
    const int y = warp / 2 * PART, x = warp % 2 * PART;
    float sum[DOWN][ACROSS][4] = {};

#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH) {
        fetch<padded>(p, row, column, k, a, b);
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
