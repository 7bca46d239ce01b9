/* SPDX-License-Identifier: MIT */
/* Memory, copies, fills, and what a pointer points to. */
#include "driver/driver.h"

#include "cudart/transfer.h"

/* --- Allocation ------------------------------------------------------------------------------- */

/* Where the program calls is kept, for the checker's reports. So these ask no function of the
 * runtime's API. */
#define MAKE(kind, pool)         \
    API_OUTSIDE_CAPTURE(runtime, \
                        allocation_make(runtime, (void **)address, size, kind, pool, CALLER))
/* Unlike the runtime, the driver allocates no 0 bytes. */
#define SOME(size, call) ((size) ? (call) : cudaErrorInvalidValue)

FRONT(cuMemAlloc_v2, SOME(size, MAKE(BLOCK_DEVICE, NULL)), CUdeviceptr *address, size_t size)
FRONT(cuMemAllocManaged,
      flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST
          ? SOME(size, MAKE(BLOCK_MANAGED, NULL))
          : cudaErrorInvalidValue,
      CUdeviceptr *address, size_t size, unsigned flags)
FRONT(cuMemFree_v2,
      API_OUTSIDE_CAPTURE(runtime,
                          allocation_free(runtime, pointer_of(address), "cuMemFree", CALLER)),
      CUdeviceptr address)
FRONT(cuMemAllocPitch_v2,
      element == 4 || element == 8 || element == 16
          ? SOME(width && rows,
                 API_OUTSIDE_CAPTURE(runtime, allocation_make_rows(runtime, (void **)address, pitch,
                                                                   width, rows, CALLER)))
          : cudaErrorInvalidValue,
      CUdeviceptr *address, size_t *pitch, size_t width, size_t rows, unsigned element)
FRONT_IN(ptsz, cuMemAllocAsync,
         SOME(size, QUEUED(runtime,
                           pool_allocate(runtime, (void **)address, size, NULL, stream, CALLER))),
         CUdeviceptr *address, size_t size, CUstream stream)
FRONT_IN(ptsz, cuMemAllocFromPoolAsync,
         SOME(size &&pool, QUEUED(runtime, pool_allocate(runtime, (void **)address, size, pool,
                                                         stream, CALLER))),
         CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream)
FRONT_IN(ptsz, cuMemFreeAsync,
         QUEUED(runtime, pool_free(runtime, pointer_of(address), stream, "cuMemFreeAsync", CALLER)),
         CUdeviceptr address, CUstream stream)

FRONT(cuMemAllocHost_v2, SOME(size, cudaMallocHost(address, size)), void **address, size_t size)
FRONT(cuMemHostAlloc, SOME(size, cudaHostAlloc(address, size, flags)), void **address, size_t size,
      unsigned flags)
FRONT(cuMemFreeHost, address ? cudaFreeHost(address) : cudaErrorInvalidValue, void *address)
FRONT(cuMemHostRegister_v2, cudaHostRegister(address, size, flags), void *address, size_t size,
      unsigned flags)
FRONT(cuMemHostUnregister, cudaHostUnregister(address), void *address)
FRONT(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer((void **)device, host, flags),
      CUdeviceptr *device, void *host, unsigned flags)
FRONT(cuMemHostGetFlags, cudaHostGetFlags(flags, host), unsigned *flags, void *host)
FRONT(cuMemGetInfo_v2, cudaMemGetInfo(available, total), size_t *available, size_t *total)

/* --- Pools ------------------------------------------------------------------------------------ */

/* What describes them has the same fields for both fronts. */
_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "one description");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "one description");

FRONT_ANYWHERE(cuMemPoolCreate,
               cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)properties),
               CUmemoryPool *pool, const CUmemPoolProps *properties)
FRONT_ANYWHERE(cuMemPoolDestroy, cudaMemPoolDestroy(pool), CUmemoryPool pool)
FRONT_ANYWHERE(cuMemPoolTrimTo, cudaMemPoolTrimTo(pool, keep), CUmemoryPool pool, size_t keep)
FRONT_ANYWHERE(cuMemPoolGetAttribute,
               cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value),
               CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
FRONT_ANYWHERE(cuMemPoolSetAttribute,
               cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value),
               CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
FRONT_ANYWHERE(cuMemPoolSetAccess,
               cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)list, count),
               CUmemoryPool pool, const CUmemAccessDesc *list, size_t count)
FRONT_ANYWHERE(cuMemPoolGetAccess,
               cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool,
                                    (struct cudaMemLocation *)location),
               CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)

