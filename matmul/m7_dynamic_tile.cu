/* m7: the tile's width chosen at run time.
 *
 * Before: in m5 and m6 the width was a constant, and another needed another compilation.
 * Now:    one array of shared memory whose size the launch says, split in two by hand: two extern
 *         arrays would start at the same address. The host asks what the device has and takes the
 *         widest tile that leaves no thread of a multiprocessor idle.
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
        tile_a[y * tile + x] = row < n && k + x < n ? a[row * lda + k + x] : 0;
        tile_b[y * tile + x] = k + y < n && column < n ? b[(k + y) * ldb + column] : 0;
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
    if (row < n && column < n)
        c[row * ldc + column] = sum;
}

static int attribute(enum cudaDeviceAttr name)
{
    int device, value;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&value, name, device));
    return value;
}

/* Blocks of tile x tile threads that a multiprocessor holds at once: the fewest that its threads,
 * its shared memory, its registers and its block slots allow. */
static int resident_blocks(int tile, const cudaFuncAttributes *kernel)
{
    const int threads = tile * tile, shared = 2 * threads * sizeof(float);
    const int by_threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / threads;
    const int by_shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / shared;
    const int by_registers =
        attribute(cudaDevAttrMaxRegistersPerMultiprocessor) / (kernel->numRegs * threads);
    const int by_slots = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);

    return min(min(by_threads, by_shared), min(by_registers, by_slots));
}

/* A wider tile reads less of A and B, but a block of it is larger. 16 at least, so that a row of it
 * is a whole piece of memory; more where there is room for two blocks, so that one computes while
 * the other waits at a barrier, and no fewer threads are resident. */
static int choose_tile(struct run *run)
{
    int tile = 0, most = 0;
    cudaFuncAttributes kernel;

    CHECK(cudaFuncGetAttributes(&kernel, matmul));
    for (int width = 16; width * width <= kernel.maxThreadsPerBlock; width *= 2) {
        const int blocks = resident_blocks(width, &kernel), threads = blocks * width * width;

        if (tile == 0 || (blocks >= 2 && threads >= most)) {
            tile = width;
            most = threads;
            snprintf(run->reason, sizeof(run->reason),
                     "tiles of %d x %d take %d bytes; %d blocks, %d threads, fit a multiprocessor",
                     tile, tile, 2 * tile * tile * (int)sizeof(float), blocks, threads);
        }
    }
    return tile;
}

/* The whole device side, from host matrices to a host product. */
static void matmul_gpu(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc,
                       int n, struct run *run)
{
    const size_t width = n * sizeof(float);
    const int tile = wanted ? wanted : choose_tile(run);
    const dim3 threads(tile, tile), blocks((n + tile - 1) / tile, (n + tile - 1) / tile);
    size_t pitch_a, pitch_b, pitch_c; /* bytes from one row to the next */
    float *d_a, *d_b, *d_c = device_output_pitched(float, run, n, n, &pitch_c);

    run->blocks = run->blocks_y = blocks.x;
    run->threads = run->threads_y = tile;
    run->shared_bytes = 2 * tile * tile * sizeof(float);
    CHECK(cudaMallocPitch(&d_a, &pitch_a, width, n));
    CHECK(cudaMallocPitch(&d_b, &pitch_b, width, n));
    CHECK(cudaMemcpy2D(d_a, pitch_a, a, lda * sizeof(float), width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d_b, pitch_b, b, ldb * sizeof(float), width, n, cudaMemcpyHostToDevice));

    TIMED(run)
        matmul<<<blocks, threads, run->shared_bytes>>>(d_a, pitch_a / sizeof(float), d_b,
                                                       pitch_b / sizeof(float), d_c,
                                                       pitch_c / sizeof(float), n);

    CHECK(cudaMemcpy2D(c, ldc * sizeof(float), d_c, pitch_c, width, n, cudaMemcpyDeviceToHost));
    device_free(run, d_a);
    device_free(run, d_b);
    device_free(run, d_c);
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
