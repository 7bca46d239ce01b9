/* SPDX-License-Identifier: MIT */
/* The switches of the profiler. */
#include "cudart/runtime.h"

#include "cudart/registration.h"

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
