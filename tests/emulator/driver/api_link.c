/* SPDX-License-Identifier: MIT */
/* Linking at run time: what one text calls, another one has. */
#include "expect.h"

#include <string.h>

enum { COUNT = 64 };

static const char caller[] = ".version 6.4\n"
                             ".target sm_75\n"
                             ".address_size 64\n"
                             ".extern .func (.param .b32 result) squared(.param .b32 x);\n"
                             ".extern .global .align 4 .u32 start;\n"
                             ".visible .entry squares(.param .u64 out)\n"
                             "{\n"
                             "    .reg .u32 %r<5>;\n"
                             "    .reg .u64 %rd<5>;\n"
                             "    .param .b32 x, result;\n"
                             "    mov.u32 %r1, %tid.x;\n"
                             "    ld.global.u32 %r2, [start];\n"
                             "    add.u32 %r3, %r1, %r2;\n"
                             "    st.param.b32 [x], %r3;\n"
                             "    call (result), squared, (x);\n"
                             "    ld.param.b32 %r4, [result];\n"
                             "    ld.param.u64 %rd1, [out];\n"
                             "    cvta.to.global.u64 %rd2, %rd1;\n"
                             "    mul.wide.u32 %rd3, %r1, 4;\n"
                             "    add.u64 %rd4, %rd2, %rd3;\n"
                             "    st.global.u32 [%rd4], %r4;\n"
                             "    ret;\n"
                             "}\n";

static char called[] = ".version 6.4\n"
                       ".target sm_75\n"
                       ".address_size 64\n"
                       ".visible .global .align 4 .u32 start = 3;\n"
                       ".visible .func (.param .b32 result) squared(.param .b32 x)\n"
                       "{\n"
                       "    .reg .u32 %r<3>;\n"
                       "    ld.param.b32 %r1, [x];\n"
                       "    mul.lo.u32 %r2, %r1, %r1;\n"
                       "    st.param.b32 [result], %r2;\n"
                       "    ret;\n"
                       "}\n";

static void expect_squares(const void *image)
{
    unsigned result[COUNT];
    CUmodule module;
    CUfunction squares;
    CUdeviceptr out;

    EXPECT_SUCCESS(cuModuleLoadData(&module, image));
    EXPECT_SUCCESS(cuModuleGetFunction(&squares, module, "squares"));
    EXPECT_SUCCESS(cuMemAlloc(&out, sizeof(result)));
    void *arguments[] = {&out};
    EXPECT_SUCCESS(cuLaunchKernel(squares, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL));
    EXPECT_SUCCESS(cuMemcpyDtoH(result, out, sizeof(result)));
    for (unsigned i = 0; i < COUNT; i++)
        EXPECT(result[i] == (i + 3) * (i + 3));
    EXPECT_SUCCESS(cuMemFree(out));
    EXPECT_SUCCESS(cuModuleUnload(module));
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    if (!file || fputs(text, file) == EOF || fclose(file))
        exit(1);
}

static void links(const char *name)
{
    CUlinkState state;
    size_t size = 0;
    void *image;

    write_file(name, caller);
    EXPECT_SUCCESS(cuLinkCreate(0, NULL, NULL, &state));
    EXPECT_SUCCESS(cuLinkAddFile(state, CU_JIT_INPUT_PTX, name, 0, NULL, NULL));
    EXPECT_SUCCESS(
        cuLinkAddData(state, CU_JIT_INPUT_PTX, called, sizeof(called), "called", 0, NULL, NULL));
    EXPECT_SUCCESS(cuLinkComplete(state, &image, &size));
    EXPECT(size > 0);
    expect_squares(image);
    EXPECT_SUCCESS(cuLinkDestroy(state));
}

/* Two kernels of one name, a text that is none, a file that is not there. */
static void refused(void)
{
    char log[300] = "untouched", bad[] = ".version 6.4\n.target sm_75\n.address_size 64\nwhat";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof(log)}, *image;
    CUlinkState state;
    size_t size;

    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(0, NULL, NULL, NULL));
    EXPECT_SUCCESS(cuLinkCreate(2, options, values, &state));
    EXPECT_ERROR(CUDA_ERROR_INVALID_PTX,
                 cuLinkAddData(state, CU_JIT_INPUT_PTX, bad, sizeof(bad), NULL, 0, NULL, NULL));
    EXPECT(strcmp(log, "untouched") && log[0]);
    EXPECT_ERROR(CUDA_ERROR_FILE_NOT_FOUND,
                 cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/no/such.ptx", 0, NULL, NULL));
    EXPECT_SUCCESS(
        cuLinkAddData(state, CU_JIT_INPUT_PTX, called, sizeof(called), NULL, 0, NULL, NULL));
    EXPECT_SUCCESS(cuLinkComplete(state, &image, &size));
    EXPECT_SUCCESS(cuLinkDestroy(state));
}

int main(int argc, char **argv)
{
    CUcontext context = own_context(first_device());

    if (argc == 2)
        links(argv[1]);
    refused();
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
