/* SPDX-License-Identifier: MIT */
#include "benchmark.h"

#include <stdio.h>

enum { WARM_UP = 5 };

int benchmark_main(int argc, char **argv, int minimum, const int *sizes, const char *header,
                   benchmark_function *compete)
{
    const struct option_list list = {.size = {.usual = sizes[0], .min = 1, .max = OPTIONS_MAX_N}};
    struct options options;
    struct device device;
    int code = options_parse(argc, argv, &list, &options);

    if (code >= 0)
        return code;
    if (options.all_sizes || options.json)
        return options_refuse("this program has neither --all-sizes nor --json");
    if (options.runs == OPTIONS_RUNS_UNSET)
        options.runs = BENCHMARK_RUNS;
    code = InitCUDA((int)options.device, minimum, &device);
    if (code)
        return code;
    printf("%s, driver %d.%d, toolkit %d.%d; medians of %d runs\n%s\n", device.name,
           device.driver / 1000, device.driver % 1000 / 10, device.runtime / 1000,
           device.runtime % 1000 / 10, (int)options.runs, header);
    code = compete((int)options.n, &options, &device);
    for (int i = 1; code == EXIT_MATCH && !options.n_given && sizes[i]; i++)
        code = compete(sizes[i], &options, &device);
    return code;
}

/* The time of one launch, in milliseconds. */
static float time_launch(benchmark_launch *launch, void *context, int turn, const struct run *run)
{
    float ms;

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(run->begin, 0));
    launch(context, turn);
    CHECK(cudaEventRecord(run->end, 0));
    CHECK(cudaEventSynchronize(run->end));
    CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
    return ms;
}

void benchmark_take_turns(benchmark_launch *const *launch, int count, void *context,
                          const struct options *options, const struct device *device, double *ms)
{
    struct run runs[BENCHMARK_MOST];

    for (int i = 0; i < count; i++)
        runs[i] = run_new(options, device);
    for (int turn = 0; turn < WARM_UP + runs[0].runs; turn++)
        for (int i = 0; i < count; i++) {
            const float time = time_launch(launch[i], context, turn, &runs[i]);

            if (turn >= WARM_UP)
                runs[i].ms[runs[i].done++] = time;
        }
    for (int i = 0; i < count; i++) {
        ms[i] = run_times(&runs[i]).median;
        run_free(&runs[i]);
    }
}
