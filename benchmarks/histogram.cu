/* The chapter's histograms against CUB's, in one process, on inputs that take turns.
 *
 *   histogram [--n N] [--runs N] [--device N]
 *
 * b4, b5 and b6 with 256 bins, of words and of bytes, and b7, b8 and b10 with 65536. Samples are
 * random, all equal, sorted, or all in one bank. Every launch takes the next of several inputs,
 * which together are larger than the L2 cache, and all take turns with CUB, whose storage is
 * allocated beforehand. Without --n: 2^20, 2^25 and 2^28 samples.
 */
#include <stdio.h>

#include <cub/device/device_histogram.cuh>

#include "../histogram/launch.cuh"
#include "../histogram/packs.cuh"
#include "benchmark.h"

/* The kernels as they stand in the steps, and nothing else of these. */
#define STEP                                         \
    {                                                \
        "benchmarks", "histogram", "against CUB", 90 \
    }
#define main step_main
namespace b4
{
int step_main(int argc, char **argv);
#include "../histogram/b4_wide_loads.cu"
} // namespace b4
namespace b5
{
int step_main(int argc, char **argv);
#include "../histogram/b5_neighbours.cu"
} // namespace b5
namespace b6
{
int step_main(int argc, char **argv);
#include "../histogram/b6_columns.cu"
} // namespace b6
namespace b7
{
int step_main(int argc, char **argv);
#include "../histogram/b7_many_bins.cu"
} // namespace b7
namespace b8
{
int step_main(int argc, char **argv);
#include "../histogram/b8_ranges.cu"
} // namespace b8
namespace b10
{
int step_main(int argc, char **argv);
#include "../histogram/b10_packed.cu"
} // namespace b10
#undef main

enum { MAX_INPUTS = 64, STEPS = 3, CONTENDERS = STEPS + 1, KINDS = 4 };
#define INPUT_BYTES ((size_t)1 << 30) /* of all inputs; two at least */
static const char *const kinds[KINDS] = {"random", "equal", "sorted", "one bank"};

/* A step's kernel and its launch. `of` blocks belong together. */
template <typename T> struct contender {
    void (*kernel)(const T *a, int n, unsigned *counts);
    int threads;
    size_t shared_bytes;
    int of;
    struct run run;
};

/* One size and type: its inputs, and everybody's counts. */
template <typename T> struct contest {
    int n, bins, count; /* samples; bins; inputs */
    T *inputs[MAX_INPUTS];
    unsigned *counts[CONTENDERS]; /* those of CUB are the last */
    struct contender<T> steps[STEPS];
    void *room; /* of CUB */
    size_t room_bytes;
};

template <typename T> __global__ void fill(T *a, int n, int bins, int kind, unsigned seed)
{
    const unsigned apart = bins == BINS ? 32 : 64;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned random = ((i + seed) * 2654435761u ^ i >> 9) * 2246822519u >> 8;

        a[i] = kind == 0   ? random % bins
               : kind == 1 ? seed % bins
               : kind == 2 ? (long long)i * bins / n
                           : random % (bins / apart) * apart;
    }
}

template <typename T, int I> static void launch_step(void *context, int turn)
{
    auto *c = (struct contest<T> *)context;
    const struct contender<T> *step = &c->steps[I];

    CHECK(cudaMemsetAsync(c->counts[I], 0, c->bins * sizeof(unsigned)));
    step->kernel<<<step->run.blocks, step->threads, step->shared_bytes>>>(
        c->inputs[turn % c->count], c->n, c->counts[I]);
}

template <typename T> static void launch_cub(void *context, int turn)
{
    auto *c = (struct contest<T> *)context;

    CHECK(cub::DeviceHistogram::HistogramEven(c->room, c->room_bytes, c->inputs[turn % c->count],
                                              c->counts[STEPS], c->bins + 1, 0, c->bins, c->n));
}

template <typename T> static void contest_start(struct contest<T> *contest, const struct run *run)
{
    const size_t bytes = contest->n * sizeof(T);

    contest->count = 2;
    while (contest->count < MAX_INPUTS && (contest->count + 1) * bytes <= INPUT_BYTES)
        contest->count++;
    for (int i = 0; i < contest->count; i++)
        CHECK(cudaMalloc(&contest->inputs[i], bytes));
    for (unsigned *&counts : contest->counts)
        CHECK(cudaMalloc(&counts, contest->bins * sizeof(unsigned)));
    for (struct contender<T> &step : contest->steps) {
        step.run = *run;
        blocks_that_stay(&step.run, step.kernel, step.threads, step.shared_bytes, contest->n,
                         pack<T>::EACH);
        step.run.blocks = max(1, (int)step.run.blocks / step.of) * step.of;
    }
    contest->room = NULL;
    launch_cub<T>(contest, 0); /* asks how much room it needs */
    CHECK(cudaMalloc(&contest->room, contest->room_bytes));
}

