/* SPDX-License-Identifier: MIT */
/* Texture and surface objects. A descriptor is checked like CUDA checks it, and turned into what
 * kernels need. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

/* An object and the program's description of it. */
struct object {
    int device;
    cudaTextureObject_t handle;
    bool surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
};

static cudaError_t refuse(const char *what)
{
    runtime_say("%s are not supported", what);
    return cudaErrorNotSupported;
}

static cudaError_t set_channels(const struct cudaChannelFormatDesc *desc, struct texture *texture)
{
    struct channels channels;
    TRY(channel_layout(desc, &channels));
    texture->channels = channels.count;
    texture->channel_bytes = channels.bytes;
    texture->kind = desc->f == cudaChannelFormatKindFloat    ? TEXEL_FLOAT
                    : desc->f == cudaChannelFormatKindSigned ? TEXEL_SIGNED
                                                             : TEXEL_UNSIGNED;
    return cudaSuccess;
}

static size_t texel_bytes(const struct texture *texture)
{
    return (size_t)texture->channels * (size_t)texture->channel_bytes;
}

static cudaError_t of_array(const struct runtime *runtime, const struct cudaArray *array,
                            struct texture *texture)
{
    if (!array)
        return cudaErrorInvalidValue;
    if (!list_has(&runtime->arrays, array))
        return cudaErrorInvalidResourceHandle;
    const struct cudaExtent extent = array->extent;
    texture->texels = array->texels;
    texture->bytes = array->bytes;
    texture->array = true;
    texture->gathers = array->flags & cudaArrayTextureGather;
    const bool layers = array->flags & cudaArrayLayered, cube = array->flags & cudaArrayCubemap;
    texture->layered = layers || cube;
    texture->cube = !cube ? NO_CUBE : layers ? LAYERED_CUBES : ONE_CUBE;
    texture->layers = texture->layered ? (uint32_t)extent.depth : 1;
    texture->dimensions = 1 + (extent.height != 0) + (extent.depth != 0 && !texture->layered);
    texture->size[0] = (uint32_t)extent.width;
    texture->size[1] = extent.height ? (uint32_t)extent.height : 1;
    texture->size[2] = texture->dimensions == 3 ? (uint32_t)extent.depth : 1;
    return set_channels(&array->desc, texture);
}

static cudaError_t of_mipmap(const struct runtime *runtime, const struct cudaMipmappedArray *mipmap,
                             struct texture *texture)
{
    if (!mipmap)
        return cudaErrorInvalidValue;
    if (!list_has(&runtime->mipmaps, mipmap))
        return cudaErrorInvalidResourceHandle;
    TRY(of_array(runtime, mipmap->levels[0], texture));
    texture->bytes = mipmap->bytes;
    texture->mip_count = mipmap->count - 1;
    for (int i = 0; i < texture->mip_count; i++) {
        struct texture level;
        TRY(of_array(runtime, mipmap->levels[1 + i], &level));
        texture->mips[i].texels = level.texels;
        memcpy(texture->mips[i].size, level.size, sizeof(level.size));
    }
    return cudaSuccess;
}

/* Check that the memory was allocated by the program, and that a texture may start there. */
static bool is_usable(const struct runtime *runtime, const struct texture *texture)
{
    const int alignment = device_attribute(runtime, cudaDevAttrTextureAlignment);

    return texture->bytes && texture->texels.address % (uint64_t)alignment == 0 &&
           memory_find(runtime->machine, texture->texels.address, texture->bytes);
}

