/* SPDX-License-Identifier: MIT */
/* Managed memory: what a program advises about it, and where the program wants it to be. Here it
 * always stays where it is, so the advice is only stored for the program to query. */
#include "cudart/runtime.h"

/* A location given as the older functions do it, by the number of a device or of the host. */
static cudaError_t check_device(const struct runtime *runtime, int device)
{
    return device_exists(runtime, device) || device == cudaCpuDeviceId ? cudaSuccess
                                                                       : cudaErrorInvalidDevice;
}

/* Find `bytes` of managed memory from `start` on. *advice is what was advised about it, or NULL
 * if it is a variable, for which no advice is stored. */
static cudaError_t find_managed(const struct runtime *runtime, const void *start, size_t bytes,
                                struct advice **advice)
{
    const struct allocation *allocation = memory_find(runtime->machine, (uint64_t)start, bytes);
    struct block *block = allocation_find(runtime, start);

    *advice = block ? &block->advice : NULL;
    return bytes && allocation && allocation->kind == MEMORY_MANAGED ? cudaSuccess
                                                                     : cudaErrorInvalidValue;
}

static cudaError_t prefetch(struct runtime *runtime, const void *start, size_t bytes, int device,
                            cudaStream_t stream)
{
    struct advice *advice;
    const cudaError_t error =
        check_device(runtime, device) ?: find_managed(runtime, start, bytes, &advice);

    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (!error && advice)
        advice->prefetched = device;
    return error;
}

static void set_access(struct advice *advice, int device, bool may)
{
    if (device == cudaCpuDeviceId)
        advice->accessed_by_host = may;
    else
        advice->accessed_by = (advice->accessed_by & ~(UINT64_C(1) << device)) | (uint64_t)may
                                                                                     << device;
}

