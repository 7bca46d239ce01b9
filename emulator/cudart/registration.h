/* SPDX-License-Identifier: MIT */
/* Functions that the runtime exports and cuda_runtime_api.h does not declare: what nvcc's generated
 * code calls, and the profiler's switches, whose header not every toolkit comes with. */
#ifndef REGISTRATION_H
#define REGISTRATION_H

#include "cudart/runtime.h"

#if CUDART_VERSION < 12010
typedef struct CUkern_st *cudaKernel_t;
#endif

#pragma GCC visibility push(default)

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
char __cudaInitModule(void **handle);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream);

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#pragma GCC visibility pop

#endif
