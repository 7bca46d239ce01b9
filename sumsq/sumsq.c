#include "sumsq.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, around the article's 256 threads,
 * around 1024 and around what a block of v8 takes at a time, a prime, and the article's own. */
static const int awkward_sizes[] = {0,    1,    31,   32,   33,   255,   256,    257,    1023,
                                    1024, 1025, 8191, 8192, 8193, 65536, 100003, SUMSQ_N};

void sumsq_generate(int *num, int n, uint64_t seed)
{
    struct rng rng = rng_seed(seed);

    for (int i = 0; i < n; i++)
        num[i] = (int)rng_below(&rng, 10);
}

long long sumsq_cpu(const int *num, int n)
{
    long long sum = 0;

    for (int i = 0; i < n; i++)
        sum += (long long)num[i] * num[i];
    return sum;
}

long long sumsq_add(const int *partial, int count)
{
    long long sum = 0;

    for (int i = 0; i < count; i++)
        sum += partial[i];
    return sum;
}

void sumsq_clocks(struct run *run, const long long *d_time, unsigned blocks)
{
    long long *start = memory_host(2 * (size_t)blocks * sizeof(long long));
    const long long *end = start + blocks;
    long long first, last;

    device_fetch(long long, start, d_time, 2 * blocks);
    first = start[0];
    last = end[0];
    run->cycles = 0;
    for (unsigned i = 0; i < blocks; i++) {
        if (run->cycles < end[i] - start[i])
            run->cycles = end[i] - start[i];
        if (first > start[i])
            first = start[i];
        if (last < end[i])
            last = end[i];
    }
    run->span_cycles = last - first;
    free(start);
}

/* The most squares that one 32-bit sum of the step takes in. */
static int64_t squares_a_sum(int64_t n, const struct sumsq_launch *launch)
{
    const int64_t threads = (int64_t)launch->blocks * launch->threads;
    const int64_t a_thread = (n + threads - 1) / threads;

    return launch->block_sums ? a_thread * launch->threads : a_thread;
}

/* Refuse an n that the step's sums cannot hold or the device has no room for. Returns -1 to go on,
 * else the exit code. */
static int sumsq_refuse(int64_t n, const struct sumsq_launch *launch, const struct device *device)
{
    const int64_t most = INT_MAX / 81;

    if (!launch->wide_sums && squares_a_sum(n, launch) > most)
        return options_refuse("--n %" PRId64 ": a 32-bit sum would take in %" PRId64
                              " squares of up to 81 and overflow; it holds %" PRId64,
                              n, squares_a_sum(n, launch), most);
    return memory_refuse(device, (size_t)n * sizeof(int));
}

/* One size, from input to report. Returns the exit code. */
static int sumsq_size(int n, struct step step, sumsq_function *gpu,
                      const struct sumsq_launch *launch, const struct options *options,
                      const struct device *device)
{
    int *num = memory_host((size_t)n * sizeof(int));
    struct run run = run_new(options, device);
    struct work work = {.bytes = (double)n * sizeof(int), .flops = 0};
    struct verdict verdict;
    int code;

    run.blocks = launch->blocks;
    run.threads = launch->threads;
    sumsq_generate(num, n, (uint64_t)options->seed);
    verdict = compare_integer(gpu(num, n, &run), sumsq_cpu(num, n));
    code = report(&step, options, device, &run, n, work, &verdict, NULL);
    run_free(&run);
    free(num);
    return code;
}

/* Every awkward size the step takes, each run once. Returns the worst exit code. */
static int sumsq_all_sizes(struct step step, sumsq_function *gpu, const struct sumsq_launch *launch,
                           struct options options, const struct device *device)
{
    int worst = EXIT_MATCH;

    if (options.runs == OPTIONS_RUNS_UNSET)
        options.runs = 1;
    for (size_t i = 0; i < sizeof(awkward_sizes) / sizeof(awkward_sizes[0]); i++) {
        int code = sumsq_size(awkward_sizes[i], step, gpu, launch, &options, device);

        if (code > worst)
            worst = code;
    }
    return worst;
}

int sumsq_main(int argc, char **argv, struct step step, sumsq_function *gpu,
               struct sumsq_launch launch)
{
    int64_t threads = launch.threads, blocks = launch.blocks;
    struct options options = options_default(SUMSQ_N);
    struct option_row own[2];
    struct device device;
    size_t count = 0;
    int code;

    if (launch.max_threads > launch.threads)
        own[count++] = (struct option_row){
            .name = "threads",
            .value = &threads,
            .min = 1,
            .max = launch.max_threads,
            .help = "threads in a block",
            .power_of_two = launch.power_of_two,
        };
    if (launch.max_blocks > launch.blocks)
        own[count++] = (struct option_row){
            .name = "blocks",
            .value = &blocks,
            .min = 1,
            .max = launch.max_blocks,
            .help = "blocks in the grid",
        };
    code = options_parse(argc, argv, &options, 0, OPTIONS_MAX_N, NULL, own, count);
    if (code >= 0)
        return code;
    launch.threads = (unsigned)threads;
    launch.blocks = (unsigned)blocks;

    code = InitCUDA((int)options.device, step.minimum, &device);
    if (code)
        return code;
    if (threads > device.max_threads)
        return options_refuse("--threads %u: a block of this device has at most %d", launch.threads,
                              device.max_threads);
    if (options.all_sizes)
        return sumsq_all_sizes(step, gpu, &launch, options, &device);
    code = sumsq_refuse(options.n, &launch, &device);
    if (code >= 0)
        return code;
    return sumsq_size((int)options.n, step, gpu, &launch, &options, &device);
}
