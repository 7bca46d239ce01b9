/* SPDX-License-Identifier: MIT */
/* Device memory of a step: inputs copied in, outputs that start poisoned and end in a guard.
 *
 * All of these end the program as CHECK does where CUDA reports an error.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MEMORY_POISON = 0xFF, MEMORY_GUARD = 0xA5, MEMORY_GUARD_BYTES = 256 };

/* A device copy (cudaMalloc, cudaMemcpy) of `count` numbers of `type` at `host`. */
#define device_input(type, host, count) \
    ((type *)memory_input((host), (size_t)(count) * sizeof(type)))

/* Room on the device (cudaMalloc) for `count` results of `type`. Before every run of TIMED they are
 * filled with 0xFF, so that a result nobody wrote is seen; guard bytes behind them catch a kernel
 * that writes past the end. */
#define device_output(type, run, count) \
    ((type *)memory_output((run), (size_t)(count) * sizeof(type)))

/* The same for `rows` rows of `width` numbers (cudaMallocPitch): *pitch becomes the bytes from one
 * row to the next. */
#define device_output_pitched(type, run, width, rows, pitch) \
    ((type *)memory_output_pitched((run), (size_t)(width) * sizeof(type), (size_t)(rows), (pitch)))

/* Copy `count` results of `type` back to `host` (cudaMemcpy). */
#define device_fetch(type, host, device, count) \
    memory_fetch((host), (device), (size_t)(count) * sizeof(type))

/* Free (cudaFree) an input or an output. An output leaves its run. NULL is nothing. */
void device_free(struct run *run, void *device);

void *memory_input(const void *host, size_t bytes);
void *memory_output(struct run *run, size_t bytes);
void *memory_output_pitched(struct run *run, size_t width, size_t rows, size_t *pitch);
void memory_fetch(void *host, const void *device, size_t bytes);

/* Fill the outputs of `run` with MEMORY_POISON, if the run wants that. */
void memory_poison(const struct run *run);

/* Look at the guards of `run`, if it has them, and note the first byte found changed in
 * run->overrun. */
void memory_check_guards(struct run *run);

/* Ask before anything is allocated: an input of `bytes` on the host and as much on the device. On a
 * modelled device the host holds both. Returns -1 where there is room; else prints one line that
 * says how much is needed and how much there is, and returns EXIT_USAGE. */
int memory_refuse(const struct device *device, size_t bytes);

/* Host memory; prints one line and exits with EXIT_CUDA where there is none. 0 bytes are fine. */
void *memory_host(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
