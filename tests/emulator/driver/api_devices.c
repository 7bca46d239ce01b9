/* SPDX-License-Identifier: MIT */
/* The driver's view of two devices: each has a primary context, and the current one says where a
 * call works. Needs two; with one it ends with 77. */
#include "expect.h"

static CUcontext context[2];

static void contexts(void)
{
    CUdevice device = -1;
    CUcontext current;

    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cuDeviceGet(&device, i));
        EXPECT_SUCCESS(cuDevicePrimaryCtxRetain(&context[i], device));
    }
    EXPECT(context[0] != context[1]);
    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cuCtxSetCurrent(context[i]));
        EXPECT_SUCCESS(cuCtxGetDevice(&device));
        EXPECT(device == i);
        EXPECT_SUCCESS(cuCtxGetCurrent(&current));
        EXPECT(current == context[i]);
    }
    EXPECT_SUCCESS(cuCtxPushCurrent(context[0]));
    EXPECT_SUCCESS(cuCtxGetDevice(&device));
    EXPECT(device == 0);
    EXPECT_SUCCESS(cuCtxPopCurrent(&current));
    EXPECT(current == context[0]);
    EXPECT_SUCCESS(cuCtxGetDevice(&device));
    EXPECT(device == 1);
}

static void memory(void)
{
    CUdeviceptr block[2];
    int ordinal = -1, can = 0, value = 0;

    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cuCtxSetCurrent(context[i]));
        EXPECT_SUCCESS(cuMemAlloc(&block[i], sizeof(int)));
        EXPECT_SUCCESS(cuMemsetD32(block[i], 7 + (unsigned)i, 1));
        EXPECT_SUCCESS(cuCtxSynchronize());
    }
    EXPECT_SUCCESS(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, block[1]));
    EXPECT(ordinal == 1);
    EXPECT_SUCCESS(cuMemcpyPeer(block[0], context[0], block[1], context[1], sizeof(int)));
    EXPECT_SUCCESS(cuMemcpyDtoH(&value, block[0], sizeof(int)));
    EXPECT(value == 8);
    EXPECT_SUCCESS(cuDeviceCanAccessPeer(&can, 1, 0));
    if (can) {
        EXPECT_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(context[0]));
        EXPECT_SUCCESS(cuCtxEnablePeerAccess(context[0], 0));
        EXPECT_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(context[0], 0));
        EXPECT_SUCCESS(cuCtxDisablePeerAccess(context[0]));
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cuMemFree(block[i]));
        EXPECT_SUCCESS(cuDevicePrimaryCtxRelease(i));
    }
}

int main(void)
{
    int count = 0;

    first_device();
    EXPECT_SUCCESS(cuDeviceGetCount(&count));
    if (count < 2)
        return 77;
    contexts();
    memory();
    return finish();
}
