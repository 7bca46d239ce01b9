/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

/* What went wrong, and what to do about it. */
static const struct {
    cudaError_t error;
    const char *hint;
} hints[] = {
    {cudaErrorNoKernelImageForDevice,
     "nothing in this program suits the GPU: rebuild with -DGPU_ARCH=native, or update the driver"},
    {cudaErrorUnsupportedPtxVersion,
     "the driver is older than the toolkit: update it, or rebuild with -DGPU_ARCH=native"},
    {cudaErrorInvalidPtx, "the driver cannot take this PTX: rebuild with -DGPU_ARCH=native"},
    {cudaErrorInsufficientDriver, "the driver is older than the toolkit needs: update the driver, "
                                  "or build with an older toolkit"},
    {cudaErrorMemoryAllocation, "try a smaller --n, or see who else uses the device"},
    {cudaErrorIllegalAddress, "./tour check names the kernel, the line and the thread"},
    {cudaErrorMisalignedAddress, "./tour check names the kernel, the line and the thread"},
    {cudaErrorLaunchFailure, "./tour check names the kernel, the line and the thread"},
    {cudaErrorInvalidConfiguration, "the grid or block is empty or beyond the device's limits"},
    {cudaErrorLaunchOutOfResources, "the block is too large for the kernel's registers: try fewer "
                                    "--threads"},
    {cudaErrorLaunchTimeout, "the device also drives a display, which ends long kernels: try a "
                             "smaller --n"},
    {cudaErrorDevicesUnavailable, "another program has the device to itself"},
};

const char *check_hint(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        if (hints[i].error == error)
            return hints[i].hint;
    }
    return "";
}

void check_vsay(const char *format, va_list arguments)
{
    char line[1024], shown[2048]; /* one write, so that lines of several programs do not mix */

    vsnprintf(line, sizeof(line), format, arguments);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name,
            escape_text(line, strlen(line), shown, sizeof(shown)));
}

void check_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    check_vsay(format, arguments);
    va_end(arguments);
}

/* Is the device older than any that today's toolkit compiles for? */
static bool is_too_old(void)
{
    int device, major;

    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major < 5;
}

int check_report(cudaError_t error, const char *call, const char *file, int line)
{
    const char *hint = check_hint(error);

    if (error == cudaErrorNoKernelImageForDevice && is_too_old()) {
        check_say("needs a newer GPU: this one lacks an instruction or a feature of the kernel");
        return EXIT_SKIP;
    }

    check_say("%s at %s:%d failed: %s (%s)%s%s", call, file, line, cudaGetErrorName(error),
              cudaGetErrorString(error), *hint ? "; " : "", hint);
    return EXIT_CUDA;
}

void check_cuda(cudaError_t error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess)
        exit(check_report(error, call, file, line));
}
