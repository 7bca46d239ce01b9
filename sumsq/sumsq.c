#include "sumsq.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, with every rest that loads of four
 * leave, around the article's 256 threads, around 1024 and around what a block of v8a takes at a
 * time, a prime, and the article's own. */
static const int awkward_sizes[] = {0,    1,    31,   32,   33,   34,   255,   256,    257,
                                    1023, 1024, 1025, 8191, 8192, 8193, 65536, 100003, SUMSQ_N};

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

/* A step: its device side, and its launch. */
struct problem {
    sumsq_function *gpu;
    struct sumsq_launch launch;
};

/* The most squares that one 32-bit sum of the step takes in. */
static int64_t squares_a_sum(int64_t n, const struct sumsq_launch *launch)
{
    const int64_t threads = launch->blocks * launch->threads;
    const int64_t a_thread = (n + threads - 1) / threads;

    return launch->block_sums ? a_thread * launch->threads : a_thread;
}

/* Blocks must fit the device, squares a sum of the step, and n the device's memory. */
static int refuse(void *self, const struct session *session)
{
    const struct sumsq_launch *launch = &((const struct problem *)self)->launch;
    const int64_t most = INT_MAX / 81, n = session->options.n;

    if (launch->threads > session->device.max_threads)
        return options_refuse("--threads %" PRId64 ": a block of this device has at most %d",
                              launch->threads, session->device.max_threads);
    if (!launch->wide_sums && squares_a_sum(n, launch) > most)
        return options_refuse("--n %" PRId64 ": a 32-bit sum would take in %" PRId64
                              " squares of up to 81 and overflow; it holds %" PRId64,
                              n, squares_a_sum(n, launch), most);
    return memory_refuse(&session->device, (size_t)n * sizeof(int));
}

static struct measurement measure(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const int n = (int)session->options.n;
    int *num = memory_host((size_t)n * sizeof(int));
    struct measurement measurement = measurement_new(session);
    struct run *run = &measurement.run;

    run->blocks = (unsigned)problem->launch.blocks;
    run->threads = (unsigned)problem->launch.threads;
    measurement.work.bytes = (double)n * sizeof(int);
    sumsq_generate(num, n, (uint64_t)session->options.seed);
    const long long sum = problem->gpu(num, n, run);
    if (session->options.check)
        measurement.verdict = compare_integer(sum, sumsq_cpu(num, n));
    free(num);
    return measurement;
}

int sumsq_main(int argc, char **argv, struct step step, sumsq_function *gpu,
               struct sumsq_launch launch)
{
    struct problem problem = {gpu, launch};
    const struct option_row rows[] = {
        {.name = "threads",
         .value = &problem.launch.threads,
         .min = 1,
         .max = launch.max_threads,
         .help = "threads in a block",
         .power_of_two = launch.power_of_two},
        {.name = "blocks",
         .value = &problem.launch.blocks,
         .min = 1,
         .max = launch.max_blocks,
         .help = "blocks in the grid"},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = SUMSQ_N, .max = OPTIONS_MAX_N}, .rows = rows, .row_count = 2},
        .sizes = awkward_sizes,
        .size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}
