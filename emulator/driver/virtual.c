/* SPDX-License-Identifier: MIT */
/* Virtual memory: addresses that a program reserves, memory that it makes, and what it maps where
 * (machine/mapped_memory.h). */
#include "driver/driver.h"
#include "machine/mapped_memory.h"

static bool is_whole(uint64_t number)
{
    return number && number % MAPPED_GRANULE == 0;
}

static cudaError_t supports_no(struct runtime *runtime, const char *what)
{
    runtime_complain(runtime, "%s are not supported", what);
    return cudaErrorNotSupported;
}

/* Memory of a device is the only kind, and no other process may have it. */
static cudaError_t check_kind(struct runtime *runtime, const CUmemAllocationProp *kind)
{
    if (!kind || kind->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cudaErrorInvalidValue;
    if (kind->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return supports_no(runtime, "virtual allocations on the host");
    if (kind->requestedHandleTypes)
        return supports_no(runtime, "virtual allocations for other processes");
    return device_exists(runtime, kind->location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t get_granularity(struct runtime *runtime, size_t *bytes,
                                   const CUmemAllocationProp *kind)
{
    TRY(bytes ? check_kind(runtime, kind) : cudaErrorInvalidValue);
    *bytes = MAPPED_GRANULE;
    return cudaSuccess;
}
FRONT_ANYWHERE(cuMemGetAllocationGranularity,
               (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
                   ? cudaErrorInvalidValue
                   : ASIDE(runtime, get_granularity(runtime, bytes, kind)),
               size_t *bytes, const CUmemAllocationProp *kind,
               CUmemAllocationGranularity_flags option)

/* Where the program would have them is a wish. */
static cudaError_t reserve(struct runtime *runtime, CUdeviceptr *address, size_t size,
                           size_t alignment)
{
    alignment = alignment > MAPPED_GRANULE ? alignment : MAPPED_GRANULE;
    if (!address || !is_whole(size) || alignment & (alignment - 1))
        return cudaErrorInvalidValue;
    *address = mapped_reserve(runtime->machine, size, alignment);
    return *address ? cudaSuccess : cudaErrorMemoryAllocation;
}
FRONT_ANYWHERE(cuMemAddressReserve,
               ((void)wish, flags ? cudaErrorInvalidValue
                                  : ASIDE(runtime, reserve(runtime, address, size, alignment))),
               CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wish,
               unsigned long long flags)
FRONT_ANYWHERE(cuMemAddressFree,
               API(runtime, mapped_unreserve(runtime->machine, address, size)
                                ? cudaSuccess
                                : cudaErrorInvalidValue),
               CUdeviceptr address, size_t size)

static cudaError_t create(struct runtime *runtime, CUmemGenericAllocationHandle *handle,
                          size_t size, const CUmemAllocationProp *kind, unsigned long long flags)
{
    if (!handle || !is_whole(size) || flags)
        return cudaErrorInvalidValue;
    TRY(check_kind(runtime, kind));
    *handle = (uintptr_t)mapped_create(runtime->devices[kind->location.id].machine, size);
    return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
}
FRONT_ANYWHERE(cuMemCreate, ASIDE(runtime, create(runtime, handle, size, kind, flags)),
               CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *kind,
               unsigned long long flags)

static cudaError_t release(struct runtime *runtime, CUmemGenericAllocationHandle handle)
{
    struct mapped_memory *memory = mapped_find(runtime->machine, handle);

    return memory && mapped_let_go(runtime->machine, memory) ? cudaSuccess : cudaErrorInvalidValue;
}
FRONT_ANYWHERE(cuMemRelease, API(runtime, release(runtime, handle)),
               CUmemGenericAllocationHandle handle)

static cudaError_t retain(struct runtime *runtime, CUmemGenericAllocationHandle *handle,
                          uint64_t address)
{
    struct mapped_memory *memory = mapped_at(runtime->machine, address);

    if (!handle || !memory)
        return cudaErrorInvalidValue;
    mapped_hold(memory);
    *handle = (uintptr_t)memory;
    return cudaSuccess;
}
FRONT_ANYWHERE(cuMemRetainAllocationHandle,
               ASIDE(runtime, retain(runtime, handle, (uint64_t)address)),
               CUmemGenericAllocationHandle *handle, void *address)

static cudaError_t describe(struct runtime *runtime, CUmemAllocationProp *kind,
                            CUmemGenericAllocationHandle handle)
{
    const struct mapped_memory *memory = mapped_find(runtime->machine, handle);

    if (!kind || !memory)
        return cudaErrorInvalidValue;
    *kind = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = mapped_machine(memory)}};
    return cudaSuccess;
}
FRONT_ANYWHERE(cuMemGetAllocationPropertiesFromHandle,
               ASIDE(runtime, describe(runtime, kind, handle)), CUmemAllocationProp *kind,
               CUmemGenericAllocationHandle handle)

static cudaError_t map(struct runtime *runtime, CUdeviceptr address, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct mapped_memory *memory = mapped_find(runtime->machine, handle);

    if (memory && size > mapped_size(memory))
        return cudaErrorNotSupported; /* as an H200's driver says */
    return !offset && !flags && memory && is_whole(address) && is_whole(size) &&
                   mapped_map(runtime->machine, address, size, memory)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}
FRONT_ANYWHERE(cuMemMap, API(runtime, map(runtime, address, size, offset, handle, flags)),
               CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
               unsigned long long flags)

static cudaError_t unmap(struct runtime *runtime, CUdeviceptr address, size_t size)
{
    if (!mapped_unmap(runtime->machine, address, size))
        return cudaErrorInvalidValue;
    checks_freed(runtime->checks, address, size);
    return cudaSuccess;
}
FRONT_ANYWHERE(cuMemUnmap, API(runtime, unmap(runtime, address, size)), CUdeviceptr address,
               size_t size)

static cudaError_t set_access(struct runtime *runtime, CUdeviceptr address, size_t size,
                              const CUmemAccessDesc *list, size_t count)
{
    if (!list || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
            return supports_no(runtime, "virtual mappings for the host, or to read alone");
        if (!device_exists(runtime, list[i].location.id))
            return cudaErrorInvalidDevice;
    }
    for (size_t i = 0; i < count; i++)
        if (!mapped_allow(runtime->machine, address, size, list[i].location.id,
                          list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}
FRONT_ANYWHERE(cuMemSetAccess, API(runtime, set_access(runtime, address, size, list, count)),
               CUdeviceptr address, size_t size, const CUmemAccessDesc *list, size_t count)

static cudaError_t get_access(struct runtime *runtime, unsigned long long *flags,
                              const CUmemLocation *location, CUdeviceptr address)
{
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !mapped_at(runtime->machine, address))
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, location->id))
        return cudaErrorInvalidDevice;
    *flags = mapped_allows(runtime->machine, address, location->id)
                 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cudaSuccess;
}
FRONT_ANYWHERE(cuMemGetAccess, ASIDE(runtime, get_access(runtime, flags, location, address)),
               unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
