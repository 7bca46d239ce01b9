/* SPDX-License-Identifier: MIT */
/* Find a CUDA device and make it the current one. */
#ifndef INIT_CUDA_H
#define INIT_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program needs to know of the device it runs on. */
struct device {
    int index;
    char name[256];
    bool modelled; /* no real GPU: its times come from a model */
    bool sampled; /* and to know these it runs but a part of a kernel: results are anything */
    bool cpu; /* no CUDA device at all: the CPU that a step is compared with; `name` alone is set */
    int major, minor; /* compute capability */
    int driver, runtime; /* versions, as in 13000 for 13.0 */
    int multiprocessors;
    int max_threads; /* in a block */
    int max_grid_x; /* blocks in a grid's first dimension */
    size_t memory; /* bytes of device memory */
    size_t shared_per_block; /* bytes of shared memory a block may have without asking for more */
    double clock_hz; /* of the multiprocessors */
    double peak_bytes; /* bytes a second device memory moves at best: bus width x clock x 2 (DDR) */
    double peak_flops; /* float operations a second, a fused multiply-add counting as two */
};

/* Above that a `minimum` is of a capability whose features no later one has: MINIMUM 90a. */
enum { ALONE = 1000, ALONE_90 = ALONE + 90 };

/* The name is the article's. Counts the devices, asks each its properties and makes the first that
 * serves (compute capability of at least `minimum`, as in 75 for 7.5, or of ALONE_90 that one) the
 * current one; with `wanted` >= 0 only that one will do. Fills in `device` and returns EXIT_MATCH
 * (0).
 *
 * Otherwise prints one line and returns what the program should exit with: EXIT_SKIP where there is
 * no device at all (the line names the emulator) or none that serves, EXIT_USAGE where `wanted` is
 * not a device's number, EXIT_CUDA for any other error (a driver too old is one). */
int InitCUDA(int wanted, int minimum, struct device *device);

#ifdef __cplusplus
}
#endif
#endif
