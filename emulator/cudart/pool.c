/* SPDX-License-Identifier: MIT */
/* Allocation in the order of a stream, and the pools that the memory comes from.
 *
 * All earlier work of the stream is done already, so memory is allocated and freed at once. A
 * pool just keeps account of what is in use, and of what it would keep for later. */

#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

bool pool_use(cudaMemPool_t pool, int64_t bytes)
{
    if (bytes > 0 && pool->most && pool->used + (uint64_t)bytes > pool->most)
        return false;
    pool->used += (uint64_t)bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    /* Freed memory is kept up to the threshold. */
    const uint64_t kept = pool->reserved < pool->threshold ? pool->reserved : pool->threshold;
    pool->reserved = pool->used > kept ? pool->used : kept;
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
    return true;
}

static cudaMemPool_t make_pool(int device)
{
    cudaMemPool_t pool = calloc(1, sizeof(*pool));

    if (pool)
        pool->device = device;
    if (pool)
        pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
    return pool;
}

/* The default pool of the device; NULL if there is no memory. */
static cudaMemPool_t default_pool(struct runtime *runtime)
{
    if (!runtime->device->default_pool)
        runtime->device->default_pool = make_pool(runtime->device->number);
    return runtime->device->default_pool;
}

static cudaMemPool_t current_pool(struct runtime *runtime)
{
    return runtime->device->pool ? runtime->device->pool : default_pool(runtime);
}

static bool is_pool(const struct runtime *runtime, cudaMemPool_t pool)
{
    bool any = list_has(&runtime->pools, pool);

    for (int i = 0; i < runtime->device_count && !any; i++)
        any = runtime->devices[i].default_pool == pool;
    return pool && any;
}

void pool_clear(struct runtime *runtime)
{
    cudaMemPool_t pool;

    while ((pool = list_take_from(&runtime->pools, runtime->device->number)))
        free(pool);
    free(runtime->device->default_pool);
    runtime->device->default_pool = NULL;
    runtime->device->pool = NULL;
}

/* The pool of a device, or of none that it has. */
static cudaError_t give(struct runtime *runtime, cudaMemPool_t *result, int device,
                        cudaMemPool_t (*pool)(struct runtime *runtime))
{
    if (!result)
        return cudaErrorInvalidValue;
    TRY(device_about(runtime, device));
    *result = pool(runtime);
    return *result ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return ASIDE(runtime, give(runtime, pool, device, default_pool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return ASIDE(runtime, device_exists(runtime, device) ? give(runtime, pool, device, current_pool)
                                                         : cudaErrorInvalidValue);
}

static cudaError_t set_pool(struct runtime *runtime, int device, cudaMemPool_t pool)
{
    TRY(device_about(runtime, device));
    if (!is_pool(runtime, pool) || pool->device != device)
        return cudaErrorInvalidValue;
    runtime->device->pool = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    return ASIDE(runtime, set_pool(runtime, device, pool));
}

ENTRY(ASIDE, cudaMemPoolCreate, (result, properties), cudaMemPool_t *result,
      const struct cudaMemPoolProps *properties)
{
    if (!result || !properties || properties->allocType != cudaMemAllocationTypePinned ||
        properties->win32SecurityAttributes)
        return cudaErrorInvalidValue;
    if (properties->location.type != cudaMemLocationTypeDevice ||
        properties->handleTypes & ~(unsigned)cudaMemHandleTypePosixFileDescriptor) {
        runtime_complain(runtime, "memory pools of the host, and for other processes than those "
                                  "with a file descriptor, are not emulated");
        return cudaErrorNotSupported;
    }
    if (!device_exists(runtime, properties->location.id))
        return cudaErrorInvalidDevice;
    cudaMemPool_t pool = make_pool(properties->location.id);
    if (!pool || !list_add(&runtime->pools, pool)) {
        free(pool);
        return cudaErrorMemoryAllocation;
    }
#if CUDART_VERSION >= 12020
    pool->most = properties->maxSize;
#endif
    *result = pool;
    return cudaSuccess;
}

/* Memory from the pool stays allocated, but is no longer in the account of a pool. */
ENTRY(API, cudaMemPoolDestroy, (pool), cudaMemPool_t pool)
{
    if (!list_remove(&runtime->pools, pool))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < runtime->blocks.count; i++) {
        struct block *block = runtime->blocks.items[i];
        if (block->pool == pool)
            block->pool = NULL;
    }
    if (runtime->devices[pool->device].pool == pool)
        runtime->devices[pool->device].pool = NULL;
    free(pool);
    return cudaSuccess;
}

/* Where an attribute of 64 bits is kept; NULL if it is not one. */
static uint64_t *wide_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->threshold;
    case cudaMemPoolAttrReservedMemCurrent:
        return &pool->reserved;
    case cudaMemPoolAttrReservedMemHigh:
        return &pool->reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->used_high;
    default:
        return NULL;
    }
}

