/* SPDX-License-Identifier: MIT */
/* What the stand-ins for NVIDIA's libraries (emulator/libraries) ask of the runtime: work that the
 * CPU does in the order of a stream, on the device's memory. It takes no modelled time. */
#ifndef HOSTED_H
#define HOSTED_H

/* Everything that the toolkit declares is exported. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/* A call of a library: the first member of a struct of `size` bytes that has the arguments too. */
struct hosted_call {
    const char *name; /* as the program calls it; lives as long as the process */
    void (*run)(const struct hosted_call *call); /* without the lock; must not use the CUDA API */
    size_t size;
    bool again; /* the rest of a call that was counted before */
};

/* Do the call after the earlier work of the stream, or record it if the stream is captured: graphs
 * keep a copy of the struct. Returns what is wrong with the stream, or went wrong in the call. */
cudaError_t __cudaEmuHosted(const struct hosted_call *call, cudaStream_t stream);

/* Where the CPU has what kernels find at `address`. */
void *__cudaEmuPointer(const void *address);

/* Memory that a running call reads or writes: `rows` rows of `width` bytes, `pitch` bytes apart. */
struct hosted_memory {
    const char *what; /* the parameter's name */
    const void *start; /* where the CPU has it */
    size_t width, pitch, rows;
    bool reads, writes;
};

/* May the call touch that memory? Where a kernel could not, this prints a line, later calls of the
 * CUDA API return cudaErrorIllegalAddress, and the answer is no. The checkers hear of it. */
bool __cudaEmuReach(const struct hosted_call *call, const struct hosted_memory *memory);

/* Print the line of a function that is not emulated; `about` says which library it is of. */
void __cudaEmuLacks(const char *function, const char *about);
/* Print a line, which counts for --error-exitcode. */
void __cudaEmuComplain(const char *line);
#pragma GCC visibility pop

#endif
