/* SPDX-License-Identifier: MIT */
/* A CUDA runtime of nothing but host memory, for tests of common/: its devices are what a test says
 * they are, and its calls fail when a test wants them to. It takes the place of the toolkit's
 * functions at link time; names and texts of errors remain the toolkit's. */
#ifndef FAKE_CUDART_H
#define FAKE_CUDART_H

#include <stdbool.h>
#include <stddef.h>
#include <cuda_runtime_api.h>

enum { FAKE_DEVICES = 4, FAKE_LOG = 4096 };

struct fake_device {
    const char *name;
    bool modelled, sampled;
    int major, minor, multiprocessors;
    int clock_khz, memory_khz, bus_bits, l2_bytes;
    size_t memory;
};

struct fake {
    struct fake_device devices[FAKE_DEVICES];
    int device_count, current;
    int driver, runtime;
    size_t free_bytes; /* what cudaMemGetInfo says */

    /* The next call whose letter (see below) is this returns `error` instead of doing its work. */
    char fails;
    cudaError_t error;

    const float *ms; /* what cudaEventElapsedTime says, one after the other; NULL: always 1 ms */
    int elapsed; /* how often it was asked */
    int live; /* allocations and events not freed */

    /* A letter a call, in order: N count, P properties, T attribute, D set device, V driver
     * version, U runtime version, A allocate, F free, C copy, S set memory, M memory info,
     * E create event, X destroy event, R record, Y synchronize, L last error. */
    char log[FAKE_LOG];
    size_t logged;
};

extern struct fake fake;

/* One device, like an H100, that never fails, and an empty log. */
void fake_reset(void);

/* Put a letter of a test's own into the log. */
void fake_note(char letter);

#endif
