/* SPDX-License-Identifier: MIT */
/* Compile a kernel from a string, load its PTX or its machine code, and launch it. */
#include "expect.h"

#include <nvrtc.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, THREADS = 128 };

static const char source[] =
    "template <typename T> __device__ T square(T x) { return x * x; }\n"
    "extern \"C\" __global__ void squares(const float *in, float *out, int n)\n"
    "{\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        out[i] = square(in[i]);\n"
    "}\n";

typedef nvrtcResult size_getter(nvrtcProgram program, size_t *size);
typedef nvrtcResult getter(nvrtcProgram program, char *code);

/* The source as PTX or machine code, which the caller frees. */
static char *compile(int count, const char *const *options, size_getter *get_size, getter *get)
{
    nvrtcProgram program;
    size_t size = 0;

    EXPECT(!nvrtcCreateProgram(&program, source, "squares.cu", 0, NULL, NULL));
    EXPECT(!nvrtcCompileProgram(program, count, options));
    EXPECT(!get_size(program, &size) && size);
    char *code = malloc(size);
    EXPECT(code && !get(program, code));
    EXPECT(!nvrtcDestroyProgram(&program));
    return code;
}

/* Frees the code. */
static void expect_squares(char *code)
{
    float in[COUNT], out[COUNT];
    CUdeviceptr d_in, d_out;
    CUmodule module;
    CUfunction squares;
    int n = COUNT;

    EXPECT_SUCCESS(cuModuleLoadData(&module, code));
    free(code);
    EXPECT_SUCCESS(cuModuleGetFunction(&squares, module, "squares"));
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)i / 7;
    EXPECT_SUCCESS(cuMemAlloc(&d_in, sizeof(in)));
    EXPECT_SUCCESS(cuMemAlloc(&d_out, sizeof(out)));
    EXPECT_SUCCESS(cuMemcpyHtoD(d_in, in, sizeof(in)));
    void *arguments[] = {&d_in, &d_out, &n};
    EXPECT_SUCCESS(cuLaunchKernel(squares, (COUNT + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0,
                                  NULL, arguments, NULL));
    EXPECT_SUCCESS(cuMemcpyDtoH(out, d_out, sizeof(out)));
    for (int i = 0; i < COUNT; i++)
        EXPECT(out[i] == in[i] * in[i]);
    EXPECT_SUCCESS(cuMemFree(d_in));
    EXPECT_SUCCESS(cuMemFree(d_out));
    EXPECT_SUCCESS(cuModuleUnload(module));
}

int main(void)
{
    const CUdevice device = first_device();
    const CUcontext context = own_context(device);
    char architecture[40];
    int major = 0, minor = 0;

    const char *ptx[] = {"--gpu-architecture=compute_75", "-lineinfo"};
    expect_squares(compile(2, ptx, nvrtcGetPTXSize, nvrtcGetPTX));
    EXPECT_SUCCESS(
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EXPECT_SUCCESS(
        cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    snprintf(architecture, sizeof(architecture), "--gpu-architecture=sm_%d%d", major, minor);
    const char *one[] = {"-lineinfo", architecture};
    expect_squares(compile(2, one, nvrtcGetCUBINSize, nvrtcGetCUBIN));
    const char *two[] = {"-arch", architecture + strlen("--gpu-architecture=")};
    expect_squares(compile(2, two, nvrtcGetCUBINSize, nvrtcGetCUBIN));
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
