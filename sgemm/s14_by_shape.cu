/* s14: the kernel that suits the shape.
 *
 * Before: each step so far is good at some shapes: s10 at large ones, s11 where its tiles fill the
 *         card once, s12 where they do not, s13 at a row.
 * Now:    all of them, and an estimate. The busiest multiprocessor decides: the number of its
 *         blocks, times what a block computes, over a rate of the kernel. The rates were fitted to
 *         times on an H200. --kernel picks one by hand.
 * See:    docs/sgemm.md#s14
 */
int s12_main(int argc, char **argv);
int s13_main(int argc, char **argv);
#pragma push_macro("main")
#undef main
#define main s12_main
#include "s12_cluster.cu"
#undef main
#define main s13_main
#include "s13_row.cu"
#pragma pop_macro("main")

#include <stdio.h>

static int64_t wanted; /* --kernel; 0: choose */

/* A kernel of s12: what it is, and what was fitted. */
struct kernel {
    const char *name;
    void (*launch)(const struct sgemm &p);
    int high, wide, cluster, threads;
    double rate; /* with all multiprocessors busy, in TFLOP/s, fitted on an H200 */
    int setup; /* what a block costs beside its k, in rounds of k */
};

template <class S, int CLUSTER>
constexpr struct kernel describe(const char *name, double rate, int setup)
{
    return {name, launch<S, CLUSTER>, S::HIGH, S::WIDE, CLUSTER, S::THREADS, rate, setup};
}

/* The time of the busiest multiprocessor, in units of its own. */
static double estimate(const struct kernel *kernel, const struct sgemm &p, int multiprocessors)
{
    const int across = (p.n + kernel->wide - 1) / kernel->wide;
    const int down = (p.m + kernel->high - 1) / kernel->high;
    const int blocks = (across * down * kernel->cluster + multiprocessors - 1) / multiprocessors;
    const double rounds = (double)p.k / kernel->cluster + kernel->setup;

    return blocks * rounds * kernel->high * kernel->wide / kernel->rate;
}

static struct kernel choose(const struct sgemm &p)
{
    static const struct kernel kernels[] = {
        describe<shape<32, 64, 8, 4, 32, 3, 4, false, 1>, 1>("32 x 64, 4 slices", 38, 100),
        describe<shape<64, 128, 8, 16, 32, 4, 4, false, 1>, 1>("64 x 128, 4 slices", 48, 100),
        describe<shape<64, 256, 8, 16, 16, 4, 1, true, 2>, 1>("64 x 256", 52.5, 60),
        describe<shape<64, 192, 8, 12, 16, 4, 1, false, 2>, 1>("64 x 192", 53.3, 60),
        describe<shape<128, 256, 8, 16, 32, 3, 1, true, 1>, 1>("128 x 256", 54.2, 150),
        describe<shape<64, 64, 8, 8, 32, 4, 4, false, 1>, 2>("64 x 64, 4 slices, 2 blocks", 44,
                                                             160),
    };
    static const int count = sizeof(kernels) / sizeof(kernels[0]);
    int device, multiprocessors, best = 0;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    if (wanted)
        return kernels[min(wanted, (int64_t)count) - 1];
    if (p.m == 1)
        return {"a row", launch_row, 1, ROW_WIDE, 1, ROW_THREADS};
    for (int i = 1; i < count; i++)
        if (estimate(&kernels[i], p, multiprocessors) <
            estimate(&kernels[best], p, multiprocessors))
            best = i;
    return kernels[best];
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const struct kernel kernel = choose(*p);
    float *const work = new_work(*p);

    snprintf(run->reason, sizeof(run->reason), "of its kernels \"%s\" suits the shape",
             kernel.name);
    run->blocks = (p->n + kernel.wide - 1) / kernel.wide;
    run->blocks_y = (p->m + kernel.high - 1) / kernel.high;
    run->threads = kernel.threads;
    TIMED(run)
        kernel.launch(kernel.launch == launch_row ? *p : pad_rows(*p, work));
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return sgemm_main(argc, argv, STEP, sgemm_gpu,
                      {.options = {{.name = "kernel",
                                    .value = &wanted,
                                    .max = 6,
                                    .help = "which of its kernels",
                                    .unset = "what suits the shape"}}});
}
