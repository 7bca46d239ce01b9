/* h14: the tiles that suit the shape. A program rather than a step.
 *
 * Before: C of 1024 x 1024 is 32 tiles of h13, for 132 SMs.
 * Now:    smaller tiles, where there are too few of them. They fetch more for every product, so
 *         choose() asks an estimate: the busiest SM decides, by its tiles, their size, and a rate
 *         fitted on an H200. The kernel is that of h13.
 * See:    docs/hgemm.md#h14
 */
int h13_main(int argc, char **argv);
#pragma push_macro("main")
#undef main
#define main h13_main
#include "h13_overlap.cu"
#pragma pop_macro("main")

#include <stdio.h>

/* A kernel: what it is, and what was fitted. */
struct kernel {
    const char *name;
    int (*plan)(struct run *run, const struct hgemm &p);
    void (*launch)(const struct hgemm &p, int blocks);
    int high, wide; /* of a cluster */
    int cluster;
    double rate; /* with all SMs busy, in TFLOP/s, fitted on an H200 */
    int setup; /* what a tile costs beside its k, in elements of k */
};

template <class S> constexpr struct kernel describe(const char *name, double rate, int setup)
{
    return {name, plan<S>, launch<S>, S::HIGH * S::CLUSTER, S::WIDE, S::CLUSTER, rate, setup};
}

static const struct kernel kernels[] = {
    describe<shape<64, 128, 8>>("64 x 128", 500, 256),
    describe<shape<128, 128, 6>>("128 x 128", 650, 256),
    describe<shape<128, 256, 4, 2>>("128 x 256, pairs", 690, 256),
};

/* The time of the busiest cluster, in units of its own. */
static double estimate(const struct kernel &kernel, const struct hgemm &p)
{
    const int clusters = max(multiprocessors() / kernel.cluster, 1);
    const int64_t tiles =
        (int64_t)((p.n + kernel.wide - 1) / kernel.wide) * ((p.m + kernel.high - 1) / kernel.high);

    return (double)((tiles + clusters - 1) / clusters) * (p.k + kernel.setup) * kernel.high *
           kernel.wide / kernel.cluster / kernel.rate;
}

static struct kernel choose(const struct hgemm &p)
{
    const struct kernel *best = kernels;

    for (const struct kernel &kernel : kernels)
        if (estimate(kernel, p) < estimate(*best, p))
            best = &kernel;
    return *best;
}

static void hgemm_by_shape(const struct hgemm *p, struct run *run)
{
    const struct kernel kernel = choose(*p);
    const int blocks = kernel.plan(run, *p);
    bf16 *const work = new_work(*p);

    snprintf(run->reason, sizeof(run->reason), "of its kernels \"%s\" suits the shape",
             kernel.name);
    TIMED(run)
        kernel.launch(pad_rows(*p, work), blocks);
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_by_shape);
}
