/* s15: the next launch begins while this one ends.
 *
 * Before: between two launches the card runs dry: the last blocks end one by one, and only then
 *         the next launch's blocks start, set up their barriers, and wait for their first tiles.
 * Now:    a launch may begin early (compute 9.0). As soon as all blocks of the previous one run,
 *         the next one's blocks take whatever room is free; they wait only before they touch
 *         memory. Two instructions, begin_early() in tile.cuh, and an attribute of the launch.
 * See:    docs/sgemm.md#s15
 */
int s14_main(int argc, char **argv);
#pragma push_macro("main")
#undef main
#define main s14_main
#include "s14_split.cu"
#pragma pop_macro("main")

static void overlap_gpu(const struct sgemm *p, struct run *run)
{
    typedef shape<64, 128, 8, 16, 32, 4, 4, false, 1> S;

    cut_gpu<S>(p, run, {count_tiles<S>(*p), 1, 0}, true); /* nothing is cut */
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, overlap_gpu, {});
}
