/* SPDX-License-Identifier: MIT */
/* Memory of the device, managed memory, and page-locked memory of the host. */
#include "cudart/graph.h"

#include <stdlib.h>
#include <unistd.h>

/* cudaMallocPitch rounds the length of a row up to a multiple of this. */
enum { PITCH = 512 };

struct block *allocation_find(const struct runtime *runtime, const void *address)
{
    for (size_t i = 0; i < runtime->blocks.count; i++) {
        struct block *block = runtime->blocks.items[i];
        if ((uintptr_t)address - (uintptr_t)block->address < block->size)
            return block;
    }
    return NULL;
}

/* The block that starts at `address` and is of one of the two kinds, or NULL. */
static struct block *find_start(const struct runtime *runtime, const void *address, int kind,
                                int other)
{
    struct block *block = allocation_find(runtime, address);
    const bool fits = block && block->address == address &&
                      ((int)block->kind == kind || (int)block->kind == other);

    return fits ? block : NULL;
}

static bool remember(struct runtime *runtime, struct block block)
{
    struct block *copy = malloc(sizeof(*copy));

    if (!copy || !list_add(&runtime->blocks, copy)) {
        free(copy);
        return false;
    }
    *copy = block;
    copy->device = runtime->device->number;
    return true;
}

/* Free the memory of `block`, and `block`. The caller takes it out of its list. */
static void release(struct runtime *runtime, struct block *block)
{
    checks_freed(runtime->checks, (uint64_t)block->address, block->size);
    memory_release(runtime->machine, (uint64_t)block->address);
    if (block->pool)
        pool_use(block->pool, -(int64_t)block->size);
    if (block->kind == BLOCK_HOST)
        free(block->address);
    free(block);
}

static cudaError_t forget(struct runtime *runtime, struct block *block)
{
    list_remove(&runtime->blocks, block);
    release(runtime, block);
    return cudaSuccess;
}

void allocation_clear(struct runtime *runtime)
{
    struct block *block;

    while ((block = list_take_from(&runtime->blocks, runtime->device->number)))
        release(runtime, block);
}

cudaError_t allocation_make(struct runtime *runtime, void **pointer, size_t size, int kind,
                            cudaMemPool_t pool, const void *caller)
{
    const struct advice none = {.preferred = cudaInvalidDeviceId,
                                .prefetched = cudaInvalidDeviceId};

    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (size == 0)
        return cudaSuccess;
    if (pool && !pool_use(pool, (int64_t)size))
        return cudaErrorMemoryAllocation;
    const enum memory_kind memory = kind == BLOCK_MANAGED ? MEMORY_MANAGED : MEMORY_DEVICE;
    const uint64_t address = memory_allocate(runtime->machine, size, memory, NULL);
    const struct block block = {0, api_pointer(address), size, kind, 0, pool, NULL, none, caller};
    if (!address || !remember(runtime, block)) {
        memory_release(runtime->machine, address);
        if (pool)
            pool_use(pool, -(int64_t)size);
        return cudaErrorMemoryAllocation;
    }
    checks_allocated(runtime->checks, address, size, kind == BLOCK_DEVICE, caller);
    *pointer = api_pointer(address);
    return cudaSuccess;
}

cudaError_t allocation_free(struct runtime *runtime, void *pointer, const char *function,
                            const void *caller)
{
    if (!pointer)
        return cudaSuccess;
    struct block *block = find_start(runtime, pointer, BLOCK_DEVICE, BLOCK_MANAGED);
    if (block && block->graph) { /* the graph's own, and only lent */
        graph_memory_set(runtime, block->graph, false);
        return cudaSuccess;
    }
    if (block)
        return forget(runtime, block);
    checks_bad_free(runtime->checks, function, (uint64_t)pointer, caller);
    return cudaErrorInvalidValue;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    return API_OUTSIDE_CAPTURE(runtime,
                               allocation_make(runtime, pointer, size, BLOCK_DEVICE, NULL, CALLER));
}

cudaError_t cudaFree(void *pointer)
{
    return API_OUTSIDE_CAPTURE(runtime, allocation_free(runtime, pointer, "cudaFree", CALLER));
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    return API_OUTSIDE_CAPTURE(
        runtime, flags == cudaMemAttachGlobal || flags == cudaMemAttachHost
                     ? allocation_make(runtime, pointer, size, BLOCK_MANAGED, NULL, CALLER)
                     : cudaErrorInvalidValue);
}

cudaError_t allocation_make_rows(struct runtime *runtime, void **pointer, size_t *pitch,
                                 size_t width, size_t rows, const void *caller)
{
    size_t size;

    if (!pitch || width > SIZE_MAX - PITCH)
        return cudaErrorInvalidValue;
    *pitch = rows ? round_up(width, PITCH) : 0;
    if (__builtin_mul_overflow(*pitch, rows, &size))
        return cudaErrorMemoryAllocation;
    return allocation_make(runtime, pointer, size, BLOCK_DEVICE, NULL, caller);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return API_OUTSIDE_CAPTURE(
        runtime, allocation_make_rows(runtime, pointer, pitch, width, height, CALLER));
}

