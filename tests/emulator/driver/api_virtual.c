/* SPDX-License-Identifier: MIT */
/* Virtual memory: addresses, memory, and what is mapped where. */
#include "expect.h"

#include <string.h>

static CUdevice device;
static size_t unit; /* the granularity */

static CUmemAllocationProp kind_of(int number)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, .id = number}};
}

static CUmemGenericAllocationHandle make(size_t size)
{
    const CUmemAllocationProp kind = kind_of(device);
    CUmemGenericAllocationHandle handle = 0;

    EXPECT_SUCCESS(cuMemCreate(&handle, size, &kind, 0));
    return handle;
}

static CUdeviceptr reserve(size_t size)
{
    CUdeviceptr address = 0;

    EXPECT_SUCCESS(cuMemAddressReserve(&address, size, 0, 0, 0));
    EXPECT(address && address % unit == 0);
    return address;
}

static CUresult allow(CUdeviceptr address, size_t size, CUmemAccess_flags flags)
{
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, .id = device}, flags};

    return cuMemSetAccess(address, size, &access, 1);
}

static unsigned first_word(CUdeviceptr address)
{
    unsigned word = 0;

    EXPECT_SUCCESS(cuMemcpyDtoH(&word, address, sizeof(word)));
    return word;
}

/* Pascal and later have it. */
static bool is_supported(void)
{
    int has = -1, major = 0;

    EXPECT_SUCCESS(cuDeviceGetAttribute(
        &has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
    EXPECT_SUCCESS(
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EXPECT(has == (major >= 6));
    return has;
}

static void properties(void)
{
    CUmemAllocationProp kind = kind_of(device);
    CUmemGenericAllocationHandle handle;
    size_t recommended = 0;

    EXPECT_SUCCESS(cuMemGetAllocationGranularity(&unit, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT_SUCCESS(
        cuMemGetAllocationGranularity(&recommended, &kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    EXPECT(unit && recommended % unit == 0);
    handle = make(unit);
    memset(&kind, 0, sizeof(kind));
    EXPECT_SUCCESS(cuMemGetAllocationPropertiesFromHandle(&kind, handle));
    EXPECT(kind.type == CU_MEM_ALLOCATION_TYPE_PINNED && kind.location.id == device);
    EXPECT_SUCCESS(cuMemRelease(handle));
}

/* A vector that grows: kernels, copies and fills go from one mapping on to the next. */
static void grows(void)
{
    enum { PIECES = 3, MOST = 8 };
    CUmodule module;
    CUfunction scale;
    unsigned factor = 5;
    const CUdeviceptr start = reserve(MOST * unit);
    CUdeviceptr across = start + unit - 64, base = 0;
    size_t size = 0, before = 0, after = 0, total;
    unsigned words[32];
    void *arguments[] = {&across, &factor};

    EXPECT_SUCCESS(cuMemGetInfo(&before, &total));
    for (int i = 0; i < PIECES; i++) {
        const CUmemGenericAllocationHandle handle = make(unit);
        const CUdeviceptr end = start + (size_t)i * unit;
        EXPECT_SUCCESS(cuMemMap(end, unit, 0, handle, 0));
        EXPECT_SUCCESS(cuMemRelease(handle));
        EXPECT_SUCCESS(allow(end, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    }
    EXPECT_SUCCESS(cuMemGetInfo(&after, &total));
    EXPECT(before - after >= PIECES * unit);
    EXPECT_SUCCESS(cuMemGetAddressRange(&base, &size, start + unit + 4));
    EXPECT(base <= start + unit && size >= unit);
    EXPECT_SUCCESS(cuMemsetD32(across, 7, 32));
    EXPECT_SUCCESS(cuModuleLoadData(&module, kernels));
    EXPECT_SUCCESS(cuModuleGetFunction(&scale, module, "scale"));
    EXPECT_SUCCESS(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    EXPECT_SUCCESS(cuMemcpyDtoH(words, across, sizeof(words)));
    for (int i = 0; i < 32; i++)
        EXPECT(words[i] == 5 * (unsigned)i + 5);
    EXPECT_SUCCESS(cuMemsetD8(start, 1, PIECES * unit));
    EXPECT(first_word(start + PIECES * unit - 4) == 0x01010101);
    EXPECT_SUCCESS(cuMemGetInfo(&before, &total)); /* the module has taken some as well */
    EXPECT_SUCCESS(cuMemUnmap(start, PIECES * unit));
    EXPECT_SUCCESS(cuMemGetInfo(&after, &total));
    EXPECT(after - before >= PIECES * unit);
    EXPECT_SUCCESS(cuMemAddressFree(start, MOST * unit));
    EXPECT_SUCCESS(cuModuleUnload(module));
}

/* One piece of memory at two addresses, and at another one later. */
static void aliased(void)
{
    const CUdeviceptr first = reserve(unit), second = reserve(2 * unit);
    const CUmemGenericAllocationHandle handle = make(unit);
    CUmemGenericAllocationHandle again = 0;

    EXPECT_SUCCESS(cuMemMap(first, unit, 0, handle, 0));
    EXPECT_SUCCESS(cuMemMap(second + unit, unit, 0, handle, 0));
    EXPECT_SUCCESS(allow(first, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT_SUCCESS(allow(second + unit, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT_SUCCESS(cuMemsetD32(first, 1234, 1));
    EXPECT(first_word(second + unit) == 1234);
    EXPECT_SUCCESS(cuMemUnmap(first, unit));
    EXPECT_SUCCESS(cuMemRelease(handle));
    EXPECT_SUCCESS(cuMemRetainAllocationHandle(&again, (void *)(second + unit)));
    EXPECT(again == handle);
    EXPECT_SUCCESS(cuMemUnmap(second + unit, unit));
    EXPECT_SUCCESS(cuMemMap(first, unit, 0, again, 0));
    EXPECT_SUCCESS(allow(first, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT(first_word(first) == 1234);
    EXPECT_SUCCESS(cuMemUnmap(first, unit));
    EXPECT_SUCCESS(cuMemRelease(again));
    EXPECT_SUCCESS(cuMemAddressFree(first, unit));
    EXPECT_SUCCESS(cuMemAddressFree(second, 2 * unit));
}

static void wrong_calls(void)
{
    CUmemAllocationProp kind = kind_of(device);
    const CUdeviceptr address = reserve(4 * unit);
    const CUmemGenericAllocationHandle handle = make(2 * unit);
    CUmemGenericAllocationHandle other;
    const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
    CUdeviceptr none;
    unsigned long long flags = 99;

    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&other, unit / 2, &kind, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&other, 0, &kind, 0));
    EXPECT_ERROR(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&other, unit << 30, &kind, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&none, 0, 0, 0, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&none, unit, 3 * unit, 0, 0));
    EXPECT_ERROR(CUDA_ERROR_NOT_SUPPORTED, cuMemMap(address, 4 * unit, 0, handle, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemMap(address + 4, 2 * unit, 0, handle, 0));
    EXPECT_SUCCESS(cuMemUnmap(address, 2 * unit)); /* there is nothing */
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE,
                 allow(address, 2 * unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT_SUCCESS(cuMemMap(address + unit, 2 * unit, 0, handle, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemMap(address, 2 * unit, 0, handle, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemMap(address + 2 * unit, 2 * unit, 0, handle, 0));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(address + unit, unit));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, 4 * unit));
    EXPECT_SUCCESS(cuMemGetAccess(&flags, &here, address + unit));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    EXPECT_SUCCESS(allow(address + unit, 2 * unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    EXPECT_SUCCESS(cuMemGetAccess(&flags, &here, address + 3 * unit - 1));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT_SUCCESS(cuMemUnmap(address + unit, 2 * unit));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, 2 * unit));
    EXPECT_SUCCESS(cuMemAddressFree(address, 4 * unit));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, 4 * unit));
    EXPECT_SUCCESS(cuMemRelease(handle));
    EXPECT_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handle));
}

/* Memory of two devices side by side, which both may use. */
static void striped(void)
{
    CUdeviceptr address;
    CUmemAccessDesc access[2];
    int count = 0;

    EXPECT_SUCCESS(cuDeviceGetCount(&count));
    if (count < 2)
        return;
    address = reserve(2 * unit);
    for (int i = 0; i < 2; i++) {
        const CUmemAllocationProp kind = kind_of(i);
        CUmemGenericAllocationHandle handle = 0;
        EXPECT_SUCCESS(cuMemCreate(&handle, unit, &kind, 0));
        EXPECT_SUCCESS(cuMemMap(address + (size_t)i * unit, unit, 0, handle, 0));
        EXPECT_SUCCESS(cuMemRelease(handle));
        access[i] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, .id = i},
                                      CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    }
    EXPECT_SUCCESS(cuMemSetAccess(address, 2 * unit, access, 2));
    EXPECT_SUCCESS(cuMemsetD32(address + unit, 3, 1));
    EXPECT_SUCCESS(cuMemcpyDtoD(address, address + unit, 4));
    EXPECT(first_word(address) == 3);
    EXPECT_SUCCESS(cuMemUnmap(address, 2 * unit));
    EXPECT_SUCCESS(cuMemAddressFree(address, 2 * unit));
}

int main(void)
{
    CUcontext context;

    device = first_device();
    context = own_context(device);
    if (is_supported()) {
        properties();
        grows();
        aliased();
        wrong_calls();
        striped();
    }
    EXPECT_SUCCESS(cuCtxDestroy(context));
    return finish();
}
