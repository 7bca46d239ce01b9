/* SPDX-License-Identifier: MIT */
/* Access to functions of the driver, of which the emulator has one, and the switches of the
 * profiler. */
#include "cudart/runtime.h"

#include "cudart/registration.h"
#include "cudart/tensor.h"

/* Programs built before CUDA 12.5 ask for an entry point without a version. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cudaError_t entry_point(const char *symbol, unsigned version, void **function,
                               enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !function)
        return cudaErrorInvalidValue;
    *function = tensor_entry_point(symbol, version);
    if (status)
        *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return ASIDE(runtime, entry_point(symbol, CUDART_VERSION, function, status));
}
PER_THREAD(cudaGetDriverEntryPoint, ptsz);

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return ASIDE(runtime, entry_point(symbol, version, function, status));
}
PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz);
#endif

/* Each call begins a new range of the profile, so that the parts of a program can be told apart. */
static cudaError_t start_profiler(struct runtime *runtime)
{
    if (runtime->profile)
        profile_next_range(runtime->profile);
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    return API(runtime, start_profiler(runtime));
}

cudaError_t cudaProfilerStop(void)
{
    return API(runtime, cudaSuccess);
}
