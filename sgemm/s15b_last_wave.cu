/* s15b: the last wave is cut, so that all blocks end together. A new beginning.
 *
 * Before: at n = 4096 there are 1024 tiles of 64 x 256, and an H200 holds 264 blocks at once. The
 *         fourth wave has 232 blocks, and takes as long as if it were full.
 * Now:    cut_last_wave() cuts k of the last wave's tiles into a long and a short piece. The long
 *         ones take the 232 places, the short ones follow each other in the 32 that were empty.
 *         Where fewer tiles are left there are several long pieces of each. Sums meet as in s14.
 * See:    docs/sgemm.md#s15b
 */
#include "ring.cuh"

/* How to cut the last wave of `tiles` tiles with `depth` tiles of k each, where the card has room
 * for `room` blocks at once, and a block costs as much as `cost` tiles of k beside its own. */
static struct cut cut_last_wave(int tiles, int depth, int room, int cost)
{
    const int rest = tiles % room;
    const int longs = rest ? min(room / rest, max(depth / (2 * cost), 1)) : 1;
    const int spare = room - longs * rest; /* places where short pieces follow each other */
    const int each = spare ? (rest + spare - 1) / spare * longs : depth;
    const int shorter = max(depth - each * cost, 0) / (each + 1);
    const int length = (depth - shorter + longs - 1) / longs;

    if (rest == 0 || length + cost >= depth)
        return {tiles, 1, depth}; /* nothing is cut */
    return {tiles - rest, (depth + length - 1) / length, length};
}

static int multiprocessors(void)
{
    int device, count;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

template <class tile>
__global__ void __launch_bounds__(tile::THREADS, tile::BLOCKS)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const struct sgemm p, const struct cut cut, const struct shared_work work)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_ring<tile> *const ring = (tile_ring<tile> *)shared;
    const place<tile> me = find_place<tile>();
    const struct piece piece = find_piece<tile>(p, cut);
    float sum[tile::ROWS][tile::COLUMNS] = {}, total[tile::KEEP][tile::COLUMNS];

    multiply_all<tile>(ring, &map_a, &map_b, piece.row, piece.column, piece.first, piece.last, me,
                       sum);
    add_slices<tile>(shared, me, sum, total);
    if (piece.shared < 0 || add_pieces<tile>(work, piece, cut.pieces, total))
        store_kept<tile>(p, shared, piece.row, piece.column, me, total);
}

/* `p` has rows as bulk copies want them. The launch may begin early, as in s15. */
template <class tile>
static void launch(const struct sgemm &p, const struct cut &cut, const struct shared_work &work)
{
    const int blocks = count_blocks(count_tiles<tile>(p), cut);
    const cudaLaunchConfig_t config =
        launch_config(blocks, tile::THREADS, shared_bytes<tile>(), true);

    allow_shared(sgemm<tile>, shared_bytes<tile>());
    CHECK(cudaLaunchKernelEx(
        &config, sgemm<tile>, map_matrix(p.a, p.lda, p.m, p.k, tile::HIGH, tile::DEPTH, true),
        map_matrix(p.b, p.ldb, p.k, p.n, tile::DEPTH, tile::WIDE, false), p, cut, work));
}

static void last_wave_gpu(const struct sgemm *p, struct run *run)
{
    typedef shape<64, 256, 8, 16, 16, 4, 1, true, 2> tile;
    const int room = multiprocessors() * tile::BLOCKS, tiles = count_tiles<tile>(*p);
    const struct cut cut = cut_last_wave(tiles, count_depth<tile>(*p), room, 3);
    const struct shared_work shared_work =
        new_shared_work(tiles - cut.whole, cut.pieces, tile::HIGH, tile::WIDE);
    float *const work = new_work(*p);

    plan_cut(run, tiles, cut, tile::THREADS, shared_bytes<tile>());
    TIMED(run)
        launch<tile>(pad_rows(*p, work), cut, shared_work);
    CHECK(cudaFree(work));
    CHECK(cudaFree(shared_work.sums));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, last_wave_gpu, {});
}
