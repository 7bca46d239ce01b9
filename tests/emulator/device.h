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

#endif