template <typename T> static void contest_end(struct contest<T> *contest)
{
    for (int i = 0; i < contest->count; i++)
        CHECK(cudaFree(contest->inputs[i]));
    for (unsigned *counts : contest->counts)
        CHECK(cudaFree(counts));
    CHECK(cudaFree(contest->room));
}

/* Whether all have the same counts of the last input, and as many as there are samples. */
template <typename T> static bool agree(struct contest<T> *contest, benchmark_launch *const *launch)
{
    static unsigned counts[CONTENDERS][MANY_BINS];
    long long all = 0;
    bool same = true;

    for (int i = 0; i < CONTENDERS; i++) {
        CHECK(cudaMemset(contest->counts[i], MEMORY_POISON, contest->bins * sizeof(unsigned)));
        launch[i](contest, contest->count - 1);
        device_fetch(unsigned, counts[i], contest->counts[i], contest->bins);
        same = same && memcmp(counts[i], counts[0], contest->bins * sizeof(unsigned)) == 0;
    }
    for (int bin = 0; bin < contest->bins; bin++)
        all += counts[0][bin];
    return same && all == contest->n;
}

/* Measure each kind, and print its line. `what` names the steps. Returns the exit code. */
template <typename T>
static int compete(struct contest<T> *contest, const char *what, const struct options *options,
                   const struct device *device)
{
    benchmark_launch *const launch[] = {launch_step<T, 0>, launch_step<T, 1>, launch_step<T, 2>,
                                        launch_cub<T>};
    struct run run = run_new(options, device);
    int code = EXIT_MATCH;

    contest_start(contest, &run);
    for (int kind = 0; kind < KINDS && code == EXIT_MATCH; kind++) {
        double ms[CONTENDERS];

        for (int i = 0; i < contest->count; i++)
            fill<<<1024, 256>>>(contest->inputs[i], contest->n, contest->bins, kind, i + 1);
        CHECK(cudaGetLastError());
        if (!agree(contest, launch)) {
            check_say("n = %d, %s, %s: the counts differ", contest->n, what, kinds[kind]);
            code = EXIT_MISMATCH;
            break;
        }
        benchmark_take_turns(launch, CONTENDERS, contest, options, device, ms);
        printf("%11d  %-18s  %-8s", contest->n, what, kinds[kind]);
        for (double time : ms)
            printf("  %9.2f", time * 1000);
        printf("  %6.3f\n", ms[STEPS] / ms[STEPS - 1]);
    }
    contest_end(contest);
    run_free(&run);
    return code;
}

template <typename T>
static int compete_256(int n, const char *what, const struct options *options,
                       const struct device *device)
{
    struct contest<T> contest = {
        .n = n, .bins = BINS
    };

    contest.steps[0] = {b4::histogram<T>, b4::THREADS, 0, 1};
    contest.steps[1] = {b5::histogram<T>, b5::THREADS, 0, 1};
    contest.steps[2] = {b6::histogram<T>, b6::THREADS, 0, 1};
    return compete(&contest, what, options, device);
}

/* All for `n` samples. Returns the exit code. */
static int compete_all(int n, const struct options *options, const struct device *device)
{
    struct contest<unsigned> many = {
        .n = n, .bins = MANY_BINS
    };
    int code = compete_256<unsigned>(n, "words: b4, b5, b6", options, device);

    if (code == EXIT_MATCH)
        code = compete_256<unsigned char>(n, "bytes: b4, b5, b6", options, device);
    if (code != EXIT_MATCH)
        return code;
    many.steps[0] = {b7::histogram, b7::THREADS, 0, 1};
    many.steps[1] = {b8::histogram, b8::THREADS, b8::SHARED_BYTES, b8::RANGES};
    many.steps[2] = {b10::histogram, b10::THREADS, b10::SHARED_BYTES, 1};
    return compete(&many, "65536: b7, b8, b10", options, device);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1 << 20, 1 << 25, 1 << 28, 0};

    return benchmark_main(argc, argv, 90, sizes,
                          "          n  steps               samples    1st (us)   2nd (us)   3rd "
                          "(us)   CUB (us)  CUB/3rd",
                          compete_all);
}
