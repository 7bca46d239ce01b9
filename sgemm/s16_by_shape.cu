/* s16: the kernel that suits the shape. A program rather than a step.
 *
 * Before: each step so far is good at some shapes: s13 at a row, s14 at few tiles, s15 where they
 *         fill the card once, s15b at large matrices.
 * Now:    all of them, in a program rather than a step: it takes s13 and s15b as they stand, and
 *         choose() asks an estimate. The busiest SM decides: the rounds of k of its blocks, times
 *         the size of a tile, over a rate fitted on an H200. --kernel picks one by hand.
 * See:    docs/sgemm.md#s16
 */
int s13_main(int argc, char **argv);
int s15b_main(int argc, char **argv);
#pragma push_macro("main")
#undef main
#define main s13_main
#include "s13_row.cu"
#undef main
#define main s15b_main
#include "s15b_last_wave.cu"
#pragma pop_macro("main")

#include <stdio.h>

enum { KERNELS = 5 };
static int64_t wanted; /* --kernel; 0: choose */

/* A kernel: what it is, and what was fitted. */
struct kernel {
    const char *name;
    void (*launch)(const struct sgemm &p, const struct cut &cut, const struct shared_work &work);
    int high, wide, threads, shared_bytes;
    int depth, blocks; /* blocks: on an SM at once */
    double rate; /* with all SMs busy, in TFLOP/s, fitted on an H200 */
    int setup; /* what a block costs beside its k, in rounds of k */
};

static void launch_rows(const struct sgemm &p, const struct cut &, const struct shared_work &)
{
    launch_row(p, true);
}

template <class S> constexpr struct kernel describe(const char *name, double rate, int setup)
{
    return {name,     launch<S>, S::HIGH, S::WIDE, S::THREADS, shared_bytes<S>(),
            S::DEPTH, S::BLOCKS, rate,    setup};
}

static int tiles_of(const struct kernel &kernel, const struct sgemm &p)
{
    return (p.n + kernel.wide - 1) / kernel.wide * ((p.m + kernel.high - 1) / kernel.high);
}

static struct cut cut_of(const struct kernel &kernel, const struct sgemm &p)
{
    const int tiles = tiles_of(kernel, p);

    if (kernel.launch == launch_rows)
        return {tiles, 1, 0};
    return cut_last_wave(tiles, (p.k + kernel.depth - 1) / kernel.depth,
                         multiprocessors() * kernel.blocks, kernel.setup / kernel.depth);
}

/* The time of the busiest SM, in units of its own. */
static double estimate(const struct kernel &kernel, const struct sgemm &p)
{
    const struct cut cut = cut_of(kernel, p);
    const int whole = (cut.whole + multiprocessors() - 1) / multiprocessors();
    double rounds = whole * (double)(p.k + kernel.setup);

    if (cut.pieces > 1)
        rounds += kernel.blocks * (double)(cut.length * kernel.depth + 2 * kernel.setup);
    return rounds * kernel.high * kernel.wide / kernel.rate;
}

static struct kernel choose(const struct sgemm &p)
{
    static const struct kernel row = {"a row", launch_rows, 1, ROW_WIDE, ROW_THREADS};
    static const struct kernel kernels[KERNELS] = {
        describe<shape<32, 64, 8, 4, 32, 3, 4, false, 1>>("32 x 64, 4 slices", 34, 64),
        describe<shape<64, 128, 8, 16, 32, 4, 4, false, 1>>("64 x 128, 4 slices", 48, 96),
        describe<shape<64, 256, 8, 16, 16, 4, 1, true, 2>>("64 x 256", 54, 48),
        describe<shape<64, 192, 8, 12, 16, 4, 1, false, 3>>("64 x 192", 53.3, 40),
        describe<shape<128, 256, 8, 16, 32, 3, 1, true, 1>>("128 x 256", 54.8, 128),
    };
    const struct kernel *best = kernels;

    if (wanted || p.m == 1)
        return wanted ? kernels[wanted - 1] : row;
    for (const struct kernel &kernel : kernels)
        if (estimate(kernel, p) < estimate(*best, p))
            best = &kernel;
    return *best;
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const struct kernel kernel = choose(*p);
    const struct cut cut = cut_of(kernel, *p);
    const struct shared_work shared_work =
        new_shared_work(tiles_of(kernel, *p) - cut.whole, cut.pieces, kernel.high, kernel.wide);
    float *const work = new_work(*p);

    snprintf(run->reason, sizeof(run->reason), "of its kernels \"%s\" suits the shape",
             kernel.name);
    plan_cut(run, tiles_of(kernel, *p), cut, kernel.threads, kernel.shared_bytes);
    TIMED(run)
        kernel.launch(p->m == 1 && !wanted ? *p : pad_rows(*p, work), cut, shared_work);
    CHECK(cudaFree(work));
    CHECK(cudaFree(shared_work.sums));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu,
                      {.options = {{.name = "kernel",
                                    .value = &wanted,
                                    .max = KERNELS,
                                    .help = "which of its kernels",
                                    .unset = "what suits the shape"}}});
}
