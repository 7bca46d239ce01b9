/* SPDX-License-Identifier: MIT */
/* faults address: a kernel stores where no memory is, and from then on every call returns its
 * error. faults reserved: at addresses where none is mapped; faults denied: to which the device has
 * no access. faults leak: memory and a module are left behind. faults free: what is freed is no
 * allocation. */
#include "expect.h"

#include <string.h>

static CUdeviceptr allocate(void)
{
    CUdeviceptr numbers = 0;

    EXPECT_SUCCESS(cuMemAlloc(&numbers, 4));
    return numbers;
}

/* Addresses, with memory or without, that the device may not use. */
static CUdeviceptr reserve(bool mapped)
{
    enum { SIZE = 4 << 20 };
    const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address = 0;

    EXPECT_SUCCESS(cuMemAddressReserve(&address, SIZE, 0, 0, 0));
    EXPECT_SUCCESS(cuMemCreate(&handle, SIZE, &kind, 0));
    if (mapped)
        EXPECT_SUCCESS(cuMemMap(address, SIZE, 0, handle, 0));
    return address + 256;
}

static void store(CUdeviceptr numbers)
{
    unsigned factor = 1, word;
    CUmodule module;
    CUfunction scale;

    EXPECT_SUCCESS(cuModuleLoadData(&module, kernels));
    EXPECT_SUCCESS(cuModuleGetFunction(&scale, module, "scale"));
    void *arguments[] = {&numbers, &factor};
    EXPECT_SUCCESS(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    EXPECT_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    EXPECT_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&numbers, 4));
    EXPECT_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemcpyDtoH(&word, numbers, 4));
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";

    own_context(first_device());
    if (!strcmp(kind, "address"))
        store(0);
    else if (!strcmp(kind, "reserved") || !strcmp(kind, "denied"))
        store(reserve(!strcmp(kind, "denied")));
    else if (!strcmp(kind, "free"))
        EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemFree(allocate() + 1));
    else
        allocate();
    return finish();
}
