/* SPDX-License-Identifier: MIT */
/* CHECK(call): where the call fails, a line says so, and the function returns 2. */
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        const cudaError_t error_ = (call);                                               \
        if (error_) {                                                                    \
            std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_)); \
            return 2;                                                                    \
        }                                                                                \
    } while (0)

#endif
