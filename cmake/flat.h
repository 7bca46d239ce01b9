/* SPDX-License-Identifier: MIT
 *
 * nvcc puts this in front of each source: cuda_runtime.h as Flat.cmake keeps it, unless an option
 * or another GPU makes it another text.
 */
#ifndef FLAT_CUDA_RUNTIME_H
#define FLAT_CUDA_RUNTIME_H
#if !defined(NDEBUG) || !defined(__OPTIMIZE__) || defined(__USE_FAST_MATH__) || \
    defined(__CUDACC_RDC__) || defined(__CUDACC_EWP__) || defined(__CUDACC_EXTENDED_LAMBDA__) || \
    defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(CUDA_ENABLE_DEPRECATED) || \
    defined(CUDA_FORCE_CDP1_IF_SUPPORTED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 750)
#include_next <cuda_runtime.h>
#elif defined(__CUDA_ARCH__)
#include "device.h"
#else
#include "host.h"
#endif
#endif
