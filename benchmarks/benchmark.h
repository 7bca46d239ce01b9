/* SPDX-License-Identifier: MIT */
/* What a benchmark program is around its contest: options, device, the lines above the table. */
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCHMARK_RUNS = 101 };

/* Print the table's lines for `n` numbers. Returns the exit code. */
typedef int benchmark_function(int n, const struct options *options, const struct device *device);

/* main() of a benchmark: `compete` for --n, or for the sizes `small` and `large` without it, below
 * a line that names GPU, driver and toolkit and the table's `header`. --runs is BENCHMARK_RUNS
 * unless given. Returns the exit code. */
int benchmark_main(int argc, char **argv, int small, int large, const char *header,
                   benchmark_function *compete);

#ifdef __cplusplus
}
#endif
#endif
