/* s15b: the last wave is cut, so that all blocks end together.
 *
 * Before: at n = 4096 there are 1024 tiles of 64 x 256, and an H200 holds 264 blocks at once. The
 *         fourth wave has 232 blocks, and takes as long as if it were full.
 * Now:    k of the last wave's tiles is cut into a long and a short piece. The long ones take the
 *         232 places, the short ones follow each other in the 32 that were empty. Where fewer tiles
 *         are left there are several long pieces of each. Sums meet as in s14.
 * See:    docs/sgemm.md#s15b
 */
int s14_main(int argc, char **argv);
#pragma push_macro("main")
#undef main
#define main s14_main
#include "s14_split.cu"
#pragma pop_macro("main")

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

static void last_wave_gpu(const struct sgemm *p, struct run *run)
{
    typedef shape<64, 256, 8, 16, 16, 4, 1, true, 2> S;
    const int room = multiprocessors() * S::BLOCKS;

    cut_gpu<S>(p, run, cut_last_wave(count_tiles<S>(*p), count_depth<S>(*p), room, 3), true);
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, last_wave_gpu, {});
}