static cudaError_t of_linear(const struct runtime *runtime, const struct cudaResourceDesc *resource,
                             struct texture *texture)
{
    TRY(set_channels(&resource->res.linear.desc, texture));
    const size_t width = resource->res.linear.sizeInBytes / texel_bytes(texture);
    texture->texels = (struct texels){.address = (uint64_t)resource->res.linear.devPtr};
    texture->bytes = width * texel_bytes(texture);
    texture->linear = true;
    texture->dimensions = 1;
    texture->size[0] = (uint32_t)width;
    if (width > (size_t)device_attribute(runtime, cudaDevAttrMaxTexture1DLinearWidth))
        return cudaErrorInvalidValue;
    /* As on a GPU it may be longer than the memory: only a fetch from behind that is wrong. */
    const struct allocation *memory = memory_find(runtime->machine, texture->texels.address, 1);
    const size_t rest = memory ? memory->address + memory->size - texture->texels.address : 0;
    if (texture->bytes > rest)
        texture->bytes = rest / texel_bytes(texture) * texel_bytes(texture);
    return is_usable(runtime, texture) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t of_pitched(const struct runtime *runtime,
                              const struct cudaResourceDesc *resource, struct texture *texture)
{
    const size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
    const size_t pitch = resource->res.pitch2D.pitchInBytes;
    TRY(set_channels(&resource->res.pitch2D.desc, texture));
    if (!width || !height ||
        width > (size_t)device_attribute(runtime, cudaDevAttrMaxTexture2DLinearWidth) ||
        height > (size_t)device_attribute(runtime, cudaDevAttrMaxTexture2DLinearHeight) ||
        pitch > (size_t)device_attribute(runtime, cudaDevAttrMaxTexture2DLinearPitch) ||
        pitch % (size_t)device_attribute(runtime, cudaDevAttrTexturePitchAlignment) ||
        width * texel_bytes(texture) > pitch)
        return cudaErrorInvalidValue;
    texture->texels =
        (struct texels){.address = (uint64_t)resource->res.pitch2D.devPtr, .pitch = pitch};
    texture->bytes = pitch * (height - 1) + width * texel_bytes(texture);
    texture->dimensions = 2;
    texture->size[0] = (uint32_t)width;
    texture->size[1] = (uint32_t)height;
    return is_usable(runtime, texture) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t of_resource(const struct runtime *runtime,
                               const struct cudaResourceDesc *resource, struct texture *texture)
{
    switch (resource->resType) {
    case cudaResourceTypeArray:
        return of_array(runtime, resource->res.array.array, texture);
    case cudaResourceTypeLinear:
        return of_linear(runtime, resource, texture);
    case cudaResourceTypePitch2D:
        return of_pitched(runtime, resource, texture);
    case cudaResourceTypeMipmappedArray:
        return of_mipmap(runtime, resource->res.mipmap.mipmap, texture);
    default:
        return cudaErrorInvalidValue;
    }
}

_Static_assert((int)MODE_WRAP == (int)cudaAddressModeWrap &&
                   (int)MODE_CLAMP == (int)cudaAddressModeClamp &&
                   (int)MODE_MIRROR == (int)cudaAddressModeMirror &&
                   (int)MODE_BORDER == (int)cudaAddressModeBorder,
               "address modes are numbered as CUDA's");

/* How the level of a mipmap is found. */
static cudaError_t set_levels(const struct cudaTextureDesc *description, struct texture *texture)
{
    if ((unsigned)description->mipmapFilterMode > cudaFilterModeLinear || !texture->normalised)
        return cudaErrorInvalidValue;
    if (description->maxAnisotropy > 1)
        return refuse("anisotropic filters");
    texture->blends = description->mipmapFilterMode == cudaFilterModeLinear;
    texture->bias = description->mipmapLevelBias;
    texture->least = description->minMipmapLevelClamp;
    texture->most = description->maxMipmapLevelClamp;
    return cudaSuccess;
}

/* Must be called after of_resource(), because the texels decide which filters are allowed. */
static cudaError_t set_sampling(const struct cudaTextureDesc *description, struct texture *texture)
{
    if ((unsigned)description->filterMode > cudaFilterModeLinear ||
        (unsigned)description->readMode > cudaReadModeNormalizedFloat)
        return cudaErrorInvalidValue;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)description->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        texture->modes[i] = (enum texture_mode)description->addressMode[i];
    }
    if (description->sRGB)
        return refuse("sRGB textures");
    if (description->seamlessCubemap && texture->cube)
        return refuse("seamless cubemaps");
    /* The manual says that 32-bit integers are not converted, whatever the read mode. */
    texture->reads_normalised = description->readMode == cudaReadModeNormalizedFloat &&
                                texture->kind != TEXEL_FLOAT && texture->channel_bytes < 4;
    texture->normalised = description->normalizedCoords != 0 || texture->cube;
    for (int i = 0; texture->cube && i < 3; i++) /* a filter stays on its face */
        texture->modes[i] = MODE_CLAMP;
    if (texture->linear)
        return cudaSuccess;
    if (texture->mip_count)
        TRY(set_levels(description, texture));
    memcpy(texture->border, description->borderColor, sizeof(texture->border));
    texture->filters = description->filterMode == cudaFilterModeLinear;
    return texture->filters && !texture_gives_floats(texture) ? cudaErrorInvalidFilterSetting
                                                              : cudaSuccess;
}

