/* h7: the copy engine brings the tiles, three ahead. A new beginning.
 *
 * Before: in h6 128 threads carried the tiles to shared memory while the tensor cores waited.
 * Now:    in fetch_tile() one thread asks for whole tiles; make_map() says on the host where the
 *         matrix is and in what order pieces of a row shall lie, that of `swizzled`. A ring of four
 *         stages keeps three tiles on their way, and a barrier in shared memory counts what has
 *         come. Rows must begin at multiples of 16 bytes; others take the way of h6.
 * See:    docs/hgemm.md#h7
 */
#include "tensor_map.cuh"
#include "wgmma.cuh"

enum { STAGES = 4 };

struct __align__(1024) tiles
{
    bf16 b[swizzled::B_SIZE], a[swizzled::A_SIZE];
};

struct maps {
    CUtensorMap a, b;
};

/* Ask for tile number `tile`, which takes the place of one that nobody reads any more. */
__device__ static void fetch_tile(struct tiles *ring, uint64_t *full, const struct maps &maps,
                                  int row, int column, int tile)
{
    struct tiles *const stage = &ring[tile % STAGES];

    barrier_expect(&full[tile % STAGES], sizeof(stage->a) + sizeof(stage->b));
    copy_tile(stage->a, &maps.a, row, tile * DEPTH, &full[tile % STAGES]);
    copy_tile(stage->b, &maps.b, tile * DEPTH, column, &full[tile % STAGES]);
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    hgemm(const struct hgemm p, const __grid_constant__ struct maps maps)
{
    __shared__ struct tiles ring[STAGES];
    __shared__ uint64_t full[STAGES];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    const int count = (p.k + DEPTH - 1) / DEPTH;
    const bool fetches = ALIGNED && threadIdx.x == 0;
    float sum[SUMS] = {};

    if (fetches)
        barriers_init(full, STAGES);
    for (int tile = 0; fetches && tile < STAGES - 1 && tile < count; tile++)
        fetch_tile(ring, full, maps, row, column, tile);
    __syncthreads();
#pragma unroll 1
    for (int tile = 0; tile < count; tile++) {
        struct tiles *const stage = &ring[tile % STAGES];

        if (ALIGNED) {
            if (fetches && tile + STAGES - 1 < count)
                fetch_tile(ring, full, maps, row, column, tile + STAGES - 1);
            barrier_wait(&full[tile % STAGES], tile / STAGES);
        } else {
            fetch<swizzled>(p, row, column, tile * DEPTH, stage->a, stage->b);
            before_copies();
            __syncthreads();
        }
        products_fence();
        multiply_tile(stage->a, stage->b, sum);
        products_commit();
        products_wait<0>();
        __syncthreads(); /* the stage is free */
    }
    sums_are_there(sum);
    store_rows(p, row, column, sum);
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    const dim3 blocks = plan_launch(run, *p);
    struct maps maps = {};

    if (p->lda % EIGHT == 0 && p->ldb % EIGHT == 0 && p->k > 0) {
        maps.a = make_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, p->a, p->lda * sizeof(bf16), p->m, p->k,
                          HIGH, DEPTH, CU_TENSOR_MAP_SWIZZLE_64B);
        maps.b = make_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, p->b, p->ldb * sizeof(bf16), p->k, p->n,
                          DEPTH, WIDE, CU_TENSOR_MAP_SWIZZLE_128B);
        TIMED(run)
            hgemm<true><<<blocks, THREADS>>>(*p, maps);
        return;
    }
    TIMED(run)
        hgemm<false><<<blocks, THREADS>>>(*p, maps);
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
