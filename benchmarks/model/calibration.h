/* SPDX-License-Identifier: MIT */
/* What the calibration programs share: a list of cases, each a launch that is timed. */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct calibration {
    struct options options;
    struct device device;
    const char *program;
    struct run run;
    char name[64]; /* of the case under way */
};

/* Time the launch that follows, under a name in printf's style, and print a line: the case and its
 * median time in microseconds. */
#define TIMED_CASE(calibration, ...) \
    for (calibration_case((calibration), __VA_ARGS__); calibration_again(calibration);)

void calibration_case(struct calibration *calibration, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool calibration_again(struct calibration *calibration);

/* Device memory of `bytes`, filled with zeros. Freed with cudaFree. */
void *calibration_memory(size_t bytes);

/* `count` pseudo-random words below `below` in device memory, the same for the same `seed`. Freed
 * with cudaFree. */
unsigned *calibration_words(size_t count, unsigned below, uint64_t seed);

/* `count` pseudo-random numbers from `low` to `high` in device memory, the same for the same
 * `seed`. Freed with cudaFree. */
float *calibration_floats(size_t count, float low, float high, uint64_t seed);

/* main() of a calibration program: reads the options (--runs, --json and what every program has),
 * finds the device and calls `measure`. Returns the exit code. */
int calibration_main(int argc, char **argv, const char *program,
                     void (*measure)(struct calibration *calibration));

#ifdef __cplusplus
}
#endif
#endif