static cudaError_t advise(struct runtime *runtime, const void *start, size_t bytes,
                          enum cudaMemoryAdvise what, int device)
{
    const bool about_reads = what == cudaMemAdviseSetReadMostly ||
                             what == cudaMemAdviseUnsetReadMostly ||
                             what == cudaMemAdviseUnsetPreferredLocation;
    struct advice unused, *advice;
    const cudaError_t refused = about_reads ? cudaSuccess : check_device(runtime, device);
    if (refused)
        return what == cudaMemAdviseSetPreferredLocation ? cudaErrorInvalidValue : refused;
    TRY(find_managed(runtime, start, bytes, &advice));
    if (!advice)
        advice = &unused;
    switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        advice->read_mostly = what == cudaMemAdviseSetReadMostly;
        return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
        advice->preferred = device;
        return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
        advice->preferred = cudaInvalidDeviceId;
        return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
        set_access(advice, device, what == cudaMemAdviseSetAccessedBy);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

#if CUDART_VERSION >= 12020
/* A number that check_device() refuses: neither the device nor the host. */
static int device_of(struct cudaMemLocation location)
{
    return location.type == cudaMemLocationTypeDevice ? location.id
           : location.type == cudaMemLocationTypeHost ||
                   location.type == cudaMemLocationTypeHostNuma ||
                   location.type == cudaMemLocationTypeHostNumaCurrent
               ? cudaCpuDeviceId
               : cudaInvalidDeviceId;
}

/* In CUDA 12 the functions that take a location have other names. */
#if CUDART_VERSION < 13000
#define WITH_LOCATION(name) name##_v2
#else
#define WITH_LOCATION(name) name
#endif

cudaError_t WITH_LOCATION(cudaMemPrefetchAsync)(const void *start, size_t bytes,
                                                struct cudaMemLocation location, unsigned flags,
                                                cudaStream_t stream)
{
    return QUEUED(runtime, flags ? cudaErrorInvalidValue
                                 : prefetch(runtime, start, bytes, device_of(location), stream));
}

cudaError_t WITH_LOCATION(cudaMemAdvise)(const void *start, size_t bytes,
                                         enum cudaMemoryAdvise what,
                                         struct cudaMemLocation location)
{
    return ASIDE(runtime, advise(runtime, start, bytes, what, device_of(location)));
}
#endif

#if CUDART_VERSION < 13000
cudaError_t cudaMemPrefetchAsync(const void *start, size_t bytes, int device, cudaStream_t stream)
{
    return QUEUED(runtime, prefetch(runtime, start, bytes, device, stream));
}

cudaError_t cudaMemAdvise(const void *start, size_t bytes, enum cudaMemoryAdvise what, int device)
{
    return ASIDE(runtime, advise(runtime, start, bytes, what, device));
}
#if CUDART_VERSION >= 12020
PER_THREAD(cudaMemPrefetchAsync_v2, ptsz);
#endif
#endif
PER_THREAD(cudaMemPrefetchAsync, ptsz);

/* An attribute that is a single number. */
static cudaError_t range_value(const struct advice *advice, enum cudaMemRangeAttribute attribute,
                               int *value)
{
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *value = advice->read_mostly;
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
        *value = advice->preferred;
        return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *value = advice->prefetched;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

/* The locations in an `AccessedBy` attribute; those after the last are invalid. */
static void range_readers(const struct advice *advice, int *values, size_t count)
{
    size_t used = 0;

    for (int device = 0; device < MACHINES_MOST; device++)
        if (advice->accessed_by >> device & 1 && used < count)
            values[used++] = device;
    if (advice->accessed_by_host && used < count)
        values[used++] = cudaCpuDeviceId;
    while (used < count)
        values[used++] = cudaInvalidDeviceId;
}

static cudaError_t range_attribute(struct runtime *runtime, void *data, size_t size,
                                   enum cudaMemRangeAttribute attribute, const void *start,
                                   size_t bytes)
{
    const struct advice none = {.preferred = cudaInvalidDeviceId,
                                .prefetched = cudaInvalidDeviceId};
    const bool of_readers = attribute == cudaMemRangeAttributeAccessedBy;
    struct advice *advice;

    if (!data || (of_readers ? size == 0 || size % sizeof(int) : size != sizeof(int)))
        return cudaErrorInvalidValue;
    TRY(find_managed(runtime, start, bytes, &advice));
    if (!of_readers)
        return range_value(advice ? advice : &none, attribute, data);
    range_readers(advice ? advice : &none, data, size / sizeof(int));
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *start, size_t bytes)
{
    return ASIDE(runtime, range_attribute(runtime, data, size, attribute, start, bytes));
}

ENTRY(ASIDE, cudaMemRangeGetAttributes, (data, sizes, attributes, count, start, bytes), void **data,
      size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t count, const void *start,
      size_t bytes)
{
    cudaError_t error = data && sizes && attributes && count ? cudaSuccess : cudaErrorInvalidValue;

    for (size_t i = 0; !error && i < count; i++)
        error = range_attribute(runtime, data[i], sizes[i], attributes[i], start, bytes);
    return error;
}

/* If `length` is 0 it stands for all of the memory; otherwise it must be all of it. Memory that
 * the system allocated is refused, as this GPU cannot read it (pageableMemoryAccess). */
ENTRY(QUEUED, cudaStreamAttachMemAsync, (stream, start, length, flags), cudaStream_t stream,
      void *start, size_t length, unsigned flags)
{
    const bool single = flags == cudaMemAttachSingle;
    const struct allocation *allocation = memory_find(runtime->machine, (uint64_t)start, 1);

    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (!(single || flags == cudaMemAttachGlobal || flags == cudaMemAttachHost) ||
        (single && (!stream || stream == cudaStreamLegacy)) || !allocation ||
        allocation->kind != MEMORY_MANAGED || allocation->address != (uint64_t)start ||
        (length && length != allocation->size))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}
PER_THREAD(cudaStreamAttachMemAsync, ptsz);
