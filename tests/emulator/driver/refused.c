/* SPDX-License-Identifier: MIT */
/* refused KIND: a call that ends in an error and in one line on stderr. */
#include "expect.h"

#include <string.h>

static void loads(CUresult error, const char *image)
{
    CUmodule module;

    EXPECT_ERROR(error, cuModuleLoadData(&module, image));
}

static void asks_format(void)
{
    const CUDA_ARRAY_DESCRIPTOR video = {4, 4, CU_AD_FORMAT_NV12, 1};
    CUarray array;

    EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED, cuArrayCreate(&array, &video));
}

static void asks_mipmaps(void)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    const CUDA_TEXTURE_DESC description = {0};
    CUtexObject texture;

    EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED,
                 cuTexObjectCreate(&texture, &resource, &description, NULL));
}

static void asks_pointer(void)
{
    CUdeviceptr memory;
    CUmemoryPool pool;

    EXPECT_SUCCESS(cuMemAlloc(&memory, 4));
    EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED,
                 cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory));
}

static CUresult create(CUmemLocationType where, CUmemAllocationHandleType handle)
{
    const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes = handle,
                                      .location.type = where};
    CUmemGenericAllocationHandle made;

    return cuMemCreate(&made, 2 << 20, &kind, 0);
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
    int file;

    own_context(first_device());
    if (!strcmp(kind, "code"))
        loads(CUDA_ERROR_NO_BINARY_FOR_GPU, "\177ELF and so on");
    else if (!strcmp(kind, "other"))
        loads(CUDA_ERROR_INVALID_IMAGE, "not code at all");
    else if (!strcmp(kind, "cut")) /* a header that promises more than there can be */
        loads(CUDA_ERROR_INVALID_IMAGE,
              "\x50\xed\x55\xba\x01\x00\x10\x00\xff\xff\xff\xff\xff\xff\xff\xff");
    else if (!strcmp(kind, "lacking"))
        EXPECT_ERROR(
            CUDA_ERROR_NOT_SUPPORTED,
            cuMemExportToShareableHandle(&file, 0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    else if (!strcmp(kind, "host"))
        EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED,
                     create(CU_MEM_LOCATION_TYPE_HOST, CU_MEM_HANDLE_TYPE_NONE));
    else if (!strcmp(kind, "processes"))
        EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED,
                     create(CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    else if (!strcmp(kind, "formats"))
        asks_format();
    else if (!strcmp(kind, "mipmaps"))
        asks_mipmaps();
    else if (!strcmp(kind, "pointers"))
        asks_pointer();
    else if (!strcmp(kind, "shared"))
        launches();
    return finish();
}
