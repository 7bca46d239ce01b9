/* Copies and fills, done at once, with the time they would have taken. */
#include "cudart/runtime.h"

#include <string.h>

/* `rows` rows of `width` bytes, `pitch` bytes apart. */
struct area {
    void *start;
    size_t pitch;
};

/* Where memory is, as a copy sees it. */
enum place {
    PLACE_INVALID, /* on the device, but reaching beyond what was allocated */
    PLACE_PAGEABLE, /* the host's own: we know nothing of it */
    PLACE_PINNED, /* page-locked or managed: both sides reach it */
    PLACE_DEVICE,
};

/* Bytes from the first to the last of an area; false on overflow. */
static bool area_bytes(size_t pitch, size_t width, size_t rows, size_t *bytes)
{
    return !__builtin_mul_overflow(pitch, rows - 1, bytes) &&
           !__builtin_add_overflow(*bytes, width, bytes);
}

static enum place find_place(const struct runtime *runtime, const void *address, size_t bytes)
{
    const struct allocation *start = memory_find(runtime->machine, (uint64_t)address, 1);

    if (!start)
        return PLACE_PAGEABLE;
    if (memory_find(runtime->machine, (uint64_t)address, bytes) != start)
        return PLACE_INVALID;
    return start->kind == MEMORY_HOST || start->kind == MEMORY_MANAGED ? PLACE_PINNED
                                                                       : PLACE_DEVICE;
}

/* Does a direction fit where the memory is? Only the device's side of it is checked, as on a GPU:
 * with one address space a copy that names the host gets by with either. */
static bool direction_fits(enum cudaMemcpyKind kind, enum place to, enum place from)
{
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

    return !(to_device && to == PLACE_PAGEABLE) && !(from_device && from == PLACE_PAGEABLE);
}

/* Milliseconds to move `bytes` at `gbs` GB/s. */
static double moving_ms(double bytes, double gbs)
{
    return bytes / gbs * 1e-6;
}

static double memory_gbs(const struct gpu *gpu)
{
    return 2e-6 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8;
}

static void spend_copy(struct runtime *runtime, size_t width, size_t rows, enum place to,
                       enum place from)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const double bytes = (double)width * rows;
    double ms = gpu->transfer_us * 1e-3;

    if (rows > 1)
        ms += rows * gpu->copy_row_us * 1e-3;
    if (to == PLACE_DEVICE && from == PLACE_DEVICE)
        ms += moving_ms(2 * bytes, memory_gbs(gpu));
    else if (to == PLACE_DEVICE || from == PLACE_DEVICE)
        ms += moving_ms(bytes, gpu->pcie_gbs);
    if (to == PLACE_PAGEABLE || from == PLACE_PAGEABLE)
        ms += moving_ms(bytes, gpu->staging_gbs);
    timing_advance(runtime->timing, ms);
}

static cudaError_t copy_rows(struct runtime *runtime, struct area to, struct area from,
                             size_t width, size_t rows, enum cudaMemcpyKind kind)
{
    size_t to_bytes, from_bytes;

    if (width == 0 || rows == 0)
        return cudaSuccess;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!to.start || !from.start)
        return cudaErrorInvalidValue;
    if (!area_bytes(to.pitch, width, rows, &to_bytes) ||
        !area_bytes(from.pitch, width, rows, &from_bytes))
        return cudaErrorInvalidValue;
    const enum place to_place = find_place(runtime, to.start, to_bytes);
    const enum place from_place = find_place(runtime, from.start, from_bytes);
    if (to_place == PLACE_INVALID || from_place == PLACE_INVALID ||
        !direction_fits(kind, to_place, from_place))
        return cudaErrorInvalidValue;
    for (size_t row = 0; row < rows; row++) {
        char *target = (char *)to.start + row * to.pitch;
        const char *source = (const char *)from.start + row * from.pitch;
        checks_copied(runtime->checks, "cudaMemcpy", (uint64_t)target, (uint64_t)source, width);
        memmove(target, source, width);
    }
    spend_copy(runtime, width, rows, to_place, from_place);
    return cudaSuccess;
}

static cudaError_t copy(struct runtime *runtime, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    return copy_rows(runtime, (struct area){to, 0}, (struct area){(void *)from, 0}, bytes, 1, kind);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return API(runtime, copy(runtime, to, from, bytes, kind, NULL));
}
PER_THREAD(cudaMemcpy, ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return API(runtime, copy(runtime, to, from, bytes, kind, stream));
}
PER_THREAD(cudaMemcpyAsync, ptsz);

