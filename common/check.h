/* SPDX-License-Identifier: MIT */
/* Error checks for calls of the CUDA runtime. */
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Run a CUDA runtime call; on an error print one line that names the call, file, line, the error
 * and what usually helps, and exit with EXIT_CUDA. */
#define CHECK(call) check_cuda((call), #call, __FILE__, __LINE__)

/* What CHECK calls. Returns only if `error` is cudaSuccess. */
void check_cuda(cudaError_t error, const char *call, const char *file, int line);

/* The line of CHECK, for those who go on: prints it and returns EXIT_CUDA. */
int check_report(cudaError_t error, const char *call, const char *file, int line);

/* What usually helps against `error`, in a few words, or "" where we know nothing. */
const char *check_hint(cudaError_t error);

/* One line on stderr: the program's name, then the message (printf's format, no newline). */
void check_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_vsay(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#ifdef __cplusplus
}
#endif
#endif