/* --- Copies ----------------------------------------------------------------------------------- */

/* A copy and its asynchronous twin. */
#define COPY_PAIR(name, version, to, from, kind, ...)                                              \
    FRONT_IN(ptds, cuMemcpy##name##version, cudaMemcpy(to, from, bytes, kind), __VA_ARGS__,        \
             size_t bytes)                                                                         \
    FRONT_IN(ptsz, cuMemcpy##name##Async##version, cudaMemcpyAsync(to, from, bytes, kind, stream), \
             __VA_ARGS__, size_t bytes, CUstream stream)

COPY_PAIR(, , pointer_of(to), pointer_of(from), cudaMemcpyDefault, CUdeviceptr to, CUdeviceptr from)
COPY_PAIR(HtoD, _v2, pointer_of(to), from, cudaMemcpyHostToDevice, CUdeviceptr to, const void *from)
COPY_PAIR(DtoH, _v2, to, pointer_of(from), cudaMemcpyDeviceToHost, void *to, CUdeviceptr from)
COPY_PAIR(DtoD, _v2, pointer_of(to), pointer_of(from), cudaMemcpyDeviceToDevice, CUdeviceptr to,
          CUdeviceptr from)

/* All contexts are those of one device. */
#define BETWEEN(to_context, from_context, call) ((void)(to_context), (void)(from_context), (call))
FRONT_IN(ptds, cuMemcpyPeer,
         BETWEEN(there, here, cudaMemcpyPeer(pointer_of(to), 0, pointer_of(from), 0, bytes)),
         CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes)
FRONT_IN(ptsz, cuMemcpyPeerAsync,
         BETWEEN(there, here,
                 cudaMemcpyPeerAsync(pointer_of(to), 0, pointer_of(from), 0, bytes, stream)),
         CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes,
         CUstream stream)

/* One side of a copy: memory or an array, and where in it. */
struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch, height, x, y, z;
};

/* The bytes of a texel; 0 if there is no such array. */
static size_t texel_bytes(CUarray array)
{
    struct cudaChannelFormatDesc desc;

    return cudaGetChannelDesc(&desc, (cudaArray_const_t)array)
               ? 0
               : (size_t)(desc.x + desc.y + desc.z + desc.w) / 8;
}

/* The runtime counts x in texels of an array, the driver in bytes. */
static cudaError_t describe_side(const struct side *side, size_t *unit, cudaArray_t *array,
                                 struct cudaPitchedPtr *memory, struct cudaPos *at)
{
    *at = (struct cudaPos){side->x, side->y, side->z};
    if (side->type != CU_MEMORYTYPE_ARRAY) {
        const bool host = side->type == CU_MEMORYTYPE_HOST;
        if (!host && side->type != CU_MEMORYTYPE_DEVICE && side->type != CU_MEMORYTYPE_UNIFIED)
            return cudaErrorInvalidValue;
        *memory = (struct cudaPitchedPtr){host ? (void *)side->host : pointer_of(side->device),
                                          side->pitch, side->pitch, side->height};
        return memory->ptr ? cudaSuccess : cudaErrorInvalidValue;
    }
    *unit = texel_bytes(side->array);
    *array = (cudaArray_t)side->array;
    if (!*unit)
        return cudaErrorInvalidResourceHandle;
    if (side->x % *unit)
        return cudaErrorInvalidValue;
    at->x /= *unit;
    return cudaSuccess;
}

static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
    if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (to == CU_MEMORYTYPE_HOST)
        return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

cudaError_t driver_copy_parameters(const CUDA_MEMCPY3D *given, struct cudaMemcpy3DParms *parms)
{
    size_t unit = 1;

    if (!given || given->srcLOD || given->dstLOD)
        return cudaErrorInvalidValue;
    const struct side to = {given->dstMemoryType, given->dstHost,  given->dstDevice,
                            given->dstArray,      given->dstPitch, given->dstHeight,
                            given->dstXInBytes,   given->dstY,     given->dstZ};
    const struct side from = {given->srcMemoryType, given->srcHost,  given->srcDevice,
                              given->srcArray,      given->srcPitch, given->srcHeight,
                              given->srcXInBytes,   given->srcY,     given->srcZ};
    *parms = (struct cudaMemcpy3DParms){.kind = kind_of(to.type, from.type)};
    TRY(describe_side(&to, &unit, &parms->dstArray, &parms->dstPtr, &parms->dstPos)
            ?: describe_side(&from, &unit, &parms->srcArray, &parms->srcPtr, &parms->srcPos));
    if (given->WidthInBytes % unit)
        return cudaErrorInvalidValue;
    parms->extent = (struct cudaExtent){given->WidthInBytes / unit, given->Height, given->Depth};
    return cudaSuccess;
}

