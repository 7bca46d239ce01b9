/* SPDX-License-Identifier: MIT */
/* What a benchmark program is around its contest: options, device, the lines above the table. */
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCHMARK_RUNS = 101, BENCHMARK_MOST = 8 };

/* Print the table's lines for `n` numbers. Returns the exit code. */
typedef int benchmark_function(int n, const struct options *options, const struct device *device);

/* main() of a benchmark, on GPUs of compute capability `minimum` or more: `compete` for --n, or
 * without it for each of `sizes`, which end with 0, below a line that names GPU, driver and toolkit
 * and the table's `header`. --runs is BENCHMARK_RUNS unless given. Returns the exit code. */
int benchmark_main(int argc, char **argv, int minimum, const int *sizes, const char *header,
                   benchmark_function *compete);

/* Launch once. `turn` counts the launches, so that each may take another input. */
typedef void benchmark_launch(void *context, int turn);

/* Time up to BENCHMARK_MOST launches that take turns, after a few to warm up. ms[i] becomes the
 * median of launch[i], in milliseconds. */
void benchmark_take_turns(benchmark_launch *const *launch, int count, void *context,
                          const struct options *options, const struct device *device, double *ms);

#ifdef __cplusplus
}
#endif
#endif
