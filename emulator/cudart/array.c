/* SPDX-License-Identifier: MIT */
/* CUDA arrays. Their texels are laid out for textures; programs reach them only by copies and
 * fetches. */
#include "cudart/transfer.h"

#include <stdlib.h>

/* The alignment of a row in an array without tiles, that is, of one dimension. */
enum { LINE_ALIGN = 512 };

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

static bool is_plain_kind(enum cudaChannelFormatKind kind)
{
    return kind == cudaChannelFormatKindSigned || kind == cudaChannelFormatKindUnsigned ||
           kind == cudaChannelFormatKindFloat;
}

cudaError_t channel_layout(const struct cudaChannelFormatDesc *desc, struct channels *channels)
{
    const int bits[] = {desc->x, desc->y, desc->z, desc->w};
    int count = 0;

    if (!is_plain_kind(desc->f)) {
        if ((unsigned)desc->f > cudaChannelFormatKindNone)
            runtime_say("channel format %d is not supported: signed, unsigned and float are",
                        (int)desc->f);
        return (unsigned)desc->f > cudaChannelFormatKindNone ? cudaErrorNotSupported
                                                             : cudaErrorInvalidChannelDescriptor;
    }
    for (int i = 0; i < 4; i++) {
        count += bits[i] != 0;
        if (bits[i] && (bits[i] != bits[0] || count != i + 1))
            return cudaErrorInvalidChannelDescriptor;
    }
    const bool fits =
        bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && desc->f != cudaChannelFormatKindFloat);
    if (!fits || count == 3)
        return cudaErrorInvalidChannelDescriptor;
    *channels = (struct channels){.count = count, .bytes = bits[0] / 8};
    return cudaSuccess;
}

static bool fits_limits(const struct runtime *runtime, const struct cudaArray *array)
{
    const struct cudaExtent extent = array->extent;
    const bool layered = array->flags & cudaArrayLayered;
    const bool flat = !extent.height, cube = array->flags & cudaArrayCubemap;
    const struct limits {
        bool applies;
        enum cudaDeviceAttr width, height, depth;
    } all[] = {
        {layered && cube, cudaDevAttrMaxTextureCubemapLayeredWidth,
         cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers},
        {cube, cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapWidth, 0},
        {layered && flat, cudaDevAttrMaxTexture1DLayeredWidth, 0,
         cudaDevAttrMaxTexture1DLayeredLayers},
        {layered, cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
         cudaDevAttrMaxTexture2DLayeredLayers},
        {flat, cudaDevAttrMaxTexture1DWidth, 0, 0},
        {!extent.depth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, 0},
        {true, cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
         cudaDevAttrMaxTexture3DDepth},
    };
    const struct limits *limits = all;

    while (!limits->applies)
        limits++;
    return extent.width <= (size_t)device_attribute(runtime, limits->width) &&
           (!limits->height ||
            extent.height <= (size_t)device_attribute(runtime, limits->height)) &&
           (!limits->depth || extent.depth <= (size_t)device_attribute(runtime, limits->depth));
}

/* Flags that CUDA knows and the emulator does not are refused by name. */
static cudaError_t check_flags(const struct cudaArray *array)
{
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
    const unsigned ours = known | cudaArrayColorAttachment | cudaArraySparse |
                          cudaArrayDeferredMapping | cudaArraySparsePropertiesSingleMipTail;

    if (array->flags & ~ours)
        return cudaErrorInvalidValue;
    if (array->flags & ~known)
        runtime_say("array flags 0x%x are not supported", array->flags & ~known);
    return array->flags & ~known ? cudaErrorNotSupported : cudaSuccess;
}

/* Find the layout of the texels. Returns false if there are too many. */
static bool lay_out(struct cudaArray *array)
{
    const size_t rows = array->extent.height ? array->extent.height : 1;
    const size_t slices = array->extent.depth ? array->extent.depth : 1;
    const size_t width = array->extent.width * array->channels.count * array->channels.bytes;
    struct texels *texels = &array->texels;

    texels->tiled = array->extent.height != 0;
    texels->pitch = round_up(width, texels->tiled ? TILE_WIDTH : LINE_ALIGN);
    texels->slice = texels->pitch * (texels->tiled ? round_up(rows, TILE_ROWS) : 1);
    return !__builtin_mul_overflow(texels->slice, slices, &array->bytes);
}

