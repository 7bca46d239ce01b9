/* h8: one warp fetches, four multiply. A new beginning.
 *
 * Before: in h7 the warps met after every tile, so that one of them could ask for another one; by
 *         then the products had ended, and the tensor cores had nothing to do.
 * Now:    a fifth warp fetches and does nothing else. Nobody meets: each stage has a barrier `full`
 *         for the bytes that arrive, as in h7, and a barrier `empty`, at which the four warps
 *         arrive when they have multiplied. One group of products is always under way. Rows of A
 *         and B that do not begin at multiples of 16 bytes are copied first, by pad_rows().
 * See:    docs/hgemm.md#h8
 */
#include "ring.cuh"

enum { STAGES = 4, WARPS = THREADS / 32 };

struct __align__(1024) ring
{
    bf16 b[STAGES][swizzled::B_SIZE], a[STAGES][swizzled::A_SIZE];
    uint64_t full[STAGES], empty[STAGES];
};

struct maps {
    CUtensorMap a, b;
};

/* One thread asks for all tiles; each takes the place of the one STAGES before it. */
__device__ static void fetch_all(struct ring *ring, const struct maps &maps, int row, int column,
                                 int count)
{
    for (int tile = 0; tile < count; tile++) {
        const int s = tile % STAGES;

        if (tile >= STAGES)
            barrier_wait(&ring->empty[s], tile / STAGES - 1);
        barrier_expect(&ring->full[s], sizeof(ring->a[s]) + sizeof(ring->b[s]));
        copy_tile(ring->a[s], &maps.a, row, tile * DEPTH, &ring->full[s]);
        copy_tile(ring->b[s], &maps.b, tile * DEPTH, column, &ring->full[s]);
    }
}

/* Four warps multiply all tiles. */
__device__ static void multiply_all(struct ring *ring, int count, float (&sum)[SUMS])
{
#pragma unroll 1
    for (int tile = 0; tile < count; tile++) {
        const int s = tile % STAGES;

        barrier_wait(&ring->full[s], tile / STAGES);
        products_fence();
        multiply_tile(ring->a[s], ring->b[s], sum);
        products_commit();
        products_wait<1>(); /* the tile before this one has been read */
        if (tile > 0 && threadIdx.x % 32 == 0)
            barrier_arrive(&ring->empty[(tile - 1) % STAGES]);
    }
    products_wait<0>();
}

__global__ void __launch_bounds__(THREADS + 32)
    hgemm(const struct hgemm p, const __grid_constant__ struct maps maps)
{
    __shared__ struct ring ring;
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    const int count = (p.k + DEPTH - 1) / DEPTH;
    float sum[SUMS] = {};

    if (threadIdx.x == 0) {
        barriers_init(ring.full, STAGES);
        barriers_init(ring.empty, STAGES, WARPS);
    }
    __syncthreads();
    if (threadIdx.x == THREADS)
        fetch_all(&ring, maps, row, column, count);
    if (threadIdx.x >= THREADS)
        return;
    multiply_all(&ring, count, sum);
    sums_are_there(sum);
    store_rows(p, row, column, sum);
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p);
    bf16 *const work = new_work(*p);

    run->threads = THREADS + 32;
    TIMED(run) {
        const struct hgemm q = pad_rows(*p, work);
        const struct maps maps = {map_matrix(q.a, q.lda, q.m, q.k, HIGH, DEPTH),
                                  map_matrix(q.b, q.ldb, q.k, q.n, DEPTH, WIDE)};

        hgemm<<<blocks, THREADS + 32>>>(q, maps);
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
