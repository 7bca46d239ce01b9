/* s16: the kernel that suits the shape.
 *
 * Before: each step so far is good at some shapes: s10 at large ones, s11 where its tiles fill the
 *         card once, s14 where they do not, s13 at a row.
 * Now:    all of them, and an estimate. The busiest multiprocessor decides: the number of its
 *         blocks, times what a block computes, over a rate of the kernel. The rates were fitted to
 *         times on an H200. --kernel picks one by hand.
 * See:    docs/sgemm.md#s16
 */
int s13_main(int argc, char **argv);
int s14_main(int argc, char **argv);
#pragma push_macro("main")
#undef main
#define main s13_main
#include "s13_row.cu"
#undef main
#define main s14_main
#define sgemm_gpu split_in_four
#include "s14_split.cu"
#undef sgemm_gpu
#pragma pop_macro("main")

#include <stdio.h>

enum { KERNELS = 6 };
static int64_t wanted; /* --kernel; 0: choose */

/* A kernel: what it is, and what was fitted. */
struct kernel {
    const char *name;
    void (*launch)(const struct sgemm &p, const struct shared_work &work);
    int high, wide, split, threads;
    double rate; /* with all multiprocessors busy, in TFLOP/s, fitted on an H200 */
    int setup; /* what a block costs beside its k, in rounds of k */
};

template <class S, int SPLIT>
static void launch_early(const struct sgemm &p, const struct shared_work &work)
{
    launch<S, SPLIT>(p, work, true);
}

template <class S, int SPLIT>
constexpr struct kernel describe(const char *name, double rate, int setup)
{
    return {name, launch_early<S, SPLIT>, S::HIGH, S::WIDE, SPLIT, S::THREADS, rate, setup};
}

static dim3 tiles_of(const struct kernel &kernel, const struct sgemm &p)
{
    return dim3((p.n + kernel.wide - 1) / kernel.wide, (p.m + kernel.high - 1) / kernel.high,
                kernel.split);
}

/* The time of the busiest multiprocessor, in units of its own. */
static double estimate(const struct kernel *kernel, const struct sgemm &p, int multiprocessors)
{
    const dim3 tiles = tiles_of(*kernel, p);
    const int blocks = (tiles.x * tiles.y * tiles.z + multiprocessors - 1) / multiprocessors;
    const double rounds = (double)p.k / kernel->split + kernel->setup;

    return blocks * rounds * kernel->high * kernel->wide / kernel->rate;
}

static struct kernel choose(const struct sgemm &p)
{
    static const struct kernel kernels[KERNELS] = {
        describe<shape<32, 64, 8, 4, 32, 3, 4, false, 1>, 1>("32 x 64, 4 slices", 38, 100),
        describe<shape<64, 128, 8, 16, 32, 4, 4, false, 1>, 1>("64 x 128, 4 slices", 48, 100),
        describe<shape<64, 256, 8, 16, 16, 4, 1, true, 2>, 1>("64 x 256", 53, 90),
        describe<shape<64, 192, 8, 12, 16, 4, 1, false, 2>, 1>("64 x 192", 53.3, 60),
        describe<shape<128, 256, 8, 16, 32, 3, 1, true, 1>, 1>("128 x 256", 54.6, 250),
        describe<shape<64, 128, 8, 16, 32, 4, 4, false, 1>, 4>("64 x 128, 4 slices, 4 blocks", 48,
                                                               160),
    };
    int device, multiprocessors, best = 0;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    if (wanted)
        return kernels[wanted - 1];
    if (p.m == 1)
        return {
            "a row", [](const struct sgemm &q, const struct shared_work &) { launch_row(q, true); },
            1,       ROW_WIDE,
            1,       ROW_THREADS};
    for (int i = 1; i < KERNELS; i++)
        if (estimate(&kernels[i], p, multiprocessors) <
            estimate(&kernels[best], p, multiprocessors))
            best = i;
    return kernels[best];
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const struct kernel kernel = choose(*p);
    const dim3 tiles = tiles_of(kernel, *p);
    const struct shared_work shared_work = new_shared_work(tiles, kernel.high, kernel.wide);
    float *const work = new_work(*p);

    snprintf(run->reason, sizeof(run->reason), "of its kernels \"%s\" suits the shape",
             kernel.name);
    run->blocks = tiles.x;
    run->blocks_y = tiles.y;
    run->threads = kernel.threads;
    TIMED(run)
        kernel.launch(p->m == 1 && !wanted ? *p : pad_rows(*p, work), shared_work);
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
