/* SPDX-License-Identifier: MIT */
/* Where a .ptx test runs: on the emulator (device_emulator.c, run_ptx) or on a GPU (device_gpu.c,
 * run_ptx_gpu). The second is the judge of the tests themselves. */
#ifndef DEVICE_H
#define DEVICE_H

#include "expect.h"

/* What became of a run. */
struct outcome {
    enum stage failed; /* STAGE_NONE: nothing did */
    char message[1024];
    uint8_t *out; /* the array of results; the caller's to free */
};

/* Each device has its ways to run a test, all with one result: names, up to a NULL. */
extern const char *const device_ways[];

/* Run `text` and fill `outcome`. Returns 0, or the exit code of a test that cannot be run here,
 * after a line on stderr: 2, or 77 where there is no device for it. */
int device_run(const char *text, const struct expectation *expectation, int way,
               struct outcome *outcome);

/* Kernels k<first> to k<first + count - 1> of one module, each launched with the addresses of its
 * own log and of the input. */
struct batch {
    const char *text;
    bool old; /* the first GPUs run them, too */
    uint32_t first, count;
    struct dim grid, block;
    const void *input;
    size_t input_bytes, log_bytes;
};

/* Ways to run a batch, up to a NULL; the first is the fastest. */
extern const char *const batch_ways[];

/* Run it on `logs`, one behind the other, which keep what no kernel writes. Returns 0, or an exit
 * code after a line on stderr: 1 where something fails or is found, 77 without a device. */
int device_run_batch(const struct batch *batch, int way, uint8_t *logs);

#endif
