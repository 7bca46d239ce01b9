/* Ways past the runtime to the driver, which an emulated device does not have, and the profiler's
 * switches. */
#include "cudart/runtime.h"

#include "cudart/registration.h"

/* Programs of before 12.5 ask for an entry point without a version. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cudaError_t no_entry_point(void **function, enum cudaDriverEntryPointQueryResult *status)
{
    if (!function)
        return cudaErrorInvalidValue;
    *function = NULL;
    if (status)
        *status = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return API(runtime, symbol ? no_entry_point(function, status) : cudaErrorInvalidValue);
}
PER_THREAD(cudaGetDriverEntryPoint, ptsz);

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    (void)version, (void)flags;
    return API(runtime, symbol ? no_entry_point(function, status) : cudaErrorInvalidValue);
}
PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz);
#endif

/* Each one begins a range of the profile, so that what a program does in turn is told apart. */
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
