/* SPDX-License-Identifier: MIT */
/* faults address: a kernel stores where no memory is, and from then on every call returns its
 * error. faults leak: memory and a module are left behind. faults free: what is freed is no
 * allocation. */
#include "expect.h"

#include <string.h>

static CUdeviceptr allocate(void)
{
    CUdeviceptr numbers = 0;

    EXPECT_SUCCESS(cuMemAlloc(&numbers, 4));
    return numbers;
}

static void store_nowhere(void)
{
    CUdeviceptr numbers = 0;
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
        store_nowhere();
    else if (!strcmp(kind, "free"))
        EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemFree(allocate() + 1));
    else
        allocate();
    return finish();
}