static cudaError_t allocate_volume(struct runtime *runtime, struct cudaPitchedPtr *volume,
                                   struct cudaExtent extent, const void *caller)
{
    size_t rows;

    if (!volume)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorMemoryAllocation;
    volume->xsize = extent.width;
    volume->ysize = extent.height;
    return allocation_make_rows(runtime, &volume->ptr, &volume->pitch, extent.width, rows, caller);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *volume, struct cudaExtent extent)
{
    return API_OUTSIDE_CAPTURE(runtime, allocate_volume(runtime, volume, extent, CALLER));
}

static const unsigned host_flags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;

static cudaError_t allocate_host(struct runtime *runtime, void **pointer, size_t size,
                                 unsigned flags, const void *caller)
{
    if (!pointer || flags & ~host_flags)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (size == 0)
        return cudaSuccess;
    void *address;
    if (posix_memalign(&address, sysconf(_SC_PAGESIZE), size))
        return cudaErrorMemoryAllocation;
    if (!memory_register_host(runtime->machine, address, size)) {
        free(address);
        return cudaErrorMemoryAllocation;
    }
    if (!remember(
            runtime,
            (struct block){.address = address, .size = size, .kind = BLOCK_HOST, .flags = flags})) {
        memory_release(runtime->machine, (uint64_t)address);
        free(address);
        return cudaErrorMemoryAllocation;
    }
    checks_allocated(runtime->checks, (uint64_t)address, size, false, caller);
    *pointer = address;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return API_OUTSIDE_CAPTURE(runtime, allocate_host(runtime, pointer, size, flags, CALLER));
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return API_OUTSIDE_CAPTURE(runtime,
                               allocate_host(runtime, pointer, size, cudaHostAllocDefault, CALLER));
}

ENTRY(API_OUTSIDE_CAPTURE, cudaFreeHost, (pointer), void *pointer)
{
    if (!pointer)
        return cudaSuccess;
    struct block *block = find_start(runtime, pointer, BLOCK_HOST, BLOCK_HOST);
    return block ? forget(runtime, block) : cudaErrorInvalidValue;
}

ENTRY(API_OUTSIDE_CAPTURE, cudaHostRegister, (pointer, size, flags), void *pointer, size_t size,
      unsigned flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

    if (!pointer || size == 0 || flags & ~known)
        return cudaErrorInvalidValue;
    if (!memory_register_host(runtime->machine, pointer, size))
        return cudaErrorHostMemoryAlreadyRegistered;
    if (!remember(runtime, (struct block){.address = pointer,
                                          .size = size,
                                          .kind = BLOCK_REGISTERED,
                                          .flags = flags})) {
        memory_release(runtime->machine, (uint64_t)pointer);
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

ENTRY(API_OUTSIDE_CAPTURE, cudaHostUnregister, (pointer), void *pointer)
{
    struct block *block = find_start(runtime, pointer, BLOCK_REGISTERED, BLOCK_REGISTERED);

    if (!block && (!pointer || allocation_find(runtime, pointer)))
        return cudaErrorInvalidValue;
    return block ? forget(runtime, block) : cudaErrorHostMemoryNotRegistered;
}

/* The block of page-locked host memory that `pointer` points into, or NULL. */
static struct block *find_host(const struct runtime *runtime, const void *pointer)
{
    struct block *block = allocation_find(runtime, pointer);

    return block && (block->kind == BLOCK_HOST || block->kind == BLOCK_REGISTERED) ? block : NULL;
}

/* The host and the device use the same address for page-locked memory. */
ENTRY(ASIDE, cudaHostGetDevicePointer, (device, host, flags), void **device, void *host,
      unsigned flags)
{
    if (!device || flags || !find_host(runtime, host))
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaHostGetFlags, (flags, host), unsigned *flags, void *host)
{
    const struct block *block = find_host(runtime, host);

    if (!flags || !block)
        return cudaErrorInvalidValue;
    *flags = block->flags | cudaHostAllocMapped; /* with unified addressing all of it is mapped */
    return cudaSuccess;
}

ENTRY(ASIDE, cudaMemGetInfo, (available, total), size_t *available, size_t *total)
{
    if (available)
        *available = memory_available(runtime->machine);
    if (total)
        *total = machine_gpu(runtime->machine)->memory;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaPointerGetAttributes, (attributes, pointer),
      struct cudaPointerAttributes *attributes, const void *pointer)
{
    const struct allocation *allocation = memory_find(runtime->machine, (uint64_t)pointer, 1);
    const struct block *block = allocation_find(runtime, pointer);
    void *address = (void *)pointer;

    if (!attributes)
        return cudaErrorInvalidValue;
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
    if (allocation && allocation->kind == MEMORY_MANAGED)
        attributes->type = cudaMemoryTypeManaged;
    else if (find_host(runtime, pointer))
        attributes->type = cudaMemoryTypeHost;
    else if (allocation)
        attributes->type = cudaMemoryTypeDevice;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? NULL : address;
    if (attributes->type != cudaMemoryTypeUnregistered) {
        attributes->device = block ? block->device : allocation->machine;
        attributes->devicePointer = address;
    }
    return cudaSuccess;
}
