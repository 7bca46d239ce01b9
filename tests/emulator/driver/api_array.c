/* SPDX-License-Identifier: MIT */
/* Arrays, what is copied to and from them, and a texture and a surface that kernels read and
 * write. */
#include "expect.h"

#include <string.h>

enum { WIDTH = 8, HEIGHT = 4 };

/* fetch(out, texture): out[y][x] = the texel there. store(surface): each texel is 10 * y + x. */
static const char texels[] = ".version 6.4\n"
                             ".target sm_75\n"
                             ".address_size 64\n"
                             ".visible .entry fetch(.param .u64 out, .param .u64 texture)\n"
                             "{\n"
                             "    .reg .u32 %r<4>;\n"
                             "    .reg .f32 %f<4>;\n"
                             "    .reg .u64 %rd<6>;\n"
                             "    mov.u32 %r1, %tid.x;\n"
                             "    mov.u32 %r2, %tid.y;\n"
                             "    mad.lo.u32 %r3, %r2, 8, %r1;\n"
                             "    ld.param.u64 %rd1, [out];\n"
                             "    cvta.to.global.u64 %rd2, %rd1;\n"
                             "    mul.wide.u32 %rd3, %r3, 4;\n"
                             "    add.u64 %rd4, %rd2, %rd3;\n"
                             "    ld.param.u64 %rd5, [texture];\n"
                             "    tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd5, {%r1, %r2}];\n"
                             "    st.global.f32 [%rd4], %f0;\n"
                             "    ret;\n"
                             "}\n"
                             ".visible .entry store(.param .u64 surface)\n"
                             "{\n"
                             "    .reg .u32 %r<5>;\n"
                             "    .reg .f32 %f<2>;\n"
                             "    .reg .u64 %rd<2>;\n"
                             "    mov.u32 %r1, %tid.x;\n"
                             "    mov.u32 %r2, %tid.y;\n"
                             "    mad.lo.u32 %r3, %r2, 10, %r1;\n"
                             "    cvt.rn.f32.u32 %f1, %r3;\n"
                             "    shl.b32 %r4, %r1, 2;\n"
                             "    ld.param.u64 %rd1, [surface];\n"
                             "    sust.b.2d.b32.trap [%rd1, {%r4, %r2}], {%f1};\n"
                             "    ret;\n"
                             "}\n";

/* Rows of memory of the host to the array, or back. */
static void copy_rows(CUarray array, float *rows, bool to_array)
{
    CUDA_MEMCPY2D copy = {.WidthInBytes = WIDTH * sizeof(float), .Height = HEIGHT};

    copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    if (to_array) {
        copy.srcHost = rows;
        copy.dstArray = array;
    } else {
        copy.dstHost = rows;
        copy.srcArray = array;
    }
    EXPECT_SUCCESS(cuMemcpy2D(&copy));
}

static CUarray make_array(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR given = {.Width = WIDTH,
                                           .Height = HEIGHT,
                                           .Format = CU_AD_FORMAT_FLOAT,
                                           .NumChannels = 1,
                                           .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_ARRAY_DESCRIPTOR found = {0};
    CUarray array = NULL;

    EXPECT_SUCCESS(cuArray3DCreate(&array, &given));
    EXPECT_SUCCESS(cuArrayGetDescriptor(&found, array));
    EXPECT(found.Width == WIDTH && found.Height == HEIGHT && found.NumChannels == 1);
    EXPECT(found.Format == CU_AD_FORMAT_FLOAT);
    return array;
}

static void reads(CUmodule module, CUarray array)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res = {.array = {array}}};
    const CUDA_TEXTURE_DESC description = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
    float rows[HEIGHT][WIDTH], result[HEIGHT][WIDTH];
    CUtexObject texture = 0;
    CUfunction fetch;
    CUdeviceptr out;

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        (&rows[0][0])[i] = 0.5F * (float)i;
    copy_rows(array, &rows[0][0], true);
    EXPECT_SUCCESS(cuTexObjectCreate(&texture, &resource, &description, NULL));
    EXPECT_SUCCESS(cuModuleGetFunction(&fetch, module, "fetch"));
    EXPECT_SUCCESS(cuMemAlloc(&out, sizeof(result)));
    void *arguments[] = {&out, &texture};
    EXPECT_SUCCESS(cuLaunchKernel(fetch, 1, 1, 1, WIDTH, HEIGHT, 1, 0, NULL, arguments, NULL));
    EXPECT_SUCCESS(cuMemcpyDtoH(result, out, sizeof(result)));
    EXPECT(!memcmp(rows, result, sizeof(rows)));
    EXPECT_SUCCESS(cuTexObjectDestroy(texture));
    EXPECT_SUCCESS(cuMemFree(out));
}

static void writes(CUmodule module, CUarray array)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res = {.array = {array}}};
    float rows[HEIGHT][WIDTH];
    CUsurfObject surface = 0;
    CUfunction store;

    EXPECT_SUCCESS(cuSurfObjectCreate(&surface, &resource));
    EXPECT_SUCCESS(cuModuleGetFunction(&store, module, "store"));
    void *arguments[] = {&surface};
    EXPECT_SUCCESS(cuLaunchKernel(store, 1, 1, 1, WIDTH, HEIGHT, 1, 0, NULL, arguments, NULL));
    copy_rows(array, &rows[0][0], false);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            EXPECT(rows[y][x] == (float)(10 * y + x));
    EXPECT_SUCCESS(cuSurfObjectDestroy(surface));
}

/* Bytes of an array that has one row. */
static void runs(void)
{
    const CUDA_ARRAY_DESCRIPTOR given = {16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    CUarray array = NULL;

    EXPECT_SUCCESS(cuArrayCreate(&array, &given));
    EXPECT_SUCCESS(cuMemcpyHtoA(array, 3, bytes, sizeof(bytes)));
    EXPECT_SUCCESS(cuMemcpyAtoH(back, array, 3, sizeof(back)));
    EXPECT(!memcmp(bytes, back, sizeof(bytes)));
    EXPECT_SUCCESS(cuArrayDestroy(array));
}

int main(void)
{
    CUmodule module;

    const CUcontext context = own_context(first_device());
    EXPECT_SUCCESS(cuModuleLoadData(&module, texels));
    const CUarray array = make_array();
    reads(module, array);
    writes(module, array);
    runs();
    EXPECT_SUCCESS(cuArrayDestroy(array));
    EXPECT_SUCCESS(cuModuleUnload(module));
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