static cudaError_t copy_peer(struct runtime *runtime, void *to, int to_device, const void *from,
                             int from_device, size_t bytes, cudaStream_t stream)
{
    if (to_device || from_device)
        return cudaErrorInvalidDevice;
    return copy(runtime, to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return API(runtime, copy_peer(runtime, to, to_device, from, from_device, bytes, NULL));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    return API(runtime, copy_peer(runtime, to, to_device, from, from_device, bytes, stream));
}

static cudaError_t copy_2d(struct runtime *runtime, struct area to, struct area from, size_t width,
                           size_t rows, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    /* Nothing to copy is no error; one row is a plain copy: an H100 then says something else. */
    if (rows && (width > to.pitch || width > from.pitch))
        return rows > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
    return copy_rows(runtime, to, from, width, rows, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return API(runtime,
               copy_2d(runtime, (struct area){to, to_pitch},
                       (struct area){(void *)from, from_pitch}, width, height, kind, NULL));
}
PER_THREAD(cudaMemcpy2D, ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return API(runtime,
               copy_2d(runtime, (struct area){to, to_pitch},
                       (struct area){(void *)from, from_pitch}, width, height, kind, stream));
}
PER_THREAD(cudaMemcpy2DAsync, ptsz);

/* Copy between memory and part of a variable. */
static cudaError_t copy_symbol(struct runtime *runtime, const void *symbol, size_t offset,
                               void *memory, size_t bytes, enum cudaMemcpyKind kind,
                               cudaStream_t stream, bool to_symbol)
{
    const enum cudaMemcpyKind other = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    struct variable *variable;
    uint64_t address;
    size_t end;

    const cudaError_t error = module_variable(runtime, symbol, &variable, &address);
    if (error)
        return error;
    if (kind != other && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (__builtin_add_overflow(offset, bytes, &end) || end > variable->size)
        return cudaErrorInvalidValue;
    void *part = (char *)api_pointer(address) + offset;
    return to_symbol ? copy(runtime, part, memory, bytes, kind, stream)
                     : copy(runtime, memory, part, bytes, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return API(runtime,
               copy_symbol(runtime, symbol, offset, (void *)from, bytes, kind, NULL, true));
}
PER_THREAD(cudaMemcpyToSymbol, ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return API(runtime,
               copy_symbol(runtime, symbol, offset, (void *)from, bytes, kind, stream, true));
}
PER_THREAD(cudaMemcpyToSymbolAsync, ptsz);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return API(runtime, copy_symbol(runtime, symbol, offset, to, bytes, kind, NULL, false));
}
PER_THREAD(cudaMemcpyFromSymbol, ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return API(runtime, copy_symbol(runtime, symbol, offset, to, bytes, kind, stream, false));
}
PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz);

static cudaError_t fill_rows(struct runtime *runtime, struct area area, int value, size_t width,
                             size_t rows, cudaStream_t stream)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    size_t bytes;

    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (width == 0 || rows == 0)
        return cudaSuccess;
    if (rows > 1 && width > area.pitch)
        return cudaErrorInvalidValue;
    if (!area_bytes(area.pitch, width, rows, &bytes) ||
        find_place(runtime, area.start, bytes) < PLACE_PINNED)
        return cudaErrorInvalidValue;
    for (size_t row = 0; row < rows; row++) {
        checks_written(runtime->checks, (uint64_t)area.start + row * area.pitch, width);
        memset((char *)area.start + row * area.pitch, value, width);
    }
    timing_advance(runtime->timing,
                   gpu->launch_us * 1e-3 + moving_ms((double)width * rows, memory_gbs(gpu)));
    return cudaSuccess;
}

cudaError_t cudaMemset(void *start, int value, size_t bytes)
{
    return API(runtime, fill_rows(runtime, (struct area){start, 0}, value, bytes, 1, NULL));
}
PER_THREAD(cudaMemset, ptds);

cudaError_t cudaMemsetAsync(void *start, int value, size_t bytes, cudaStream_t stream)
{
    return API(runtime, fill_rows(runtime, (struct area){start, 0}, value, bytes, 1, stream));
}
PER_THREAD(cudaMemsetAsync, ptsz);

cudaError_t cudaMemset2D(void *start, size_t pitch, int value, size_t width, size_t height)
{
    return API(runtime,
               fill_rows(runtime, (struct area){start, pitch}, value, width, height, NULL));
}
PER_THREAD(cudaMemset2D, ptds);

cudaError_t cudaMemset2DAsync(void *start, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return API(runtime,
               fill_rows(runtime, (struct area){start, pitch}, value, width, height, stream));
}
PER_THREAD(cudaMemset2DAsync, ptsz);

/* Managed memory is in one place here, and stays there. */
static cudaError_t check_managed(const struct runtime *runtime, const void *start, size_t bytes)
{
    const struct allocation *place = memory_find(runtime->machine, (uint64_t)start, bytes);

    return bytes && place && place->kind == MEMORY_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *start, size_t bytes, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    (void)location;
    return API(runtime, flags || !stream_valid(runtime, stream)
                            ? cudaErrorInvalidValue
                            : check_managed(runtime, start, bytes));
}

cudaError_t cudaMemAdvise(const void *start, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    (void)advice, (void)location;
    return API(runtime, check_managed(runtime, start, bytes));
}
#else
cudaError_t cudaMemPrefetchAsync(const void *start, size_t bytes, int device, cudaStream_t stream)
{
    (void)device;
    return API(runtime, stream_valid(runtime, stream) ? check_managed(runtime, start, bytes)
                                                      : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemAdvise(const void *start, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    (void)advice, (void)device;
    return API(runtime, check_managed(runtime, start, bytes));
}
#endif
PER_THREAD(cudaMemPrefetchAsync, ptsz);
