/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays: an array for each level, half as large as the one before, all in one piece of
 * memory. */
#include "cudart/runtime.h"

#include <stdlib.h>

enum { LEVEL_ALIGN = 512 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t halved(size_t size, int level)
{
    return size ? larger(size >> level, 1) : 0;
}

static bool has_layers(unsigned flags)
{
    return flags & (cudaArrayLayered | cudaArrayCubemap);
}

/* As many as the program asks for, if a level has anything left to halve. */
static int count_levels(struct cudaExtent extent, unsigned asked, unsigned flags)
{
    size_t size = larger(extent.width, extent.height);
    int most = 1;

    if (!has_layers(flags))
        size = larger(size, extent.depth);
    while (size >> most && most < 1 + MAX_MIPS)
        most++;
    return asked < 1 ? 1 : asked < (unsigned)most ? (int)asked : most;
}

static void forget(struct runtime *runtime, struct cudaMipmappedArray *mipmap)
{
    for (int i = 0; i < mipmap->count; i++) {
        list_remove(&runtime->arrays, mipmap->levels[i]);
        free(mipmap->levels[i]);
    }
    free(mipmap);
}

/* Add a level that begins after the others. */
static cudaError_t add_level(struct runtime *runtime, struct cudaMipmappedArray *mipmap,
                             const struct cudaArray *like)
{
    const int level = mipmap->count;
    struct cudaArray *array = malloc(sizeof(*array));

    if (!array)
        return cudaErrorMemoryAllocation;
    *array = *like;
    array->is_level = true;
    array->extent.width = halved(like->extent.width, level);
    array->extent.height = halved(like->extent.height, level);
    if (!has_layers(like->flags))
        array->extent.depth = halved(like->extent.depth, level);
    array->device = runtime->device->number;
    mipmap->levels[mipmap->count++] = array;
    TRY(array_prepare(runtime, array));
    array->texels.address = mipmap->bytes; /* from the memory's start, until that is known */
    if (__builtin_add_overflow(mipmap->bytes, array->bytes + LEVEL_ALIGN - 1, &mipmap->bytes))
        return cudaErrorMemoryAllocation;
    mipmap->bytes -= mipmap->bytes % LEVEL_ALIGN;
    return cudaSuccess;
}

static cudaError_t make(struct runtime *runtime, struct cudaMipmappedArray *mipmap,
                        const struct cudaArray *like, int count, const void *caller)
{
    for (int i = 0; i < count; i++)
        TRY(add_level(runtime, mipmap, like));
    for (int i = 0; i < count; i++)
        if (!list_add(&runtime->arrays, mipmap->levels[i]))
            return cudaErrorMemoryAllocation;
    mipmap->device = runtime->device->number;
    mipmap->address = memory_allocate(runtime->machine, mipmap->bytes, MEMORY_DEVICE, NULL);
    if (!mipmap->address || !list_add(&runtime->mipmaps, mipmap)) {
        memory_release(runtime->machine, mipmap->address);
        return cudaErrorMemoryAllocation;
    }
    for (int i = 0; i < count; i++)
        mipmap->levels[i]->texels.address += mipmap->address;
    checks_allocated(runtime->checks, mipmap->address, mipmap->bytes, true, caller);
    return cudaSuccess;
}

static cudaError_t allocate(struct runtime *runtime, cudaMipmappedArray_t *result,
                            const struct cudaArray *like, unsigned asked, const void *caller)
{
    struct cudaMipmappedArray *mipmap = calloc(1, sizeof(*mipmap));

    if (!mipmap)
        return cudaErrorMemoryAllocation;
    const cudaError_t error =
        make(runtime, mipmap, like, count_levels(like->extent, asked, like->flags), caller);
    if (error)
        forget(runtime, mipmap);
    else
        *result = mipmap;
    return error;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned levels, unsigned flags)
{
    return API_OUTSIDE_CAPTURE(
        runtime,
        mipmap && desc
            ? allocate(runtime, mipmap,
                       &(struct cudaArray){.desc = *desc, .extent = extent, .flags = flags}, levels,
                       CALLER)
            : cudaErrorInvalidValue);
}

ENTRY(ASIDE, cudaGetMipmappedArrayLevel, (level, mipmap, number), cudaArray_t *level,
      cudaMipmappedArray_const_t mipmap, unsigned number)
{
    if (!level || !list_has(&runtime->mipmaps, mipmap) || number >= (unsigned)mipmap->count)
        return cudaErrorInvalidValue;
    *level = mipmap->levels[number];
    return cudaSuccess;
}

static void release(struct runtime *runtime, struct cudaMipmappedArray *mipmap)
{
    checks_freed(runtime->checks, mipmap->address, mipmap->bytes);
    memory_release(runtime->machine, mipmap->address);
    forget(runtime, mipmap);
}

ENTRY(API_OUTSIDE_CAPTURE, cudaFreeMipmappedArray, (mipmap), cudaMipmappedArray_t mipmap)
{
    if (!mipmap)
        return cudaSuccess;
    if (!list_remove(&runtime->mipmaps, mipmap))
        return cudaErrorInvalidValue;
    release(runtime, mipmap);
    return cudaSuccess;
}

void mipmap_clear(struct runtime *runtime)
{
    struct cudaMipmappedArray *mipmap;

    while ((mipmap = list_take_from(&runtime->mipmaps, runtime->device->number)))
        release(runtime, mipmap);
}
