/* r9_one_launch against CUB, in one process, on inputs that take turns.
 *
 *   reduction [--n N] [--runs N] [--device N]
 *
 * Every run takes the next of several inputs, which together are far larger than the L2 cache, so that
 * no run finds its input there. r9 and CUB take turns too, and their storage is allocated beforehand.
 * Two times each, both between CUDA events: from an idle GPU, which has the launch in it, and behind
 * a kernel that keeps the GPU busy until everything is queued. Without --n: 32 Mi and 512 Mi floats.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cub/device/device_reduce.cuh>

/* The kernel as it stands in the step, and nothing else of it. */
#define main r9_main
#define STEP                                            \
    {                                                   \
        "benchmarks", "reduction", "r9 against CUB", 75 \
    }
#include "../reduction/r9_one_launch.cu"
#undef main

enum { DEFAULT_RUNS = 101, WARM_UP = 5, BUSY_CYCLES = 60000 };
#define INPUT_BYTES ((size_t)4 << 30) /* of all inputs; two inputs at least */

/* One size: its inputs and the storage of both. */
struct contest {
    int n, count; /* of an input; of inputs */
    float **inputs;
    word_t *words;
    unsigned *started;
    void *temporary;
    size_t temporary_bytes;
    float *result;
};

typedef void launch_function(const struct contest *contest, const float *a);

__global__ void fill(float *a, int n, unsigned seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = ((i + seed) * 2654435761u >> 13) % 100;
}

__global__ void keep_busy(void)
{
    const long long start = clock64();

    while (clock64() - start < BUSY_CYCLES)
        ;
}

static void launch_r9(const struct contest *contest, const float *a)
{
    reduction<<<contest->n / 4 / TILE + 1, THREADS>>>(a, contest->n, contest->words,
                                                      contest->started, contest->result);
}

static void launch_cub(const struct contest *contest, const float *a)
{
    size_t bytes = contest->temporary_bytes;

    CHECK(cub::DeviceReduce::Sum(contest->temporary, bytes, a, contest->result, contest->n));
}

static struct contest contest_new(int n)
{
    const size_t bytes = n * sizeof(float), blocks = n / 4 / TILE + 1;
    struct contest contest = {.n = n, .count = 2};

    if (bytes * 2 < INPUT_BYTES && n)
        contest.count = (int)(INPUT_BYTES / bytes < 64 ? INPUT_BYTES / bytes : 64);
    contest.inputs = (float **)memory_host(contest.count * sizeof(float *));
    for (int i = 0; i < contest.count; i++) {
        CHECK(cudaMalloc(&contest.inputs[i], bytes));
        fill<<<1024, 256>>>(contest.inputs[i], n, i);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMalloc(&contest.words, blocks * sizeof(word_t)));
    CHECK(cudaMemset(contest.words, 0, blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&contest.started, sizeof(unsigned)));
    CHECK(cudaMemset(contest.started, 0, sizeof(unsigned)));
    CHECK(cudaMalloc(&contest.result, sizeof(float)));
    CHECK(cub::DeviceReduce::Sum(NULL, contest.temporary_bytes, contest.inputs[0], contest.result,
                                 n));
    CHECK(cudaMalloc(&contest.temporary, contest.temporary_bytes));
    return contest;
}

static void contest_free(struct contest *contest)
{
    for (int i = 0; i < contest->count; i++)
        CHECK(cudaFree(contest->inputs[i]));
    CHECK(cudaFree(contest->words));
    CHECK(cudaFree(contest->started));
    CHECK(cudaFree(contest->result));
    CHECK(cudaFree(contest->temporary));
    free(contest->inputs);
}

/* One launch on `a`, into `run`. */
static void time_launch(const struct contest *contest, launch_function *launch, const float *a,
                        bool busy, struct run *run, bool keep)
{
    float ms;

    if (busy)
        keep_busy<<<1, 1>>>();
    CHECK(cudaEventRecord(run->begin));
    launch(contest, a);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(run->end));
    CHECK(cudaEventSynchronize(run->end));
    CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
    if (keep)
        run->ms[run->done++] = ms;
}

/* The same sums but for rounding, on every input. */
static bool agree(const struct contest *contest)
{
    for (int i = 0; i < contest->count; i++) {
        float r9, cub;

        launch_r9(contest, contest->inputs[i]);
        CHECK(cudaMemcpy(&r9, contest->result, sizeof(float), cudaMemcpyDeviceToHost));
        launch_cub(contest, contest->inputs[i]);
        CHECK(cudaMemcpy(&cub, contest->result, sizeof(float), cudaMemcpyDeviceToHost));
        if (!(fabsf(r9 - cub) <= 1e-6f * cub))
            return false;
    }
    return true;
}

/* Print a line for `n` floats. Returns the exit code. */
static int compete(int n, const struct options *options, const struct device *device)
{
    struct contest contest = contest_new(n);
    const bool right = agree(&contest);

    for (int busy = 0; right && busy < 2; busy++) {
        struct run r9 = run_new(options, device), cub = run_new(options, device);
        double r9_us, cub_us;
        int turn = 0;

        for (int i = -WARM_UP; i < r9.runs; i++) {
            time_launch(&contest, launch_r9, contest.inputs[turn++ % contest.count], busy, &r9,
                        i >= 0);
            time_launch(&contest, launch_cub, contest.inputs[turn++ % contest.count], busy, &cub,
                        i >= 0);
        }
        r9_us = run_times(&r9).median * 1000;
        cub_us = run_times(&cub).median * 1000;
        printf("%11d  %-11s  %9.2f  %9.2f  %5.3f  %8.0f\n", n, busy ? "behind work" : "from idle",
               r9_us, cub_us, cub_us / r9_us, n * 4e-3 / r9_us);
        run_free(&r9);
        run_free(&cub);
    }
    contest_free(&contest);
    if (!right)
        check_say("n = %d: r9 and CUB differ", n);
    return right ? EXIT_MATCH : EXIT_MISMATCH;
}

int main(int argc, char **argv)
{
    struct options options = options_default(REDUCTION_N);
    struct device device;
    int code = options_parse(argc, argv, &options, 1, OPTIONS_MAX_N, NULL, NULL, 0);

    if (code >= 0)
        return code;
    if (options.all_sizes || options.json)
        return options_refuse("this program has neither --all-sizes nor --json");
    if (options.runs == OPTIONS_RUNS_UNSET)
        options.runs = DEFAULT_RUNS;
    code = InitCUDA((int)options.device, 75, &device);
    if (code)
        return code;
    printf("%s, driver %d.%d, toolkit %d.%d; medians of %d runs\n", device.name,
           device.driver / 1000, device.driver % 1000 / 10, device.runtime / 1000,
           device.runtime % 1000 / 10, (int)options.runs);
    printf("          n  time           r9 (us)   CUB (us)  CUB/r9  r9 (GB/s)\n");
    code = compete((int)options.n, &options, &device);
    if (code == EXIT_MATCH && !options.n_given)
        code = compete(16 * REDUCTION_N, &options, &device);
    return code;
}
