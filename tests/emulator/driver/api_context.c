/* SPDX-License-Identifier: MIT */
/* The driver's start, its device, its contexts. */
#include "expect.h"

#include <pthread.h>
#include <string.h>

static void before_start(void)
{
    CUdevice device;
    CUdeviceptr memory;
    int version;
    const char *text;

    EXPECT_ERROR(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
    EXPECT_ERROR(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&memory, 4));
    EXPECT_SUCCESS(cuDriverGetVersion(&version));
    EXPECT(version >= 12000);
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    EXPECT_SUCCESS(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    EXPECT(!strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"));
    EXPECT_SUCCESS(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    EXPECT(!strcmp(text, "invalid argument"));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    EXPECT(!text);
}

static void asks_device(CUdevice device)
{
    char name[100] = "";
    int count = 0, major = 0, warp = 0, threads = 0;
    size_t bytes = 0;

    EXPECT_SUCCESS(cuDeviceGetCount(&count));
    EXPECT(count >= 1);
    EXPECT_ERROR(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, count));
    EXPECT_SUCCESS(cuDeviceGetName(name, sizeof(name), 0));
    EXPECT(*name);
    EXPECT_SUCCESS(cuDeviceTotalMem(&bytes, 0));
    EXPECT(bytes > 1 << 20);
    EXPECT_SUCCESS(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    EXPECT(warp == 32);
    EXPECT_SUCCESS(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    EXPECT_SUCCESS(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    EXPECT(major >= 1 && threads >= 512);
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_MAX, 0));
}

/* Another thread is in no context until it says so. */
static void *in_thread(void *context)
{
    CUdeviceptr memory;

    EXPECT_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&memory, 4));
    EXPECT_SUCCESS(cuCtxPushCurrent(context));
    EXPECT_SUCCESS(cuMemAlloc(&memory, 4));
    EXPECT_SUCCESS(cuMemFree(memory));
    return NULL;
}

/* Contexts are a stack of each thread; a destroyed one can no longer be used. */
static void contexts(CUdevice device)
{
    CUcontext primary, own, found;
    CUdeviceptr memory = 0;
    CUdevice of_context = -1;
    pthread_t thread;
    unsigned flags;
    int active = -1;

    EXPECT_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&memory, 4));
    EXPECT_SUCCESS(cuCtxGetCurrent(&found));
    EXPECT(!found);
    EXPECT_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&found));
    EXPECT_SUCCESS(cuDevicePrimaryCtxGetState(device, &flags, &active));
    EXPECT(!active);
    EXPECT_SUCCESS(cuDevicePrimaryCtxRetain(&primary, device));
    EXPECT_SUCCESS(cuDevicePrimaryCtxGetState(device, &flags, &active));
    EXPECT(active);
    EXPECT_SUCCESS(cuCtxSetCurrent(primary));
    EXPECT_SUCCESS(cuMemAlloc(&memory, 4));
    EXPECT_SUCCESS(cuCtxGetDevice(&of_context));
    EXPECT(of_context == device);
    EXPECT(!pthread_create(&thread, NULL, in_thread, primary) && !pthread_join(thread, NULL));

    own = own_context(device);
    EXPECT(own && own != primary);
    EXPECT_SUCCESS(cuCtxGetCurrent(&found));
    EXPECT(found == own);
    EXPECT_SUCCESS(cuCtxPushCurrent(primary));
    EXPECT_SUCCESS(cuCtxPopCurrent(&found));
    EXPECT(found == primary);
    EXPECT_SUCCESS(cuCtxSynchronize());
    EXPECT_SUCCESS(cuCtxDestroy(own));
    EXPECT_SUCCESS(cuCtxGetCurrent(&found));
    EXPECT(found == primary);
    EXPECT_SUCCESS(cuMemFree(memory));
    EXPECT_SUCCESS(cuCtxSetCurrent(NULL));
    EXPECT_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    EXPECT_SUCCESS(cuDevicePrimaryCtxRelease(device));
    EXPECT_ERROR(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(device));
}

/* Functions by their names, in the version that the program was built for. */
static void by_name(void)
{
    CUdriverProcAddressQueryResult status;
    CUresult (*get_count)(int *) = NULL;
    int count = 0;
    void *first = NULL, *second = NULL;

    EXPECT_SUCCESS(cuGetProcAddress("cuDeviceGetCount", (void **)&get_count, 12000, 0, &status));
    EXPECT(status == CU_GET_PROC_ADDRESS_SUCCESS);
    EXPECT(get_count && !get_count(&count) && count >= 1);
    EXPECT_SUCCESS(cuGetProcAddress("cuMemAlloc", &first, 2000, 0, &status));
    EXPECT_SUCCESS(cuGetProcAddress("cuMemAlloc", &second, 3020, 0, &status));
    EXPECT(first && second == (void *)cuMemAlloc && first != second);
    EXPECT_SUCCESS(cuGetProcAddress("cuLaunchKernelEx", &first, 11000, 0, &status));
    EXPECT(status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT_SUCCESS(cuGetProcAddress("cuNever", &first, 12000, 0, &status));
    EXPECT(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !first);
    EXPECT_SUCCESS(cuGetProcAddress("cuNever", &first, 12000, 0, NULL));
}

/* As NVIDIA's samples make theirs since CUDA 13. */
static void created_with_no_parameters(CUdevice device)
{
#if CUDA_VERSION >= 13000
    CUctxCreateParams nothing = {0};
    CUcontext context;

    EXPECT_SUCCESS(cuCtxCreate(&context, &nothing, 0, device));
    EXPECT_SUCCESS(cuCtxDestroy(context));
#else
    (void)device;
#endif
}

int main(void)
{
    before_start();
    const CUdevice device = first_device();
    asks_device(device);
    contexts(device);
    created_with_no_parameters(device);
    by_name();
    return finish();
}
