/* h1: the product by CUDA cores.
 *
 * Now:    a block of hgemm() computes 64 x 64 elements of C from tiles of A and B in shared memory,
 *         as in sgemm; a thread `ROWS` x `COLUMNS` of them. bfloat16 halves what memory moves, but
 *         not the work: every factor becomes a float, and every product is an instruction of its
 *         own. This is what tensor cores are up against.
 * See:    docs/hgemm.md#h1
 */
#include "tile.cuh"

enum { ROWS = 8, COLUMNS = 4, ACROSS = WIDE / COLUMNS };

__global__ void __launch_bounds__(THREADS) hgemm(const struct hgemm p)
{
    __shared__ __align__(16) bf16 a[padded::A_SIZE], b[padded::B_SIZE];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    const int y = threadIdx.x / ACROSS * ROWS, x = threadIdx.x % ACROSS;
    float sum[ROWS][COLUMNS] = {};

#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH) {
        fetch<padded>(p, row, column, k, a, b);
        __syncthreads();
        for (int kk = 0; kk < DEPTH; kk++)
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = fmaf(__bfloat162float(a[padded::a(y + i, kk)]),
                                     __bfloat162float(b[padded::b(kk, x + j * ACROSS)]), sum[i][j]);
        __syncthreads();
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            store(p, row + y + i, column + x + j * ACROSS, sum[i][j]);
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
