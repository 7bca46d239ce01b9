/* Chapter: the sum of the squares of n integers, each 0 to 9.
 *
 * Here is what every step shares: the problem, its input, the CPU's answer, the sizes to check, the
 * options and the report. What happens on the device is in the step.
 */
#ifndef SUMSQ_H
#define SUMSQ_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SUMSQ_N = 1048576, /* the article's size */
    SUMSQ_MAX_THREADS = 1024, /* in a block, on every GPU of today */
    SUMSQ_MAX_BLOCKS = 65535,
};

/* The device side of a step: from n host numbers to the sum of their squares. The launch is
 * run->blocks blocks of run->threads threads. */
typedef long long sumsq_function(const int *num, int n, struct run *run);

/* The launch of a step, and what a user may make of it: with `max_blocks` or `max_threads` the step
 * has --blocks or --threads. */
struct sumsq_launch {
    int64_t blocks, threads;
    int64_t max_blocks, max_threads;
    bool power_of_two; /* threads: the step's tree takes nothing else */
    bool block_sums; /* one 32-bit sum a block; else one a thread ... */
    bool wide_sums; /* ... or 64-bit sums, which hold any n */
};

/* main() of a step, STEP: options, device, input, `gpu`, comparison, report. Returns the exit
 * code. */
int sumsq_main(int argc, char **argv, struct step step, sumsq_function *gpu,
               struct sumsq_launch launch);

/* Seeded numbers 0 to 9. */
void sumsq_generate(int *num, int n, uint64_t seed);

/* The CPU's answer, in 64 bits. */
long long sumsq_cpu(const int *num, int n);

/* The sum of `count` partial sums, in 64 bits. */
long long sumsq_add(const int *partial, int count);

/* Read back the clocks of `blocks` blocks, first all starts, then all ends, into run->cycles (the
 * longest block) and run->span_cycles (last end less first start, as the article has it: it means
 * something only where the SMs' clocks started together). */
void sumsq_clocks(struct run *run, const long long *d_time, unsigned blocks);

#ifdef __cplusplus
}
#endif

#endif
