/* SPDX-License-Identifier: MIT */
/* refused KIND: a call that ends in an error and in one line on stderr. */
#include "expect.h"

#include <string.h>

static void loads(CUresult error, const char *image)
{
    CUmodule module;

    EXPECT_ERROR(error, cuModuleLoadData(&module, image));
}

static void launches(void)
{
    CUdeviceptr numbers;
    CUmodule module;
    CUfunction twice;

    EXPECT_SUCCESS(cuMemAlloc(&numbers, 4));
    EXPECT_SUCCESS(cuModuleLoadData(&module, kernels));
    EXPECT_SUCCESS(cuModuleGetFunction(&twice, module, "twice"));
    void *arguments[] = {&numbers};
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE,
                 cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 50000, NULL, arguments, NULL));
    EXPECT_SUCCESS(cuMemFree(numbers));
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    CUdeviceptr address;

    own_context(first_device());
    if (!strcmp(kind, "code"))
        loads(CUDA_ERROR_NO_BINARY_FOR_GPU, "\177ELF and so on");
    else if (!strcmp(kind, "other"))
        loads(CUDA_ERROR_INVALID_IMAGE, "not code at all");
    else if (!strcmp(kind, "lacking"))
        EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED, cuMemAddressReserve(&address, 4096, 0, 0, 0));
    else if (!strcmp(kind, "shared"))
        launches();
    return finish();
}
