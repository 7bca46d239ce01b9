/* SPDX-License-Identifier: MIT */
/* Arrays, textures and surfaces. A CUarray is the runtime's array; a texture's description says the
 * same in other words. */
#include "driver/driver.h"

#include <string.h>

/* The runtime calls copies to an array as to a run of bytes old. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* --- Arrays ----------------------------------------------------------------------------------- */

/* The formats that a plain array may have: bits of a channel, and what it is. */
static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* The same for the runtime. What is none of these formats is not emulated. */
static cudaError_t describe(CUarray_format format, unsigned channels,
                            struct cudaChannelFormatDesc *desc)
{
    if (channels != 1 && channels != 2 && channels != 4)
        return cudaErrorInvalidValue;
    for (int i = 0; i < FORMATS; i++) {
        const int bits = formats[i].bits;
        if (formats[i].format != format)
            continue;
        *desc =
            (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                           channels > 3 ? bits : 0, formats[i].kind};
        return cudaSuccess;
    }
    return driver_supports_no("array formats of video and compressed images");
}

static cudaError_t create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *given)
{
    struct cudaChannelFormatDesc desc;

    if (!array || !given || !given->Width)
        return cudaErrorInvalidValue;
    TRY(describe(given->Format, given->NumChannels, &desc));
    return cudaMalloc3DArray((cudaArray_t *)array, &desc,
                             (struct cudaExtent){given->Width, given->Height, given->Depth},
                             given->Flags);
}

static cudaError_t create_plane(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *given)
{
    if (!given)
        return cudaErrorInvalidValue;
    const CUDA_ARRAY3D_DESCRIPTOR volume = {.Width = given->Width,
                                            .Height = given->Height,
                                            .Format = given->Format,
                                            .NumChannels = given->NumChannels};
    return create(array, &volume);
}

static cudaError_t get_descriptor(CUDA_ARRAY3D_DESCRIPTOR *result, CUarray array)
{
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags;

    if (!result)
        return cudaErrorInvalidValue;
    TRY(cudaArrayGetInfo(&desc, &extent, &flags, (cudaArray_t)array));
    *result = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width,
        .Height = extent.height,
        .Depth = extent.depth,
        .NumChannels = (unsigned)(1 + (desc.y > 0) + (desc.z > 0) + (desc.w > 0)),
        .Flags = flags};
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].bits == desc.x && formats[i].kind == desc.f)
            result->Format = formats[i].format;
    return cudaSuccess;
}

static cudaError_t get_plane_descriptor(CUDA_ARRAY_DESCRIPTOR *result, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR volume;

    if (!result)
        return cudaErrorInvalidValue;
    TRY(get_descriptor(&volume, array));
    *result =
        (CUDA_ARRAY_DESCRIPTOR){volume.Width, volume.Height, volume.Format, volume.NumChannels};
    return cudaSuccess;
}

FRONT(cuArrayCreate_v2, create_plane(array, given), CUarray *array,
      const CUDA_ARRAY_DESCRIPTOR *given)
FRONT(cuArray3DCreate_v2, create(array, given), CUarray *array,
      const CUDA_ARRAY3D_DESCRIPTOR *given)
FRONT(cuArrayGetDescriptor_v2, get_plane_descriptor(result, array), CUDA_ARRAY_DESCRIPTOR *result,
      CUarray array)
FRONT(cuArray3DGetDescriptor_v2, get_descriptor(result, array), CUDA_ARRAY3D_DESCRIPTOR *result,
      CUarray array)
FRONT(cuArrayDestroy, array ? cudaFreeArray((cudaArray_t)array) : cudaErrorInvalidResourceHandle,
      CUarray array)

/* Copies of a run of bytes, whose offset in the array is counted in bytes, too. */
#define TO_ARRAY(name, type, from, kind)                                                         \
    FRONT_IN(ptds, cuMemcpy##name##_v2,                                                          \
             cudaMemcpyToArray((cudaArray_t)array, offset, 0, from, bytes, kind), CUarray array, \
             size_t offset, type memory, size_t bytes)
#define FROM_ARRAY(name, type, to, kind)                                                \
    FRONT_IN(ptds, cuMemcpy##name##_v2,                                                 \
             cudaMemcpyFromArray(to, (cudaArray_const_t)array, offset, 0, bytes, kind), \
             type memory, CUarray array, size_t offset, size_t bytes)