static cudaError_t copy_volume(const CUDA_MEMCPY3D *given, CUstream stream)
{
    struct cudaMemcpy3DParms parms;

    TRY(driver_copy_parameters(given, &parms));
    return QUEUED(runtime, copy_3d(runtime, &parms, stream)
                               ?: stream ? cudaSuccess
                                         : queue_settle_stream(runtime, stream));
}

static cudaError_t copy_plane(const CUDA_MEMCPY2D *given, CUstream stream)
{
    if (!given)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D volume = {
        .srcXInBytes = given->srcXInBytes,
        .srcY = given->srcY,
        .srcMemoryType = given->srcMemoryType,
        .srcHost = given->srcHost,
        .srcDevice = given->srcDevice,
        .srcArray = given->srcArray,
        .srcPitch = given->srcPitch ? given->srcPitch : given->WidthInBytes,
        .srcHeight = given->srcY + given->Height,
        .dstXInBytes = given->dstXInBytes,
        .dstY = given->dstY,
        .dstMemoryType = given->dstMemoryType,
        .dstHost = given->dstHost,
        .dstDevice = given->dstDevice,
        .dstArray = given->dstArray,
        .dstPitch = given->dstPitch ? given->dstPitch : given->WidthInBytes,
        .dstHeight = given->dstY + given->Height,
        .WidthInBytes = given->WidthInBytes,
        .Height = given->Height,
        .Depth = 1,
    };
    return copy_volume(&volume, stream);
}

FRONT_IN(ptds, cuMemcpy2D_v2, copy_plane(copy, NULL), const CUDA_MEMCPY2D *copy)
FRONT_IN(ptds, cuMemcpy2DUnaligned_v2, copy_plane(copy, NULL), const CUDA_MEMCPY2D *copy)
FRONT_IN(ptsz, cuMemcpy2DAsync_v2, copy_plane(copy, stream), const CUDA_MEMCPY2D *copy,
         CUstream stream)
FRONT_IN(ptds, cuMemcpy3D_v2, copy_volume(copy, NULL), const CUDA_MEMCPY3D *copy)
FRONT_IN(ptsz, cuMemcpy3DAsync_v2, copy_volume(copy, stream), const CUDA_MEMCPY3D *copy,
         CUstream stream)

/* --- Fills ------------------------------------------------------------------------------------ */

/* Elements of `unit` bytes, `width` of them in each of `rows` rows. */
static cudaError_t fill_rows(struct runtime *runtime, CUdeviceptr start, size_t pitch,
                             unsigned value, size_t unit, size_t width, size_t rows,
                             CUstream stream)
{
    const struct area area = {.texels = {.address = start, .pitch = pitch}};
    size_t bytes;

    if (start % unit || (rows > 1 && pitch % unit) || __builtin_mul_overflow(width, unit, &bytes))
        return cudaErrorInvalidValue;
    return fill(runtime, area, value, unit, (struct box){bytes, rows, 1}, stream);
}

#define FILLS(bits, type)                                                                          \
    FRONT_IN(ptds, cuMemsetD##bits##_v2,                                                           \
             QUEUED(runtime, fill_rows(runtime, start, 0, value, sizeof(type), count, 1, NULL)     \
                                 ?: queue_settle_stream(runtime, NULL)),                           \
             CUdeviceptr start, type value, size_t count)                                          \
    FRONT_IN(ptsz, cuMemsetD##bits##Async,                                                         \
             QUEUED(runtime, fill_rows(runtime, start, 0, value, sizeof(type), count, 1, stream)), \
             CUdeviceptr start, type value, size_t count, CUstream stream)                         \
    FRONT_IN(                                                                                      \
        ptds, cuMemsetD2D##bits##_v2,                                                              \
        QUEUED(runtime, fill_rows(runtime, start, pitch, value, sizeof(type), width, rows, NULL)   \
                            ?: queue_settle_stream(runtime, NULL)),                                \
        CUdeviceptr start, size_t pitch, type value, size_t width, size_t rows)                    \
    FRONT_IN(ptsz, cuMemsetD2D##bits##Async,                                                       \
             QUEUED(runtime,                                                                       \
                    fill_rows(runtime, start, pitch, value, sizeof(type), width, rows, stream)),   \
             CUdeviceptr start, size_t pitch, type value, size_t width, size_t rows,               \
             CUstream stream)
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)

