/* s09: one thread fetches whole tiles. A new beginning.
 *
 * Before: in s08 each thread worked out 16 addresses per tile, and asked for A word by word.
 * Now:    the copy engine (compute 9.0) knows the matrices: one thread, in fetch(), asks for tiles
 *         and a barrier reports their arrival. In the middle of a tile transpose() does A's next.
 * See:    docs/sgemm.md#s09
 */
#include "bulk.cuh"

enum { HIGH = 64, WIDE = 256, DEPTH = 16, STAGES = 4, ROWS = 8, COLUMNS = 16 };
enum { ACROSS = WIDE / COLUMNS, DOWN = HIGH / ROWS, THREADS = ACROSS * DOWN };

struct tiles {
    float a[STAGES][HIGH][DEPTH], b[STAGES][DEPTH][WIDE];
    float transposed[2][DEPTH][HIGH]; /* A's, transposed */
    uint64_t full[STAGES];
};

__device__ static void fetch(struct tiles *tiles, const CUtensorMap *a, const CUtensorMap *b,
                             int row, int column, int tile)
{
    const int s = tile % STAGES;

    before_copies(); /* the block has read what is overwritten here */
    barrier_expect(&tiles->full[s], sizeof(tiles->a[s]) + sizeof(tiles->b[s]));
    copy_tile(tiles->a[s], a, row, tile * DEPTH, &tiles->full[s]);
    copy_tile(tiles->b[s], b, tile * DEPTH, column, &tiles->full[s]);
}

/* Wait for tile `tile`, and transpose its part of A. */
__device__ static void transpose(struct tiles *tiles, int tile)
{
    barrier_wait(&tiles->full[tile % STAGES], tile / STAGES);
#pragma unroll
    for (int l = 0; l < HIGH * DEPTH / 4 / THREADS; l++) {
        const int i = threadIdx.x + l * THREADS, r = i % HIGH, q = i / HIGH;
        const float4 v = ((const float4 *)tiles->a[tile % STAGES][r])[q ^ r / 2 % 4];

        put_column(tiles->transposed[tile % 2], 4 * q, r, v);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct tiles *const tiles = (struct tiles *)shared;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int x = warp % (ACROSS / 8) * 8 + lane % 8, y = warp / (ACROSS / 8) * 4 + lane / 8;
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    const int count = (p.k + DEPTH - 1) / DEPTH;
    float sum[ROWS][COLUMNS] = {};

    if (threadIdx.x == 0) {
        barriers_init(tiles->full, STAGES);
        for (int tile = 0; tile < STAGES && tile < count; tile++)
            fetch(tiles, &map_a, &map_b, row, column, tile);
    }
    __syncthreads();
    if (count > 0)
        transpose(tiles, 0);
    __syncthreads();
#pragma unroll 1
    for (int tile = 0; tile < count; tile++) {
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            if (k == DEPTH / 2 && tile + 1 < count)
                transpose(tiles, tile + 1);
            multiply_round(tiles->transposed[tile % 2][k], tiles->b[tile % STAGES][k], y, DOWN, x,
                           ACROSS, sum);
        }
        __syncthreads();
        if (threadIdx.x == 0 && tile + STAGES < count)
            fetch(tiles, &map_a, &map_b, row, column, tile + STAGES);
    }
    store_sums(p, row, column, y, DOWN, x, ACROSS, sum);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p, HIGH, WIDE, THREADS, sizeof(struct tiles));
    float *const work = new_work(*p);

    allow_shared(sgemm, sizeof(struct tiles));
    TIMED(run) {
        const struct sgemm q = pad_rows(*p, work);

        sgemm<<<blocks, THREADS, sizeof(struct tiles)>>>(
            map_matrix(q.a, q.lda, q.m, q.k, HIGH, DEPTH, true),
            map_matrix(q.b, q.ldb, q.k, q.n, DEPTH, WIDE, false), q);
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
