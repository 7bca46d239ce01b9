/* r9b_overlap against CUB, in one process, on inputs that take turns.
 *
 *   reduction [--n N] [--runs N] [--device N]
 *
 * Every launch takes the next of several inputs, which together are far larger than the L2 cache,
 * so that none finds its input there. r9b and CUB take turns too, and their storage is allocated
 * beforehand. Three times each, all between CUDA events: one launch from an idle GPU, one launch
 * behind other work, when the host's part is done in time, and one of many launches in a row. There
 * r9b's overlap, on a GPU that can do that; CUB's, as CUB makes them, do not. Without --n: 32 Mi
 * and 512 Mi floats.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cub/device/device_reduce.cuh>

#include "benchmark.h"

/* The kernel as it stands in the step, and nothing else of it. */
#define STEP                                             \
    {                                                    \
        "benchmarks", "reduction", "r9b against CUB", 75 \
    }
int r9b_main(int argc, char **argv);
#define main r9b_main
#include "../reduction/r9b_overlap.cu"
#undef main

enum { WARM_UP = 5, ROW = 32, MAX_INPUTS = 64 };
#define INPUT_BYTES ((size_t)4 << 30) /* of all inputs; two inputs at least */

/* How a time is taken: of a row of launches, behind so many clocks of other work. */
struct way {
    const char *name;
    int row;
    long long busy;
};
static const struct way ways[] = {
    {"from idle", 1, 0},
    {"behind work", 1, 60000},
    {"in a row", ROW, 400000},
};

/* One size: its inputs and the storage of both. */
struct contest {
    int n, count; /* of an input; of inputs */
    int turn; /* of the inputs */
    float *inputs[MAX_INPUTS];
    float *r9b, *cub; /* results, one an input */
    cudaLaunchConfig_t config;
    cudaLaunchAttribute overlap;
    word_t *words;
    unsigned *started, launch;
    void *temporary;
    size_t temporary_bytes;
};

/* Launch on input number `input`. */
typedef void launch_function(struct contest *contest, int input);

__global__ void fill(float *a, int n, unsigned seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = ((i + seed) * 2654435761u >> 13) % 100;
}

__global__ void keep_busy(long long clocks)
{
    const long long start = clock64();

    while (clock64() - start < clocks)
        ;
}

static void launch_r9b(struct contest *contest, int input)
{
    CHECK(cudaLaunchKernelEx(&contest->config, reduction, (const float *)contest->inputs[input],
                             contest->n, ++contest->launch, contest->words, contest->started,
                             contest->r9b + input));
}

static void launch_cub(struct contest *contest, int input)
{
    size_t bytes = contest->temporary_bytes;

    CHECK(cub::DeviceReduce::Sum(contest->temporary, bytes, contest->inputs[input],
                                 contest->cub + input, contest->n));
}

/* Fill `contest`, which stays where it is. */
static void contest_start(struct contest *contest, int n)
{
    const size_t bytes = n * sizeof(float);
    const unsigned blocks = n ? (n - 1) / (4 * TILE) + 1 : 1;

    *contest = {.n = n, .count = 2, .overlap = overlap_attribute(reduction)};
    while (contest->count < MAX_INPUTS && (contest->count + 1) * bytes <= INPUT_BYTES)
        contest->count++;
    for (int i = 0; i < contest->count; i++) {
        CHECK(cudaMalloc(&contest->inputs[i], bytes));
        fill<<<1024, 256>>>(contest->inputs[i], n, i);
        CHECK(cudaGetLastError());
    }
    contest->config.gridDim = blocks;
    contest->config.blockDim = THREADS;
    contest->config.attrs = &contest->overlap;
    contest->config.numAttrs = 1;
    CHECK(cudaMalloc(&contest->words, 2 * blocks * sizeof(word_t)));
    CHECK(cudaMemset(contest->words, 0, 2 * blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&contest->started, sizeof(unsigned)));
    CHECK(cudaMemset(contest->started, 0, sizeof(unsigned)));
    CHECK(cudaMalloc(&contest->r9b, MAX_INPUTS * sizeof(float)));
    CHECK(cudaMalloc(&contest->cub, MAX_INPUTS * sizeof(float)));
    CHECK(cub::DeviceReduce::Sum(NULL, contest->temporary_bytes, contest->inputs[0], contest->cub,
                                 n));
    CHECK(cudaMalloc(&contest->temporary, contest->temporary_bytes));
}

