/* SPDX-License-Identifier: MIT */
/* Functions of the driver by their names, for both fronts, and what is not emulated. */
#include "driver/driver.h"

#include "cudart/lacking.h"
#include "driver/lacking.h"

/* Programs built before CUDA 12.5 ask for an entry point without a version. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int driver_lacks(const char *function)
{
    const struct runtime_thread before = runtime_aside();
    struct runtime *runtime = runtime_enter();

    runtime_complain(runtime, "%s() is not emulated (%s)", function, family_of(function));
    runtime_unlock(runtime);
    runtime_resume(before);
    return CUDA_ERROR_NOT_SUPPORTED;
}

cudaError_t driver_supports_no(const char *what)
{
    return ASIDE(runtime,
                 (runtime_complain(runtime, "%s are not supported", what), cudaErrorNotSupported));
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    const cuuint64_t known_flags =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    CUdriverProcAddressQueryResult ignored;
    bool known;

    status = status ? status : &ignored;
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!symbol || !*symbol || !function || flags & ~known_flags)
        return CUDA_ERROR_INVALID_VALUE;
    *function = driver_function(symbol, version,
                                flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &known);
    if (*function)
        *status = CU_GET_PROC_ADDRESS_SUCCESS;
    else if (known)
        *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return CUDA_SUCCESS; /* with no function and a status that says why not */
}
PER_THREAD(cuGetProcAddress_v2, ptsz);

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

static cudaError_t entry_point(const char *symbol, unsigned version, void **function,
                               unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *status)
{
    CUdriverProcAddressQueryResult found;

    if (!symbol || !function)
        return cudaErrorInvalidValue;
    const CUresult result = cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return cudaErrorInvalidValue;
    if (status)
        *status = (enum cudaDriverEntryPointQueryResult)found;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return ASIDE(runtime, entry_point(symbol, CUDART_VERSION, function, flags, status));
}
PER_THREAD(cudaGetDriverEntryPoint, ptsz);

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    return ASIDE(runtime, entry_point(symbol, version, function, flags, status));
}
PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz);
#endif