TO_ARRAY(HtoA, const void *, memory, cudaMemcpyHostToDevice)
TO_ARRAY(DtoA, CUdeviceptr, pointer_of(memory), cudaMemcpyDeviceToDevice)
FROM_ARRAY(AtoH, void *, memory, cudaMemcpyDeviceToHost)
FROM_ARRAY(AtoD, CUdeviceptr, pointer_of(memory), cudaMemcpyDeviceToDevice)
FRONT_IN(ptds, cuMemcpyAtoA_v2,
         cudaMemcpyArrayToArray((cudaArray_t)to, to_offset, 0, (cudaArray_const_t)from, from_offset,
                                0, bytes, cudaMemcpyDeviceToDevice),
         CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
FRONT_IN(ptsz, cuMemcpyHtoAAsync_v2,
         cudaMemcpyToArrayAsync((cudaArray_t)array, offset, 0, memory, bytes,
                                cudaMemcpyHostToDevice, stream),
         CUarray array, size_t offset, const void *memory, size_t bytes, CUstream stream)
FRONT_IN(ptsz, cuMemcpyAtoHAsync_v2,
         cudaMemcpyFromArrayAsync(memory, (cudaArray_const_t)array, offset, 0, bytes,
                                  cudaMemcpyDeviceToHost, stream),
         void *memory, CUarray array, size_t offset, size_t bytes, CUstream stream)

/* --- Textures and surfaces -------------------------------------------------------------------- */

static cudaError_t describe_resource(const CUDA_RESOURCE_DESC *given,
                                     struct cudaResourceDesc *resource)
{
    if (!given || given->flags)
        return cudaErrorInvalidValue;
    *resource = (struct cudaResourceDesc){.resType = (enum cudaResourceType)given->resType};
    switch (given->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        resource->res.array.array = (cudaArray_t)given->res.array.hArray;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
        resource->res.linear.devPtr = pointer_of(given->res.linear.devPtr);
        resource->res.linear.sizeInBytes = given->res.linear.sizeInBytes;
        return describe(given->res.linear.format, given->res.linear.numChannels,
                        &resource->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        resource->res.pitch2D.devPtr = pointer_of(given->res.pitch2D.devPtr);
        resource->res.pitch2D.width = given->res.pitch2D.width;
        resource->res.pitch2D.height = given->res.pitch2D.height;
        resource->res.pitch2D.pitchInBytes = given->res.pitch2D.pitchInBytes;
        return describe(given->res.pitch2D.format, given->res.pitch2D.numChannels,
                        &resource->res.pitch2D.desc);
    default:
        return driver_supports_no("mipmapped arrays");
    }
}

/* The format of what is read, for how it is read. */
static cudaError_t format_of(const struct cudaResourceDesc *resource,
                             struct cudaChannelFormatDesc *desc)
{
    if (resource->resType == cudaResourceTypeArray)
        return cudaGetChannelDesc(desc, resource->res.array.array);
    *desc = resource->resType == cudaResourceTypeLinear ? resource->res.linear.desc
                                                        : resource->res.pitch2D.desc;
    return cudaSuccess;
}

/* The driver reads integers of 8 and 16 bits as numbers from 0 to 1 unless it is told not to; the
 * runtime the other way round. */
static cudaError_t create_texture(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource_given,
                                  const CUDA_TEXTURE_DESC *given)
{
    struct cudaChannelFormatDesc format;
    struct cudaResourceDesc resource;

    if (!texture || !given)
        return cudaErrorInvalidValue;
    TRY(describe_resource(resource_given, &resource) ?: format_of(&resource, &format));
    const bool plain = given->flags & CU_TRSF_READ_AS_INTEGER || format.x == 32 ||
                       format.f == cudaChannelFormatKindFloat;
    struct cudaTextureDesc desc = {
        .filterMode = (enum cudaTextureFilterMode)given->filterMode,
        .readMode = plain ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
        .sRGB = (given->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (given->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = given->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)given->mipmapFilterMode,
        .mipmapLevelBias = given->mipmapLevelBias,
        .minMipmapLevelClamp = given->minMipmapLevelClamp,
        .maxMipmapLevelClamp = given->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++)
        desc.addressMode[i] = (enum cudaTextureAddressMode)given->addressMode[i];
    memcpy(desc.borderColor, given->borderColor, sizeof(desc.borderColor));
#if CUDART_VERSION >= 11060
    desc.seamlessCubemap = (given->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
#endif
    return cudaCreateTextureObject((cudaTextureObject_t *)texture, &resource, &desc, NULL);
}

static cudaError_t create_surface(CUsurfObject *surface, const CUDA_RESOURCE_DESC *given)
{
    struct cudaResourceDesc resource;

    TRY(describe_resource(given, &resource));
    return cudaCreateSurfaceObject((cudaSurfaceObject_t *)surface, &resource);
}

FRONT(cuTexObjectCreate,
      view ? driver_supports_no("resource views of textures")
           : create_texture(texture, resource, description),
      CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
      const CUDA_TEXTURE_DESC *description, const CUDA_RESOURCE_VIEW_DESC *view)
FRONT(cuTexObjectDestroy, cudaDestroyTextureObject(texture), CUtexObject texture)
FRONT(cuSurfObjectCreate, create_surface(surface, resource), CUsurfObject *surface,
      const CUDA_RESOURCE_DESC *resource)
FRONT(cuSurfObjectDestroy, cudaDestroySurfaceObject(surface), CUsurfObject surface)
