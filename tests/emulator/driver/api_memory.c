/* SPDX-License-Identifier: MIT */
/* Memory of all kinds, copies and fills, and what pointers are asked. */
#include "expect.h"

#include <string.h>

enum { COUNT = 24, WIDTH = 5, ROWS = 3 };

static void linear(void)
{
    unsigned char bytes[COUNT], back[COUNT];
    CUdeviceptr first, second, base = 0;
    size_t size = 0, available = 0, total = 0;

    for (int i = 0; i < COUNT; i++)
        bytes[i] = (unsigned char)(3 * i + 1);
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&first, 0));
    EXPECT_SUCCESS(cuMemAlloc(&first, COUNT));
    EXPECT_SUCCESS(cuMemAlloc(&second, COUNT));
    EXPECT_SUCCESS(cuMemcpyHtoD(first, bytes, COUNT));
    EXPECT_SUCCESS(cuMemcpyDtoD(second, first, COUNT));
    EXPECT_SUCCESS(cuMemcpyDtoH(back, second, COUNT));
    EXPECT(!memcmp(bytes, back, COUNT));
    EXPECT_SUCCESS(cuMemsetD8(first, 0xab, COUNT));
    EXPECT_SUCCESS(cuMemcpy((CUdeviceptr)back, first, COUNT));
    EXPECT(back[0] == 0xab && back[COUNT - 1] == 0xab);
    EXPECT_SUCCESS(cuMemGetAddressRange(&base, &size, first + 7));
    EXPECT(base == first && size == COUNT);
    EXPECT_SUCCESS(cuMemGetInfo(&available, &total));
    EXPECT(available && available <= total);
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(first, bytes, (size_t)1 << 40));
    EXPECT_SUCCESS(cuMemFree(first));
    EXPECT_SUCCESS(cuMemFree(second));
}

/* Elements of 16 and 32 bits, and rows of them. */
static void fills(void)
{
    unsigned short halves[COUNT];
    unsigned words[WIDTH * ROWS];
    CUdeviceptr memory;
    size_t pitch = 0;

    EXPECT_SUCCESS(cuMemAllocPitch(&memory, &pitch, WIDTH * sizeof(unsigned), ROWS, 4));
    EXPECT(pitch >= WIDTH * sizeof(unsigned));
    EXPECT_SUCCESS(cuMemsetD2D32(memory, pitch, 0x12345678, WIDTH, ROWS));
    EXPECT_SUCCESS(cuMemsetD2D8(memory + pitch, pitch, 0, 4, 1));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = memory,
                                .srcPitch = pitch,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = words,
                                .dstPitch = WIDTH * sizeof(unsigned),
                                .WidthInBytes = WIDTH * sizeof(unsigned),
                                .Height = ROWS};
    EXPECT_SUCCESS(cuMemcpy2D(&copy));
    for (int i = 0; i < WIDTH * ROWS; i++)
        EXPECT(words[i] == (i == WIDTH ? 0 : 0x12345678));
    EXPECT_SUCCESS(cuMemsetD16(memory, 0xbeef, COUNT));
    EXPECT_SUCCESS(cuMemcpyDtoH(halves, memory, sizeof(halves)));
    EXPECT(halves[0] == 0xbeef && halves[COUNT - 1] == 0xbeef);
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(memory + 2, 1, 1));
    EXPECT_SUCCESS(cuMemFree(memory));
}

/* A box in the middle of a volume, out of it and into another place of it. */
static void volumes(void)
{
    enum { SIDE = 4 };
    unsigned char volume[SIDE][SIDE][SIDE], box[2][2][2];
    CUdeviceptr memory;

    for (int i = 0; i < (int)sizeof(volume); i++)
        (&volume[0][0][0])[i] = (unsigned char)i;
    EXPECT_SUCCESS(cuMemAlloc(&memory, sizeof(volume)));
    EXPECT_SUCCESS(cuMemcpyHtoD(memory, volume, sizeof(volume)));
    const CUDA_MEMCPY3D copy = {.srcXInBytes = 1,
                                .srcY = 2,
                                .srcZ = 1,
                                .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = memory,
                                .srcPitch = SIDE,
                                .srcHeight = SIDE,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = box,
                                .dstPitch = 2,
                                .dstHeight = 2,
                                .WidthInBytes = 2,
                                .Height = 2,
                                .Depth = 2};
    EXPECT_SUCCESS(cuMemcpy3D(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                EXPECT(box[z][y][x] == volume[z + 1][y + 2][x + 1]);
    EXPECT_SUCCESS(cuMemFree(memory));
}

static void host_and_managed(void)
{
    CUmemorytype type = 0;
    CUdeviceptr device = 0, managed = 0;
    bool is_managed = false;
    int *host = NULL, here = 0;

    EXPECT_SUCCESS(cuMemHostAlloc((void **)&host, 4 * sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
    EXPECT_SUCCESS(cuMemHostGetDevicePointer(&device, host, 0));
    EXPECT_SUCCESS(cuMemsetD32(device, 77, 4));
    EXPECT_SUCCESS(cuCtxSynchronize());
    EXPECT(host[0] == 77 && host[3] == 77);
    EXPECT_SUCCESS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    EXPECT(type == CU_MEMORYTYPE_HOST);
    EXPECT_SUCCESS(cuMemFreeHost(host));
    EXPECT_SUCCESS(cuMemAllocManaged(&managed, 4 * sizeof(int), CU_MEM_ATTACH_GLOBAL));
    EXPECT_SUCCESS(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    EXPECT(is_managed);
    EXPECT_SUCCESS(cuMemFree(managed));
    EXPECT_ERROR(
        CUDA_ERROR_INVALID_VALUE,
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&here));
}

/* In the order of a stream, from a pool. */
static void in_stream(CUdevice device)
{
    CUmemoryPool pool = NULL;
    CUdeviceptr memory = 0;
    CUstream stream;
    unsigned word = 0;
    cuuint64_t used = 1;

    EXPECT_SUCCESS(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    EXPECT_SUCCESS(cuMemAllocAsync(&memory, 64, stream));
    EXPECT_SUCCESS(cuMemsetD32Async(memory, 9, 16, stream));
    EXPECT_SUCCESS(cuMemcpyDtoHAsync(&word, memory + 60, 4, stream));
    EXPECT_SUCCESS(cuMemFreeAsync(memory, stream));
    EXPECT_SUCCESS(cuStreamSynchronize(stream));
    EXPECT(word == 9);
    EXPECT_SUCCESS(cuDeviceGetDefaultMemPool(&pool, device));
    EXPECT_SUCCESS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT(used == 0);
    EXPECT_SUCCESS(cuStreamDestroy(stream));
}

int main(void)
{
    const CUdevice device = first_device();
    const CUcontext context = own_context(device);

    linear();
    fills();
    volumes();
    host_and_managed();
    in_stream(device);
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
