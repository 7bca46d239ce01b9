/* SPDX-License-Identifier: MIT */
/* Expectations of a test that talks to the driver: on the emulator, and word for word the same on a
 * GPU. And the kernels that such tests launch. */
#ifndef EXPECT_H
#define EXPECT_H

#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

__attribute__((unused)) static void expect(bool holds, const char *what, int line)
{
    if (holds)
        return;
    failures++;
    printf("line %d: expected %s\n", line, what);
}

static void expect_error(CUresult error, CUresult expected, const char *call, int line)
{
    const char *name = "no name", *wanted = "no name";

    if (error == expected)
        return;
    failures++;
    cuGetErrorName(error, &name);
    cuGetErrorName(expected, &wanted);
    printf("line %d: %s gave %s, not %s\n", line, call, name, wanted);
}

/* A condition holds; a call returns this error; a call succeeds. */
#define EXPECT(condition) expect((condition), #condition, __LINE__)
#define EXPECT_ERROR(error, call) expect_error((call), (error), #call, __LINE__)
#define EXPECT_SUCCESS(call) expect_error((call), CUDA_SUCCESS, #call, __LINE__)

/* Start the driver; where there is none, or no device, CTest is told to skip. */
__attribute__((unused)) static CUdevice first_device(void)
{
    enum { SKIPPED = 77 };
    CUdevice device;

    if (cuInit(0) || cuDeviceGet(&device, 0))
        exit(SKIPPED);
    return device;
}

/* A context of the program's own, as cuCtxCreate() has made it since it first took two
 * arguments. */
__attribute__((unused)) static CUcontext own_context(CUdevice device)
{
    CUcontext context = NULL;

#if CUDA_VERSION >= 13000
    EXPECT_SUCCESS(cuCtxCreate(&context, NULL, 0, device));
#else
    EXPECT_SUCCESS(cuCtxCreate(&context, 0, device));
#endif
    return context;
}

static int finish(void)
{
    if (!failures)
        puts("as expected");
    return failures != 0;
}

/* scale(out, factor): out[thread of the grid] = thread * factor + offset, where offset is a
 * variable.
 * twice(numbers): doubles each, through dynamic shared memory. */
__attribute__((unused)) static const char kernels[] =
    ".version 6.4\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .global .align 4 .u32 offset = 5;\n"
    ".extern .shared .align 4 .b8 room[];\n"
    ".visible .entry scale(.param .u64 out, .param .u32 factor)\n"
    "{\n"
    "    .reg .u32 %r<8>;\n"
    "    .reg .u64 %rd<5>;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    cvta.to.global.u64 %rd2, %rd1;\n"
    "    mul.wide.u32 %rd3, %r4, 4;\n"
    "    add.u64 %rd4, %rd2, %rd3;\n"
    "    ld.param.u32 %r5, [factor];\n"
    "    ld.global.u32 %r6, [offset];\n"
    "    mad.lo.u32 %r7, %r4, %r5, %r6;\n"
    "    st.global.u32 [%rd4], %r7;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry twice(.param .u64 numbers)\n"
    "{\n"
    "    .reg .u32 %r<6>;\n"
    "    .reg .u64 %rd<5>;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    ld.param.u64 %rd1, [numbers];\n"
    "    cvta.to.global.u64 %rd2, %rd1;\n"
    "    mul.wide.u32 %rd3, %r1, 4;\n"
    "    add.u64 %rd4, %rd2, %rd3;\n"
    "    ld.global.u32 %r2, [%rd4];\n"
    "    mov.u32 %r3, room;\n"
    "    mad.lo.u32 %r3, %r1, 4, %r3;\n"
    "    st.shared.u32 [%r3], %r2;\n"
    "    ld.shared.u32 %r4, [%r3];\n"
    "    add.u32 %r5, %r4, %r4;\n"
    "    st.global.u32 [%rd4], %r5;\n"
    "    ret;\n"
    "}\n";

#endif