static bool is_reuse(enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

/* The same for the memory of graphs. */
static uint64_t *graph_attribute(struct runtime *runtime, enum cudaGraphMemAttributeType attribute)
{
    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
        return &runtime->device->graph_pool.used;
    case cudaGraphMemAttrUsedMemHigh:
        return &runtime->device->graph_pool.used_high;
    case cudaGraphMemAttrReservedMemCurrent:
        return &runtime->device->graph_pool.reserved;
    case cudaGraphMemAttrReservedMemHigh:
        return &runtime->device->graph_pool.reserved_high;
    }
    return NULL;
}

ENTRY(ASIDE, cudaDeviceGetGraphMemAttribute, (device, attribute, value), int device,
      enum cudaGraphMemAttributeType attribute, void *value)
{
    TRY(device_about(runtime, device));
    const uint64_t *kept = graph_attribute(runtime, attribute);
    if (!kept || !value)
        return cudaErrorInvalidValue;
    memcpy(value, kept, sizeof(*kept));
    return cudaSuccess;
}

/* Only the high-water marks can be set, and only to 0. */
ENTRY(ASIDE, cudaDeviceSetGraphMemAttribute, (device, attribute, value), int device,
      enum cudaGraphMemAttributeType attribute, void *value)
{
    const uint64_t zero = 0;

    TRY(device_about(runtime, device));
    struct CUmemPoolHandle_st *pool = &runtime->device->graph_pool;
    if (!value || memcmp(value, &zero, sizeof(zero)) != 0)
        return cudaErrorInvalidValue;
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        pool->used_high = pool->used;
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
        pool->reserved_high = pool->reserved;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return ASIDE(runtime,
                 device_about(runtime, device)
                     ?: (runtime->device->graph_pool.reserved = runtime->device->graph_pool.used,
                         cudaSuccess));
}

ENTRY(ASIDE, cudaMemPoolGetAttribute, (pool, attribute, value), cudaMemPool_t pool,
      enum cudaMemPoolAttr attribute, void *value)
{
    if (!is_pool(runtime, pool) || !value)
        return cudaErrorInvalidValue;
    const uint64_t *wide = wide_attribute(pool, attribute);
    if (wide)
        memcpy(value, wide, sizeof(*wide));
    else if (is_reuse(attribute))
        memcpy(value, &pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies],
               sizeof(int));
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* A program may set the high-water marks only, and only to 0. */
ENTRY(ASIDE, cudaMemPoolSetAttribute, (pool, attribute, value), cudaMemPool_t pool,
      enum cudaMemPoolAttr attribute, void *value)
{
    uint64_t number = 0;

