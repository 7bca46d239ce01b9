/* SPDX-License-Identifier: MIT */
/* Compile a kernel from a string, load its PTX, and launch it. */
#include "expect.h"

#include <nvrtc.h>
#include <stdlib.h>

enum { COUNT = 1000, THREADS = 128 };

static const char source[] =
    "template <typename T> __device__ T square(T x) { return x * x; }\n"
    "extern \"C\" __global__ void squares(const float *in, float *out, int n)\n"
    "{\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        out[i] = square(in[i]);\n"
    "}\n";

/* The PTX of the source, which the caller frees. */
static char *compile(void)
{
    const char *options[] = {"--gpu-architecture=compute_75", "-lineinfo"};
    nvrtcProgram program;
    size_t size = 0;

    EXPECT(!nvrtcCreateProgram(&program, source, "squares.cu", 0, NULL, NULL));
    EXPECT(!nvrtcCompileProgram(program, 2, options));
    EXPECT(!nvrtcGetPTXSize(program, &size));
    char *ptx = malloc(size);
    EXPECT(ptx && !nvrtcGetPTX(program, ptx));
    EXPECT(!nvrtcDestroyProgram(&program));
    return ptx;
}

int main(void)
{
    float in[COUNT], out[COUNT];
    CUdeviceptr d_in, d_out;
    CUmodule module;
    CUfunction squares;
    int n = COUNT;

    const CUcontext context = own_context(first_device());
    char *ptx = compile();
    EXPECT_SUCCESS(cuModuleLoadData(&module, ptx));
    free(ptx);
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
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
