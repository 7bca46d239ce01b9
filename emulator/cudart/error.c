/* SPDX-License-Identifier: MIT */
/* Names and texts of errors, and what is said of those that follow from a fault. */
#include "cudart/runtime.h"

/* The texts of CUDA that are not just the error's name in words. */
static const struct {
    cudaError_t error;
    const char *text;
} texts[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorCudartUnloading, "driver shutting down"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"},
    {cudaErrorMissingConfiguration, "__global__ function call is not configured"},
    {cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"},
    {cudaErrorInvalidPtx, "a PTX JIT compilation failed"},
    {cudaErrorSymbolNotFound, "named symbol not found"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "the launch timed out and was terminated"},
    {cudaErrorAssert, "device-side assert triggered"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "operation not supported"},
    {cudaErrorHostMemoryAlreadyRegistered,
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"},
};

/* All errors of the toolkit, each with its name and the name in words. CMake makes the list from
 * the toolkit's header. */
static const struct {
    cudaError_t error;
    const char *name, *words;
} names[] = {
#define ERROR(error, words) {error, #error, words},
#include "error_names.inc"
#undef ERROR
};

static bool asked; /* what an error is: the program looks at what calls return */
static bool missed; /* a copy that failed */

const char *cudaGetErrorName(cudaError_t error)
{
    asked = true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].error == error)
            return names[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    asked = true;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].error == error)
            return texts[i].text;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].error == error)
            return names[i].words;
    return "unrecognized error code";
}

cudaError_t error_of_copy(cudaError_t error)
{
    missed |= error != cudaSuccess;
    return error;
}

static void explain_failures(void)
{
    runtime_say("after the fault every CUDA call failed because of it");
}

cudaError_t device_failure(const struct runtime *runtime)
{
    struct device *device = runtime->device;

    if (device->sticky && ++device->failures == 2 && !runtime->checks)
        explain_failures();
    return device->sticky;
}

void device_explain_failures(const struct runtime *runtime)
{
    bool is_due = false;

    for (int i = 0; i < runtime->device_count; i++)
        is_due |= runtime->devices[i].failures > 1
                      ? runtime->checks != NULL
                      : runtime->devices[i].failures && missed && !asked;
    if (is_due)
        explain_failures();
}