    if (!is_pool(runtime, pool) || !value)
        return cudaErrorInvalidValue;
    if (is_reuse(attribute)) {
        memcpy(&pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies], value,
               sizeof(int));
        return cudaSuccess;
    }
    if (!wide_attribute(pool, attribute))
        return cudaErrorInvalidValue;
    memcpy(&number, value, sizeof(number));
    if (attribute == cudaMemPoolAttrReleaseThreshold)
        pool->threshold = number;
    else if (attribute == cudaMemPoolAttrReservedMemHigh && number == 0)
        pool->reserved_high = pool->reserved;
    else if (attribute == cudaMemPoolAttrUsedMemHigh && number == 0)
        pool->used_high = pool->used;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaMemPoolTrimTo, (pool, keep), cudaMemPool_t pool, size_t keep)
{
    if (!is_pool(runtime, pool))
        return cudaErrorInvalidValue;
    const uint64_t least = pool->used > keep ? pool->used : keep;
    if (pool->reserved > least)
        pool->reserved = least;
    return cudaSuccess;
}

/* The device of the pool can always read and write; others can once they have peer access, which is
 * what counts here. */
ENTRY(ASIDE, cudaMemPoolSetAccess, (pool, list, count), cudaMemPool_t pool,
      const struct cudaMemAccessDesc *list, size_t count)
{
    if (!is_pool(runtime, pool) || (count && !list))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice)
            return cudaErrorInvalidValue;
        if (!device_exists(runtime, list[i].location.id) ||
            list[i].flags != cudaMemAccessFlagsProtReadWrite)
            return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
}

ENTRY(ASIDE, cudaMemPoolGetAccess, (flags, pool, location), enum cudaMemAccessFlags *flags,
      cudaMemPool_t pool, struct cudaMemLocation *location)
{
    if (!flags || !location || !is_pool(runtime, pool))
        return cudaErrorInvalidValue;
    if (location->type == cudaMemLocationTypeDevice && !device_exists(runtime, location->id))
        return cudaErrorInvalidDevice;
    *flags = location->type == cudaMemLocationTypeDevice ? cudaMemAccessFlagsProtReadWrite
                                                         : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t pool_allocate(struct runtime *runtime, void **pointer, size_t size, cudaMemPool_t pool,
                          cudaStream_t stream, const void *caller)
{
    TRY(stream_enter(runtime, stream));
    pool = pool ? pool : current_pool(runtime);
    if (!pointer || !is_pool(runtime, pool))
        return cudaErrorInvalidValue;
    device_select(runtime, pool->device);
    if (stream_captures(stream))
        return capture_allocation(runtime, pointer, size, caller, stream);
    return allocation_make(runtime, pointer, size, BLOCK_DEVICE, pool, caller);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    return QUEUED(runtime, pool_allocate(runtime, pointer, size, NULL, stream, CALLER));
}
PER_THREAD(cudaMallocAsync, ptsz);

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return QUEUED(runtime, pool ? pool_allocate(runtime, pointer, size, pool, stream, CALLER)
                                : cudaErrorInvalidValue);
}
PER_THREAD(cudaMallocFromPoolAsync, ptsz);

cudaError_t pool_free(struct runtime *runtime, void *pointer, cudaStream_t stream,
                      const char *function, const void *caller)
{
    TRY(stream_enter(runtime, stream));
    return stream_captures(stream)
               ? capture_free(runtime, pointer, stream)
               : queue_settle_stream(runtime, stream)
                     ?: allocation_free(runtime, pointer, function, caller);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return QUEUED(runtime, pool_free(runtime, pointer, stream, "cudaFreeAsync", CALLER));
}
PER_THREAD(cudaFreeAsync, ptsz);

#if CUDART_VERSION >= 13000
/* The same for a location. If that is not the device, the error is about the location. */
static cudaError_t check_location(const struct runtime *runtime,
                                  const struct cudaMemLocation *location,
                                  enum cudaMemAllocationType type)
{
    if (!location || type != cudaMemAllocationTypePinned ||
        location->type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    return device_exists(runtime, location->id) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    return ASIDE(runtime, check_location(runtime, location, type)
                              ?: give(runtime, pool, location->id, default_pool));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    return ASIDE(runtime, check_location(runtime, location, type)
                              ?: give(runtime, pool, location->id, current_pool));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t pool)
{
    return ASIDE(runtime,
                 check_location(runtime, location, type) ?: set_pool(runtime, location->id, pool));
}
#endif
