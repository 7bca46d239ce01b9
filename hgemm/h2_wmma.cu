/* h2: tensor cores, by wmma.
 *
 * Before: in h1 each thread multiplied by itself, one product per instruction and lane.
 * Now:    a warp multiplies matrices of 16 x 16: load_matrix_sync() gives each lane its share, a
 *         fragment, and mma_sync() adds 4096 products to `sum` at once. A warp has 32 x 32 elements
 *         of C, in four fragments. Which lane holds which element nobody says, so the sums go to C
 *         through shared memory.
 * See:    docs/hgemm.md#h2
 */
#include <mma.h>

#include "tile.cuh"

using namespace nvcuda::wmma;

enum { TILES = PART / PIECE, STAGE_LD = WIDE + 4 };

__global__ void __launch_bounds__(THREADS) hgemm(const struct hgemm p)
{
    __shared__ __align__(32) bf16 a[padded::A_SIZE], b[padded::B_SIZE];
    __shared__ __align__(32) float stage[HIGH * STAGE_LD];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE, warp = threadIdx.x / 32;
    const int y = warp / 2 * PART, x = warp % 2 * PART;
    fragment<accumulator, PIECE, PIECE, PIECE, float> sum[TILES][TILES];

    for (int i = 0; i < TILES; i++)
        for (int j = 0; j < TILES; j++)
            fill_fragment(sum[i][j], 0);
#pragma unroll 1
    for (int k = 0; k < p.k; k += DEPTH) {
        fetch<padded>(p, row, column, k, a, b);
        __syncthreads();
        for (int kk = 0; kk < DEPTH; kk += PIECE) {
            fragment<matrix_a, PIECE, PIECE, PIECE, bf16, row_major> fa[TILES];
            fragment<matrix_b, PIECE, PIECE, PIECE, bf16, row_major> fb[TILES];

            for (int i = 0; i < TILES; i++) {
                load_matrix_sync(fa[i], &a[padded::a(y + i * PIECE, kk)], padded::A_LD);
                load_matrix_sync(fb[i], &b[padded::b(kk, x + i * PIECE)], padded::B_LD);
            }
            for (int i = 0; i < TILES; i++)
                for (int j = 0; j < TILES; j++)
                    mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < TILES; i++)
        for (int j = 0; j < TILES; j++)
            store_matrix_sync(&stage[(y + i * PIECE) * STAGE_LD + x + j * PIECE], sum[i][j],
                              STAGE_LD, mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < HIGH * WIDE; i += THREADS)
        store(p, row + i / WIDE, column + i % WIDE, stage[i / WIDE * STAGE_LD + i % WIDE]);
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
