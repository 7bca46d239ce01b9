/* s15: the next launch begins while this one ends.
 *
 * Before: between two launches the card runs dry: the last blocks end one by one, and only then
 *         the next launch's blocks start, set up their barriers, and wait for their first tiles.
 * Now:    a launch may begin early (compute 9.0): that is an attribute. As soon as all blocks of
 *         the previous one run, the next one's blocks take whatever room is free; they wait only
 *         before they touch memory, in wait_and_allow(), which is two instructions.
 * See:    docs/sgemm.md#s15
 */
#include "ring.cuh"

typedef shape<64, 128, 8, 16, 32, 4, 4, false, 1> tile;

/* Wait until the previous launch has ended, and let the next one begin. */
__device__ static void wait_and_allow(void)
{
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
}

/* All tiles of k from `first` to `last` (exclusive), into sum. */
__device__ static void multiply_all(tile_ring<tile> *ring, const CUtensorMap *a,
                                    const CUtensorMap *b, int row, int column, int first, int last,
                                    const place<tile> &me, float (*sum)[tile::COLUMNS])
{
    const int count = last - first;

    wait_and_allow();
    start_ring<tile>(ring, a, b, row, column, first, count);
#pragma unroll 1
    for (int number = 0; number < count; number++) {
        multiply<tile>(ring, number, number + 1 < count, me, sum);
        __syncthreads();
        if (threadIdx.x == 0 && number + tile::STAGES < count)
            fetch<tile>(ring, a, b, row, column, (first + number + tile::STAGES) * tile::DEPTH,
                        number + tile::STAGES);
    }
}

__global__ void __launch_bounds__(tile::THREADS, tile::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p, const struct cut cut, const struct shared_work work)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const place<tile> me = find_place<tile>();
    const struct piece piece = find_piece<tile>(p, cut);
    float sum[tile::ROWS][tile::COLUMNS] = {}, total[tile::KEEP][tile::COLUMNS];

    multiply_all(ring, &map_a, &map_b, piece.row, piece.column, piece.first, piece.last, me, sum);
    add_slices<tile>(shared, me, sum, total);
    if (piece.shared < 0 || add_pieces<tile>(work, piece, cut.pieces, total))
        store_kept<tile>(p, shared, piece.row, piece.column, me, total);
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const int tiles = count_tiles<tile>(*p), bytes = shared_bytes<tile>();
    const struct cut cut = {tiles, 1, 0}; /* nothing is cut */
    cudaLaunchAttribute early = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    cudaLaunchConfig_t config = {.gridDim = count_blocks(tiles, cut),
                                 .blockDim = tile::THREADS,
                                 .dynamicSmemBytes = (size_t)bytes,
                                 .attrs = &early,
                                 .numAttrs = 1};
    float *const work = new_work(*p);

    early.val.programmaticStreamSerializationAllowed = 1;
    plan_cut(run, tiles, cut, tile::THREADS, bytes);
    allow_shared(sgemm, bytes);
    TIMED(run) {
        const struct sgemm q = pad_rows(*p, work);

        CHECK(cudaLaunchKernelEx(&config, sgemm,
                                 map_matrix(q.a, q.lda, q.m, q.k, tile::HIGH, tile::DEPTH, true),
                                 map_matrix(q.b, q.ldb, q.k, q.n, tile::DEPTH, tile::WIDE, false),
                                 q, cut, shared_work()));
    }
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu, {});
}
