/* SPDX-License-Identifier: MIT */
/* Code that the program brings as text, its functions and variables, and launches of it. */
#include "expect.h"

#include <stddef.h>
#include <string.h>

enum { COUNT = 64 };

static void expect_scaled(CUdeviceptr out, unsigned factor, unsigned offset, int line)
{
    unsigned result[COUNT];

    expect_error(cuMemcpyDtoH(result, out, sizeof(result)), CUDA_SUCCESS, "cuMemcpyDtoH", line);
    for (unsigned i = 0; i < COUNT; i++)
        expect(result[i] == i * factor + offset, "result[i] == i * factor + offset", line);
}

static void launches(CUfunction scale, CUfunction twice)
{
    unsigned factor = 3;
    CUdeviceptr out;
    CUstream stream;

    EXPECT_SUCCESS(cuMemAlloc(&out, COUNT * sizeof(unsigned)));
    void *arguments[] = {&out, &factor};
    EXPECT_SUCCESS(cuLaunchKernel(scale, 2, 1, 1, COUNT / 2, 1, 1, 0, NULL, arguments, NULL));
    expect_scaled(out, 3, 5, __LINE__);

    struct packed {
        CUdeviceptr out;
        unsigned factor;
    } packed = {out, 7};
    size_t size = offsetof(struct packed, factor) + sizeof(packed.factor);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    EXPECT_SUCCESS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    EXPECT_SUCCESS(cuLaunchKernel(scale, 2, 1, 1, COUNT / 2, 1, 1, 0, stream, NULL, extra));
    EXPECT_SUCCESS(cuStreamSynchronize(stream));
    expect_scaled(out, 7, 5, __LINE__);
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE,
                 cuLaunchKernel(scale, 2, 1, 1, COUNT / 2, 1, 1, 0, stream, arguments, extra));
    size = sizeof(packed); /* with what lies behind the last parameter */
    EXPECT_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                 cuLaunchKernel(scale, 2, 1, 1, COUNT / 2, 1, 1, 0, stream, NULL, extra));
    EXPECT_SUCCESS(cuStreamDestroy(stream));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE,
                 cuLaunchKernel(scale, 0, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));

    factor = 11;
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = COUNT,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    EXPECT_SUCCESS(cuLaunchKernelEx(&config, scale, arguments, NULL));
    expect_scaled(out, 11, 5, __LINE__);
    EXPECT_SUCCESS(
        cuLaunchCooperativeKernel(twice, 1, 1, 1, COUNT, 1, 1, COUNT * 4, NULL, arguments));
    expect_scaled(out, 22, 10, __LINE__);
    EXPECT_SUCCESS(cuMemFree(out));
}

static void variables(CUmodule module, CUfunction scale)
{
    unsigned factor = 2, offset = 0;
    CUdeviceptr out, variable = 0;
    size_t size = 0;

    EXPECT_SUCCESS(cuModuleGetGlobal(&variable, &size, module, "offset"));
    EXPECT(variable && size == sizeof(unsigned));
    EXPECT_SUCCESS(cuMemcpyDtoH(&offset, variable, sizeof(offset)));
    EXPECT(offset == 5);
    offset = 100;
    EXPECT_SUCCESS(cuMemcpyHtoD(variable, &offset, sizeof(offset)));
    EXPECT_SUCCESS(cuMemAlloc(&out, COUNT * sizeof(unsigned)));
    void *arguments[] = {&out, &factor};
    EXPECT_SUCCESS(cuLaunchKernel(scale, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL));
    expect_scaled(out, 2, 100, __LINE__);
    EXPECT_SUCCESS(cuMemFree(out));
    EXPECT_ERROR(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&variable, &size, module, "other"));
}

static void attributes(CUfunction twice)
{
    int threads = 0, shared = -1, most = 0, blocks = 0, grid = 0, block = 0;

    EXPECT_SUCCESS(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, twice));
    EXPECT(threads >= 512);
    EXPECT_SUCCESS(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, twice));
    EXPECT(shared == 0);
    EXPECT_SUCCESS(
        cuFuncSetAttribute(twice, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 2048));
    EXPECT_SUCCESS(
        cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, twice));
    EXPECT(most == 2048);
    EXPECT_ERROR(
        CUDA_ERROR_INVALID_VALUE,
        cuFuncSetAttribute(twice, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 28));
    EXPECT_SUCCESS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 1024));
    EXPECT(blocks >= 1);
    EXPECT_SUCCESS(cuOccupancyMaxPotentialBlockSize(&grid, &block, twice, NULL, 0, 100));
    EXPECT(grid >= 1 && block >= 32 && block <= 100);
}

/* What cannot be loaded says why: with the error, and in the buffer that the program gives. */
static void refused(void)
{
    char log[200] = "untouched";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof(log)};
    CUmodule module;

    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(NULL, kernels));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
    EXPECT_ERROR(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/no/such.ptx"));
    EXPECT_ERROR(CUDA_ERROR_INVALID_PTX,
                 cuModuleLoadDataEx(&module, ".version 6.4\n.target sm_75\n.address_size 64\nwhat",
                                    2, options, values));
    EXPECT(strcmp(log, "untouched") != 0 && *log);
}

int main(void)
{
    CUcontext context;
    CUmodule module, same;
    CUfunction scale, twice, none;

    const CUdevice device = first_device();
    EXPECT_SUCCESS(cuDevicePrimaryCtxRetain(&context, device));
    EXPECT_SUCCESS(cuCtxSetCurrent(context));
    EXPECT_SUCCESS(cuModuleLoadData(&module, kernels));
    EXPECT_SUCCESS(cuModuleGetFunction(&scale, module, "scale"));
    EXPECT_SUCCESS(cuModuleGetFunction(&twice, module, "twice"));
    EXPECT_ERROR(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&none, module, "none"));
    EXPECT_SUCCESS(cuFuncGetModule(&same, scale));
    EXPECT(same == module);
    launches(scale, twice);
    variables(module, scale);
    attributes(twice);
    refused();
    EXPECT_SUCCESS(cuModuleUnload(module));
    EXPECT_SUCCESS(cuDevicePrimaryCtxRelease(device));
    return finish();
}