/* A cube has six layers, its faces; more where it is layered. */
static bool is_cube(const struct cudaArray *array)
{
    const struct cudaExtent extent = array->extent;
    const bool layered = array->flags & cudaArrayLayered;

    return extent.width == extent.height && extent.depth &&
           (layered ? extent.depth % CUBE_FACES == 0 : extent.depth == CUBE_FACES);
}

cudaError_t array_prepare(const struct runtime *runtime, struct cudaArray *array)
{
    const struct cudaExtent extent = array->extent;

    if (extent.width == 0 || (array->flags & cudaArrayLayered && extent.depth == 0) ||
        (extent.depth && !extent.height && !(array->flags & cudaArrayLayered)) ||
        (array->flags & cudaArrayCubemap && !is_cube(array)))
        return cudaErrorInvalidValue;
    TRY(check_flags(array) ?: channel_layout(&array->desc, &array->channels));
    if (!fits_limits(runtime, array))
        return cudaErrorInvalidValue;
    return lay_out(array) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t make_array(struct runtime *runtime, struct cudaArray *array, const void *caller)
{
    TRY(array_prepare(runtime, array));
    array->device = runtime->device->number;
    array->texels.address = memory_allocate(runtime->machine, array->bytes, MEMORY_DEVICE, NULL);
    if (!array->texels.address || !list_add(&runtime->arrays, array)) {
        memory_release(runtime->machine, array->texels.address);
        return cudaErrorMemoryAllocation;
    }
    checks_allocated(runtime->checks, array->texels.address, array->bytes, true, caller);
    return cudaSuccess;
}

static cudaError_t allocate(struct runtime *runtime, cudaArray_t *result,
                            const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                            unsigned flags, const void *caller)
{
    if (!result || !desc)
        return cudaErrorInvalidValue;
    struct cudaArray *array = calloc(1, sizeof(*array));
    if (!array)
        return cudaErrorMemoryAllocation;
    array->desc = *desc;
    array->extent = extent;
    array->flags = flags;
    const cudaError_t error = make_array(runtime, array, caller);
    if (error)
        free(array);
    else
        *result = array;
    return error;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned flags)
{
    return API_OUTSIDE_CAPTURE(runtime, flags & (cudaArrayLayered | cudaArrayCubemap)
                                            ? cudaErrorInvalidValue
                                            : allocate(runtime, array, desc,
                                                       (struct cudaExtent){width, height, 0}, flags,
                                                       __builtin_return_address(0)));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags)
{
    return API_OUTSIDE_CAPTURE(
        runtime, allocate(runtime, array, desc, extent, flags, __builtin_return_address(0)));
}

static void release(struct runtime *runtime, struct cudaArray *array)
{
    checks_freed(runtime->checks, array->texels.address, array->bytes);
    memory_release(runtime->machine, array->texels.address);
    free(array);
}

ENTRY(API_OUTSIDE_CAPTURE, cudaFreeArray, (array), cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    if (!list_has(&runtime->arrays, array) || array->is_level)
        return cudaErrorInvalidValue;
    list_remove(&runtime->arrays, array);
    release(runtime, array);
    return cudaSuccess;
}

void array_clear(struct runtime *runtime)
{
    struct cudaArray *array;

    while ((array = list_take_from(&runtime->arrays, runtime->device->number)))
        release(runtime, array);
}

static cudaError_t check_array(const struct runtime *runtime, cudaArray_const_t array)
{
    if (!array)
        return cudaErrorInvalidValue;
    return list_has(&runtime->arrays, array) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t get_info(const struct runtime *runtime, struct cudaChannelFormatDesc *desc,
                            struct cudaExtent *extent, unsigned *flags, cudaArray_const_t array)
{
    TRY(check_array(runtime, array));
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
    return ASIDE(runtime, get_info(runtime, desc, extent, flags, array));
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return ASIDE(runtime,
                 desc ? get_info(runtime, desc, NULL, NULL, array) : cudaErrorInvalidValue);
}

/* Copies. */

static size_t texel_bytes(const struct cudaArray *array)
{
    return (size_t)array->channels.count * (size_t)array->channels.bytes;
}

static size_t width_of(const struct cudaArray *array)
{
    return array->extent.width * texel_bytes(array);
}

/* Set *area to what of the array starts at byte x of row y of slice z, if `box` fits
 * there. */
static cudaError_t array_area(const struct runtime *runtime, cudaArray_const_t array,
                              struct cudaPos at, struct box box, struct area *area)
{
    TRY(check_array(runtime, array));
    const size_t rows = array->extent.height ? array->extent.height : 1;
    const size_t slices = array->extent.depth ? array->extent.depth : 1;
    const size_t width = width_of(array);
    if (at.x > width || box.width > width - at.x || at.y > rows || box.rows > rows - at.y ||
        at.z > slices || box.slices > slices - at.z)
        return cudaErrorInvalidValue;
    *area = (struct area){.texels = array->texels, .at = at, .array = array};
    return cudaSuccess;
}

static cudaError_t copy_2d(struct runtime *runtime, cudaArray_const_t array, struct cudaPos at,
                           const void *memory, size_t pitch, size_t width, size_t rows,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool to_array)
{
    const struct box box = {width, rows, 1};
    const struct area plain = {.texels = {.address = (uint64_t)memory, .pitch = pitch}};
    struct area area;

    if (rows > 1 && width > pitch)
        return cudaErrorInvalidPitchValue;
    return array_area(runtime, array, at, box, &area)
               ?: transfer(runtime, to_array ? area : plain, to_array ? plain : area, box, kind,
                           stream);
}

AND_ASYNC(cudaMemcpy2DToArray,
          copy_2d(runtime, array, (struct cudaPos){x, y, 0}, from, pitch, width, height, kind,
                  stream, true),
          cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
          size_t height, enum cudaMemcpyKind kind);

AND_ASYNC(cudaMemcpy2DFromArray,
          copy_2d(runtime, array, (struct cudaPos){x, y, 0}, to, pitch, width, height, kind, stream,
                  false),
          void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
          size_t height, enum cudaMemcpyKind kind);

static cudaError_t copy_arrays(struct runtime *runtime, cudaArray_t to, struct cudaPos to_at,
                               cudaArray_const_t from, struct cudaPos from_at, struct box box,
                               enum cudaMemcpyKind kind)
{
    struct area target, source;
    TRY(array_area(runtime, to, to_at, box, &target)
            ?: array_area(runtime, from, from_at, box, &source));
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (texel_bytes(to) != texel_bytes(from))
        return cudaErrorInvalidValue;
    return transfer(runtime, target, source, box, kind, NULL);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return QUEUED(runtime, copy_arrays(runtime, to, (struct cudaPos){to_x, to_y, 0}, from,
                                       (struct cudaPos){from_x, from_y, 0},
                                       (struct box){width, height, 1}, kind)
                               ?: queue_settle_stream(runtime, NULL));
}
PER_THREAD(cudaMemcpy2DArrayToArray, ptds);

/* The next step of a copy that fills one row after the other: the rest of the current row, or,
 * at the start of a row, all whole rows that are left. */
static struct box next_box(const struct cudaArray *array, struct cudaPos at, size_t bytes)
{
    const size_t width = width_of(array);

    if (at.x == 0 && bytes >= width)
        return (struct box){width, bytes / width, 1};
    return (struct box){bytes < width - at.x ? bytes : width - at.x, 1, 1};
}

/* The older functions treat the rows of an array as one run of bytes. */
static cudaError_t copy_run(struct runtime *runtime, cudaArray_const_t array, size_t x, size_t y,
                            char *memory, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream, bool to_array)
{
    struct cudaPos at = {x, y, 0};
    cudaError_t error = check_array(runtime, array);

    if (!error && (x > width_of(array) || y > array->extent.height))
        return cudaErrorInvalidValue;
    while (!error && bytes) {
        if (at.x == width_of(array))
            at = (struct cudaPos){0, at.y + 1, 0};
        const struct box box = next_box(array, at, bytes);
        error = copy_2d(runtime, array, at, memory, box.width, box.width, box.rows, kind, stream,
                        to_array);
        memory += box.width * box.rows;
        bytes -= box.width * box.rows;
        at = (struct cudaPos){0, at.y + box.rows, 0};
    }
    return error;
}

/* These functions are deprecated, but programs still use them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
AND_ASYNC(cudaMemcpyToArray,
          copy_run(runtime, array, x, y, (char *)from, bytes, kind, stream, true),
          cudaArray_t array, size_t x, size_t y, const void *from, size_t bytes,
          enum cudaMemcpyKind kind);

AND_ASYNC(cudaMemcpyFromArray, copy_run(runtime, array, x, y, to, bytes, kind, stream, false),
          void *to, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
          enum cudaMemcpyKind kind);

/* Both arrays are treated as one run of bytes, and their rows may have different lengths. Each
 * step copies up to the nearer end of a row. */
static cudaError_t copy_run_between(struct runtime *runtime, cudaArray_t to, struct cudaPos to_at,
                                    cudaArray_const_t from, struct cudaPos from_at, size_t bytes,
                                    enum cudaMemcpyKind kind)
{
    cudaError_t error = check_array(runtime, to) ?: check_array(runtime, from);

    while (!error && bytes) {
        if (to_at.x == width_of(to))
            to_at = (struct cudaPos){0, to_at.y + 1, 0};
        if (from_at.x == width_of(from))
            from_at = (struct cudaPos){0, from_at.y + 1, 0};
        if (to_at.x > width_of(to) || from_at.x > width_of(from))
            return cudaErrorInvalidValue;
        size_t run = bytes;
        run = run < width_of(to) - to_at.x ? run : width_of(to) - to_at.x;
        run = run < width_of(from) - from_at.x ? run : width_of(from) - from_at.x;
        error = copy_arrays(runtime, to, to_at, from, from_at, (struct box){run, 1, 1}, kind);
        to_at.x += run;
        from_at.x += run;
        bytes -= run;
    }
    return error;
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   enum cudaMemcpyKind kind)
{
    return QUEUED(runtime, copy_run_between(runtime, to, (struct cudaPos){to_x, to_y, 0}, from,
                                            (struct cudaPos){from_x, from_y, 0}, bytes, kind)
                               ?: queue_settle_stream(runtime, NULL));
}
PER_THREAD(cudaMemcpyArrayToArray, ptds);
#pragma GCC diagnostic pop

/* The source or destination of a copy in three dimensions. */
static cudaError_t side_of(const struct runtime *runtime, cudaArray_t array,
                           struct cudaPitchedPtr memory, struct cudaPos at, struct box box,
                           struct area *area)
{
    if (!array == !memory.ptr)
        return cudaErrorInvalidValue;
    if (array) {
        at.x *= texel_bytes(array);
        return array_area(runtime, array, at, box, area);
    }
    if (box.width > memory.pitch && (box.rows > 1 || box.slices > 1))
        return cudaErrorInvalidPitchValue;
    *area = (struct area){.texels = {.address = (uint64_t)memory.ptr,
                                     .pitch = memory.pitch,
                                     .slice = memory.pitch * memory.ysize},
                          .at = at};
    return cudaSuccess;
}

/* If an array takes part, the width of the extent is counted in its texels, otherwise in bytes.
 * Two arrays must have texels of the same size. */
cudaError_t copy_3d(struct runtime *runtime, const struct cudaMemcpy3DParms *parms,
                    cudaStream_t stream)
{
    if (!parms)
        return cudaErrorInvalidValue;
    const cudaArray_t to = parms->dstArray, from = parms->srcArray;
    cudaError_t error = (to ? check_array(runtime, to) : cudaSuccess)
                            ?: (from ? check_array(runtime, from) : cudaSuccess);
    if (error)
        return error;
    const size_t unit = to ? texel_bytes(to) : from ? texel_bytes(from) : 1;
    if (to && from && texel_bytes(to) != texel_bytes(from))
        return cudaErrorInvalidValue;
    const struct box box = {parms->extent.width * unit, parms->extent.height, parms->extent.depth};
    struct area target, source;
    error = side_of(runtime, to, parms->dstPtr, parms->dstPos, box, &target)
                ?: side_of(runtime, from, parms->srcPtr, parms->srcPos, box, &source);
    return error ? error : transfer(runtime, target, source, box, parms->kind, stream);
}

AND_ASYNC(cudaMemcpy3D, copy_3d(runtime, parms, stream), const struct cudaMemcpy3DParms *parms);

static cudaError_t copy_3d_peer(struct runtime *runtime, const struct cudaMemcpy3DPeerParms *parms,
                                cudaStream_t stream)
{
    if (!parms)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, parms->srcDevice) || !device_exists(runtime, parms->dstDevice))
        return cudaErrorInvalidDevice;
    const struct cudaMemcpy3DParms plain = {parms->srcArray, parms->srcPos,           parms->srcPtr,
                                            parms->dstArray, parms->dstPos,           parms->dstPtr,
                                            parms->extent,   cudaMemcpyDeviceToDevice};
    return copy_3d(runtime, &plain, stream);
}

AND_ASYNC(cudaMemcpy3DPeer, copy_3d_peer(runtime, parms, stream),
          const struct cudaMemcpy3DPeerParms *parms);
