/* Error checks for calls of the CUDA runtime. */
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Run a CUDA runtime call; on an error print one line that names the call, file, line, the error and
 * what usually helps, and exit with EXIT_CUDA. */
#define CHECK(call) check_cuda((call), #call, __FILE__, __LINE__)

/* What CHECK calls. Returns only if `error` is cudaSuccess. */
void check_cuda(cudaError_t error, const char *call, const char *file, int line);

/* What usually helps against `error`, in a few words, or "" where we know nothing. */
const char *check_hint(cudaError_t error);

#ifdef __cplusplus
}
#endif
#endif