static void contest_end(struct contest *contest)
{
    for (int i = 0; i < contest->count; i++)
        CHECK(cudaFree(contest->inputs[i]));
    CHECK(cudaFree(contest->words));
    CHECK(cudaFree(contest->started));
    CHECK(cudaFree(contest->r9b));
    CHECK(cudaFree(contest->cub));
    CHECK(cudaFree(contest->temporary));
}

/* The time of a launch, in ms. */
static float time_row(struct contest *contest, launch_function *launch, const struct way *way,
                      const struct run *run)
{
    float ms;

    if (way->busy)
        keep_busy<<<1, 1>>>(way->busy);
    CHECK(cudaEventRecord(run->begin));
    for (int i = 0; i < way->row; i++)
        launch(contest, contest->turn++ % contest->count);
    CHECK(cudaEventRecord(run->end));
    CHECK(cudaEventSynchronize(run->end));
    CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
    return ms / way->row;
}

/* Whether both have the same sum of every input, but for rounding; what nobody wrote is poison. */
static bool agree(const struct contest *contest)
{
    float r9b[MAX_INPUTS], cub[MAX_INPUTS];

    device_fetch(float, r9b, contest->r9b, contest->count);
    device_fetch(float, cub, contest->cub, contest->count);
    for (int i = 0; i < contest->count; i++)
        if (!(fabsf(r9b[i] - cub[i]) <= 1e-6f * cub[i]))
            return false;
    return true;
}

/* Measure one way, and print its line. Returns the exit code. */
static int compete(struct contest *contest, const struct way *way, const struct options *options,
                   const struct device *device)
{
    struct run r9b = run_new(options, device), cub = run_new(options, device);
    double r9b_us, cub_us;

    CHECK(cudaMemset(contest->r9b, MEMORY_POISON, MAX_INPUTS * sizeof(float)));
    CHECK(cudaMemset(contest->cub, MEMORY_POISON, MAX_INPUTS * sizeof(float)));
    for (int input = 0; input < contest->count; input++) {
        launch_r9b(contest, input);
        launch_cub(contest, input);
    }
    for (int i = -WARM_UP; i < r9b.runs; i++) {
        const float r9b_ms = time_row(contest, launch_r9b, way, &r9b);
        const float cub_ms = time_row(contest, launch_cub, way, &cub);

        if (i >= 0) {
            r9b.ms[r9b.done++] = r9b_ms;
            cub.ms[cub.done++] = cub_ms;
        }
    }
    r9b_us = run_times(&r9b).median * 1000;
    cub_us = run_times(&cub).median * 1000;
    run_free(&r9b);
    run_free(&cub);
    printf("%11d  %-11s  %9.2f  %9.2f  %5.3f  %8.0f\n", contest->n, way->name, r9b_us, cub_us,
           cub_us / r9b_us, contest->n * 4e-3 / r9b_us);
    if (!agree(contest)) {
        check_say("n = %d, %s: r9b and CUB differ", contest->n, way->name);
        return EXIT_MISMATCH;
    }
    return EXIT_MATCH;
}

/* All ways for `n` floats. Returns the exit code. */
static int compete_all(int n, const struct options *options, const struct device *device)
{
    struct contest contest;
    int code = EXIT_MATCH;

    contest_start(&contest, n);
    for (const struct way &way : ways)
        if (code == EXIT_MATCH)
            code = compete(&contest, &way, options, device);
    contest_end(&contest);
    return code;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {REDUCTION_N, 16 * REDUCTION_N, 0};

    return benchmark_main(argc, argv, 75, sizes,
                          "          n  time          r9b (us)   CUB (us)  CUB/r9b  r9b (GB/s)",
                          compete_all);
}
