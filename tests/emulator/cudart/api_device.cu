/* Devices, limits, and the errors the API keeps. */
#include "expect.h"

#include <cstring>

static void devices()
{
    int count = 0, device = -1, driver = 0, runtime = 0, value = 0;
    cudaDeviceProp properties;

    EXPECT_SUCCESS(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(count));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT_SUCCESS(cudaGetDevice(&device));
    EXPECT(device == 0);
    EXPECT_SUCCESS(cudaDriverGetVersion(&driver));
    EXPECT_SUCCESS(cudaRuntimeGetVersion(&runtime));
    EXPECT(runtime == CUDART_VERSION && driver >= runtime);

    EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, count));
    EXPECT_SUCCESS(cudaGetDeviceProperties(&properties, 0));
    EXPECT(properties.name[0] && properties.warpSize == 32);
    EXPECT(10 * properties.major + properties.minor >= 75);
    EXPECT(properties.maxThreadsPerBlock == 1024 && properties.maxThreadsDim[2] == 64);
    EXPECT(properties.maxGridSize[0] == 0x7FFFFFFF && properties.maxGridSize[1] == 65535);
    EXPECT(properties.totalConstMem == 65536 && properties.sharedMemPerBlock == 49152);
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount);
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    EXPECT(value > 100000);
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(value == (int)properties.sharedMemPerBlockOptin);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0));
    EXPECT_ERROR(cudaErrorInvalidDevice,
                 cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count));

    /* Is the device modelled? On the emulator 1; on a GPU an error, and none that stays. */
    value = 1;
    if (cudaDeviceGetAttribute(&value, (cudaDeviceAttr)0x454D55, 0))
        EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(value == 1 && cudaGetLastError() == cudaSuccess);
}

static void limits()
{
    size_t value;

    EXPECT_SUCCESS(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    EXPECT(value >= 1024);
    EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    EXPECT_SUCCESS(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    EXPECT(value >= 2 << 20);
    EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    EXPECT_SUCCESS(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount));
    EXPECT(value >= 4096);
    int major;
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT_ERROR(major < 9 ? cudaSuccess : cudaErrorUnsupportedLimit,
                 cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetLimit(&value, (cudaLimit)99));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
}

static void errors_are_kept_until_asked_for()
{
    void *p;

    EXPECT_SUCCESS(cudaGetLastError());
    EXPECT(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    EXPECT_SUCCESS(cudaGetLastError());
    EXPECT_SUCCESS(cudaPeekAtLastError());
}

static void names()
{
    EXPECT(!strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"));
    EXPECT(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
    EXPECT(!strcmp(cudaGetErrorName(cudaErrorUnknown), "cudaErrorUnknown"));
    EXPECT(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorMisalignedAddress), "misaligned address"));
    EXPECT(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
}

int main()
{
    devices();
    limits();
    errors_are_kept_until_asked_for();
    names();
    return finish();
}
