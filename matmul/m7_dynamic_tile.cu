/* m7: the width of a tile chosen at run time. A new beginning.
 *
 * Before: in m6 the width was a constant: another one needed another compilation.
 * Now:    the launch says how much shared memory a block gets, and the kernel splits it into two
 *         tiles by hand, because two extern arrays would start at the same address. In
 *         choose_tile() the host asks the runtime how many blocks of each width fit on an SM, and
 *         takes the wider tile where it keeps as many threads resident.
 * See:    docs/matmul.md#m7
 */
#include <stdio.h>

#include "matmul.h"

static int64_t wanted; /* --tile; 0: choose */

__global__ void matmul(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n)
{
    extern __shared__ float tile_a[];
    const int tile = blockDim.x;
    float *const tile_b = tile_a + tile * tile;
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0, rest = 0;

    for (int k = 0; k < n; k += tile) {
        tile_a[y * tile + x] = a[row * lda + k + x];
        tile_b[y * tile + x] = b[(k + y) * ldb + column];
        __syncthreads();
        for (int i = 0; i < tile; i++) {
            float next;

            rest = fmaf(-tile_a[y * tile + i], tile_b[i * tile + x], rest);
            next = __fsub_rn(sum, rest);
            rest = __fadd_rn(__fsub_rn(next, sum), rest);
            sum = next;
        }
        __syncthreads();
    }
    c[row * ldc + column] = sum;
}

/* Shared memory of a block, in bytes. */
static size_t two_tiles(int tile)
{
    return 2 * tile * tile * sizeof(float);
}

/* 16, so that a row of a tile is a whole segment of memory. Or 32, which reads half as much of A
 * and B, where an SM has room for two such blocks, so that one computes while the other waits at a
 * barrier, and they have no fewer threads. */
static int choose_tile(struct run *run)
{
    int tile = 0, most = 0;

    for (int width = 16; width <= 32; width *= 2) {
        int blocks;

        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, matmul, width * width,
                                                            two_tiles(width)));
        if (tile && (blocks < 2 || blocks * width * width < most))
            break;
        tile = width;
        most = blocks * width * width;
        snprintf(run->reason, sizeof(run->reason),
                 "tiles of %d x %d take %zu bytes; %d blocks, %d threads, fit on an SM", tile, tile,
                 two_tiles(tile), blocks, most);
    }
    return tile;
}

/* From host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const int tile = wanted ? wanted : choose_tile(run);
    const int padded = (n + tile - 1) / tile * tile;
    struct matrices m = matrices_new(a, lda, b, ldb, n, padded, run);
    const dim3 threads(tile, tile), blocks(padded / tile, padded / tile);

    run->blocks = run->blocks_y = blocks.x;
    run->threads = run->threads_y = tile;
    run->shared_bytes = two_tiles(tile);
    TIMED(run)
        matmul<<<blocks, threads, run->shared_bytes>>>(m.a, m.lda, m.b, m.ldb, m.c, m.ldc, n);

    matrices_fetch(&m, c, ldc, n, run);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, STEP, matmul_gpu,
                       {.sum = SUM_KAHAN,
                        .option = {.name = "tile",
                                   .value = &wanted,
                                   .min = 1,
                                   .max = 32,
                                   .help = "width of a tile",
                                   .unset = "what suits the device"}});
}