static cudaError_t add_object(struct runtime *runtime, unsigned long long *result,
                              const struct texture *texture,
                              const struct cudaResourceDesc *resource,
                              const struct cudaTextureDesc *description)
{
    struct object *object = malloc(sizeof(*object));
    const uint64_t handle = object ? texture_create(runtime->machine, texture) : 0;

    if (!handle || !list_add(&runtime->textures, object)) {
        texture_destroy(runtime->machine, handle);
        free(object);
        return cudaErrorMemoryAllocation;
    }
    *object =
        (struct object){runtime->device->number, handle, texture->surface, *resource, *description};
    *result = handle;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaCreateTextureObject, (result, resource, description, view),
      cudaTextureObject_t *result, const struct cudaResourceDesc *resource,
      const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view)
{
    struct texture texture = {.size = {1, 1, 1}, .layers = 1};

    if (!result || !resource || !description)
        return cudaErrorInvalidValue;
    if (view)
        return refuse("resource views of textures");
    TRY(of_resource(runtime, resource, &texture) ?: set_sampling(description, &texture));
    return add_object(runtime, result, &texture, resource, description);
}

ENTRY(ASIDE, cudaCreateSurfaceObject, (result, resource), cudaSurfaceObject_t *result,
      const struct cudaResourceDesc *resource)
{
    static const struct cudaTextureDesc none;
    struct texture surface = {.size = {1, 1, 1}, .layers = 1, .surface = true};

    if (!result || !resource)
        return cudaErrorInvalidValue;
    if (resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidChannelDescriptor;
    TRY(of_array(runtime, resource->res.array.array, &surface));
    return add_object(runtime, result, &surface, resource, &none);
}

/* The answer is the same for every format. */
ENTRY(ASIDE, cudaDeviceGetTexture1DLinearMaxWidth, (width, desc, device), size_t *width,
      const struct cudaChannelFormatDesc *desc, int device)
{
    struct channels channels;

    if (!width || !desc)
        return cudaErrorInvalidValue;
    TRY(device_about(runtime, device));
    *width = (size_t)device_attribute(runtime, cudaDevAttrMaxTexture1DLinearWidth);
    return channel_layout(desc, &channels);
}

static struct object *find(const struct runtime *runtime, cudaTextureObject_t handle, bool surface)
{
    for (size_t i = 0; i < runtime->textures.count; i++) {
        struct object *object = runtime->textures.items[i];
        if (object->device == runtime->device->number && object->handle == handle &&
            object->surface == surface)
            return object;
    }
    return NULL;
}

static cudaError_t destroy(struct runtime *runtime, struct object *object)
{
    if (!object)
        return cudaErrorInvalidValue;
    texture_destroy(runtime->machine, object->handle);
    list_remove(&runtime->textures, object);
    free(object);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
    return API(runtime, destroy(runtime, find(runtime, handle, false)));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
    return API(runtime, destroy(runtime, find(runtime, handle, true)));
}

void texture_clear(struct runtime *runtime)
{
    struct object *object;

    while ((object = list_take_from(&runtime->textures, runtime->device->number)))
        destroy(runtime, object);
}

ENTRY(ASIDE, cudaGetTextureObjectResourceDesc, (resource, handle),
      struct cudaResourceDesc *resource, cudaTextureObject_t handle)
{
    const struct object *object = find(runtime, handle, false);

    if (!resource || !object)
        return cudaErrorInvalidValue;
    *resource = object->resource;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGetTextureObjectTextureDesc, (description, handle),
      struct cudaTextureDesc *description, cudaTextureObject_t handle)
{
    const struct object *object = find(runtime, handle, false);

    if (!description || !object)
        return cudaErrorInvalidValue;
    *description = object->description;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGetSurfaceObjectResourceDesc, (resource, handle),
      struct cudaResourceDesc *resource, cudaSurfaceObject_t handle)
{
    const struct object *object = find(runtime, handle, true);

    if (!resource || !object)
        return cudaErrorInvalidValue;
    *resource = object->resource;
    return cudaSuccess;
}
