/* SPDX-License-Identifier: MIT */
#include "benchmark.h"

#include <stdio.h>

int benchmark_main(int argc, char **argv, int small, int large, const char *header,
                   benchmark_function *compete)
{
    const struct option_list list = {.size = {.usual = small, .min = 1, .max = OPTIONS_MAX_N}};
    struct options options;
    struct device device;
    int code = options_parse(argc, argv, &list, &options);

    if (code >= 0)
        return code;
    if (options.all_sizes || options.json)
        return options_refuse("this program has neither --all-sizes nor --json");
    if (options.runs == OPTIONS_RUNS_UNSET)
        options.runs = BENCHMARK_RUNS;
    code = InitCUDA((int)options.device, 75, &device);
    if (code)
        return code;
    printf("%s, driver %d.%d, toolkit %d.%d; medians of %d runs\n%s\n", device.name,
           device.driver / 1000, device.driver % 1000 / 10, device.runtime / 1000,
           device.runtime % 1000 / 10, (int)options.runs, header);
    code = compete((int)options.n, &options, &device);
    if (code == EXIT_MATCH && !options.n_given)
        code = compete(large, &options, &device);
    return code;
}