/* --- What is known about memory --------------------------------------------------------------- */

static cudaError_t copy_allocation(struct runtime *runtime, struct allocation *allocation,
                                   CUdeviceptr address)
{
    const struct allocation *found = memory_find(runtime->machine, address, 1);

    if (!found)
        return cudaErrorSymbolNotFound;
    *allocation = *found;
    return cudaSuccess;
}

static cudaError_t get_range(struct runtime *runtime, CUdeviceptr *base, size_t *size,
                             CUdeviceptr address)
{
    struct allocation allocation;

    TRY(copy_allocation(runtime, &allocation, address));
    if (allocation.kind == MEMORY_HOST)
        return cudaErrorSymbolNotFound;
    if (base)
        *base = allocation.address;
    if (size)
        *size = allocation.size;
    return cudaSuccess;
}
FRONT(cuMemGetAddressRange_v2, ASIDE(runtime, get_range(runtime, base, size, address)),
      CUdeviceptr *base, size_t *size, CUdeviceptr address)

static CUmemorytype memory_type(enum cudaMemoryType type)
{
    return type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/* Write an attribute, as wide as the driver has it. Of memory that CUDA does not know, only that it
 * is not mapped, and not managed. */
static cudaError_t get_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    struct cudaPointerAttributes known;
    struct allocation allocation = {0};

    TRY(cudaPointerGetAttributes(&known, pointer_of(address)));
    const bool is_known = known.type != cudaMemoryTypeUnregistered;
    if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED || attribute == CU_POINTER_ATTRIBUTE_MAPPED) {
        *(bool *)data = attribute == CU_POINTER_ATTRIBUTE_MAPPED
                            ? is_known
                            : known.type == cudaMemoryTypeManaged;
        return cudaSuccess;
    }
    TRY(is_known ? ASIDE(runtime, copy_allocation(runtime, &allocation, address))
                 : cudaErrorInvalidValue);
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = context_current();
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)data = memory_type(known.type);
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = (CUdeviceptr)known.devicePointer;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)data = known.hostPointer;
        return known.hostPointer ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = allocation.address;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = known.device;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(int *)data = 0;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = allocation.address;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = allocation.size;
        return cudaSuccess;
    default:
        return driver_supports_no("such attributes of pointers");
    }
}

/* All at once. What is not known is NULL or 0, and no error. */
static cudaError_t get_attributes(unsigned count, const CUpointer_attribute *attributes,
                                  void **data, CUdeviceptr address)
{
    if (!count || !attributes || !data)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (!data[i])
            return cudaErrorInvalidValue;
        if (get_attribute(data[i], attributes[i], address))
            *(int *)data[i] = 0;
    }
    return cudaSuccess;
}

FRONT(cuPointerGetAttribute, data ? get_attribute(data, attribute, address) : cudaErrorInvalidValue,
      void *data, CUpointer_attribute attribute, CUdeviceptr address)
FRONT(cuPointerGetAttributes, get_attributes(count, attributes, data, address), unsigned count,
      CUpointer_attribute *attributes, void **data, CUdeviceptr address)

/* --- Managed memory --------------------------------------------------------------------------- */

#if CUDA_VERSION >= 13000
/* Its kinds have the same numbers for both fronts. */
static struct cudaMemLocation location_of(CUmemLocation location)
{
    return (struct cudaMemLocation){.type = (enum cudaMemLocationType)location.type,
                                    .id = location.id};
}

FRONT(cuMemAdvise_v2,
      cudaMemAdvise(pointer_of(start), bytes, (enum cudaMemoryAdvise)what, location_of(where)),
      CUdeviceptr start, size_t bytes, CUmem_advise what, CUmemLocation where)
FRONT_IN(ptsz, cuMemPrefetchAsync_v2,
         cudaMemPrefetchAsync(pointer_of(start), bytes, location_of(where), flags, stream),
         CUdeviceptr start, size_t bytes, CUmemLocation where, unsigned flags, CUstream stream)
#endif
FRONT(cuMemRangeGetAttribute,
      cudaMemRangeGetAttribute(data, size, (enum cudaMemRangeAttribute)attribute, pointer_of(start),
                               bytes),
      void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr start, size_t bytes)
