/* SPDX-License-Identifier: MIT */
/* Copies and fills. They are done at once, and the modelled time that they take is spent. */
#include "cudart/transfer.h"
#include "cudart/stream.h"

#include <stdlib.h>
#include <string.h>

/* The kinds of memory that make a difference for a copy. */
enum memory_type {
    TYPE_INVALID, /* NULL, or memory of the device beyond the end of an allocation */
    TYPE_PAGEABLE, /* the host's own, of which nothing is known */
    TYPE_PINNED, /* page-locked or managed, which both sides can reach */
    TYPE_DEVICE,
};

/* Memory with rows `pitch` bytes apart. */
static struct area rows_at(const void *start, size_t pitch)
{
    return (struct area){.texels = {.address = (uint64_t)start, .pitch = pitch}};
}

static uint64_t first_byte(const struct area *area)
{
    return texels_at(&area->texels, area->at.x, area->at.y, area->at.z);
}

/* Set *bytes to the length of memory from the first byte of a box to the last. Returns false on
 * overflow. */
static bool area_bytes(const struct area *area, struct box box, size_t *bytes)
{
    size_t slices;

    return !__builtin_mul_overflow(area->texels.pitch, box.rows - 1, bytes) &&
           !__builtin_add_overflow(*bytes, box.width, bytes) &&
           !__builtin_mul_overflow(area->texels.slice, box.slices - 1, &slices) &&
           !__builtin_add_overflow(*bytes, slices, bytes);
}

static enum memory_type find_type(const struct runtime *runtime, const struct area *area,
                                  struct box box)
{
    const uint64_t address = first_byte(area);
    const struct allocation *start = memory_find(runtime->machine, address, 1);
    size_t bytes;

    if (area->array)
        return TYPE_DEVICE;
    if (!address || !area_bytes(area, box, &bytes))
        return TYPE_INVALID;
    if (!start)
        return TYPE_PAGEABLE;
    if (memory_find(runtime->machine, address, bytes) != start)
        return TYPE_INVALID;
    return start->kind == MEMORY_HOST || start->kind == MEMORY_MANAGED ? TYPE_PINNED : TYPE_DEVICE;
}

/* Does the direction of a copy agree with its addresses? Like a GPU this only refuses the host's
 * pageable memory where the direction says device: with one address space, memory of the device
 * passes for the host's. */
static bool direction_fits(enum cudaMemcpyKind kind, enum memory_type to, enum memory_type from)
{
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

    return !(to_device && to == TYPE_PAGEABLE) && !(from_device && from == TYPE_PAGEABLE);
}

/* Say why neither a copy's direction nor its addresses explain each other. */
static cudaError_t refuse_direction(struct runtime *runtime, enum cudaMemcpyKind kind,
                                    enum memory_type to, enum memory_type from,
                                    const struct area *target, const struct area *source)
{
    static const char *const names[] = {
        [cudaMemcpyHostToDevice] = "cudaMemcpyHostToDevice",
        [cudaMemcpyDeviceToHost] = "cudaMemcpyDeviceToHost",
        [cudaMemcpyDeviceToDevice] = "cudaMemcpyDeviceToDevice",
    };
    static const char *const types[] = {
        [TYPE_PAGEABLE] = "host memory",
        [TYPE_PINNED] = "memory of both",
        [TYPE_DEVICE] = "device memory",
    };
    const bool writes = to == TYPE_PAGEABLE && kind != cudaMemcpyDeviceToHost;
    const uint64_t culprit = first_byte(writes ? target : source);
    const char *shadow = call_shadow(runtime, culprit);

    if (memory_is_own(runtime->machine, culprit))
        return call_refuse_memory(runtime, writes, "copied", culprit, 1);
    if (shadow)
        return call_refuse(runtime, cudaErrorInvalidValue, "copied",
                           "variable %s cannot be given to it: use cudaMemcpy%sSymbol()", shadow,
                           writes ? "To" : "From");
    return call_refuse(runtime, cudaErrorInvalidValue, "copied", "%s, but it goes from %s to %s",
                       names[kind], types[from], types[to]);
}

/* Say which of them is no memory to copy from or to. */
static cudaError_t refuse_area(struct runtime *runtime, const struct area *area, struct box box,
                               bool writes, const char *done)
{
    size_t bytes;

    if (!area_bytes(area, box, &bytes))
        bytes = SIZE_MAX;
    return call_refuse_memory(runtime, writes, done, first_byte(area), bytes);
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

/* Milliseconds that a copy needs; `over`: GB/s from one device to another, 0 where both are one. */
static double copy_ms(const struct gpu *gpu, struct box box, enum memory_type to,
                      enum memory_type from, double over)
{
    const size_t rows = box.rows * box.slices;
    const double bytes = (double)box.width * rows;
    double ms = (over ? gpu->link_us : gpu->transfer_us) * 1e-3;

    if (rows > 1)
        ms += rows * gpu->copy_row_us * 1e-3;
    if (over)
        ms += moving_ms(bytes, over);
    else if (to == TYPE_DEVICE && from == TYPE_DEVICE)
        ms += moving_ms(2 * bytes, memory_gbs(gpu));
    else if (to == TYPE_DEVICE || from == TYPE_DEVICE)
        ms += moving_ms(bytes, gpu->pcie_gbs);
    if (to == TYPE_PAGEABLE || from == TYPE_PAGEABLE)
        ms += moving_ms(bytes, gpu->staging_gbs);
    return ms;
}

/* Tell the checker of races between devices what a copy or fill uses. */
static void note_use(struct runtime *runtime, const char *what, const struct area *area,
                     struct box box, bool writes)
{
    struct apart *apart = checks_apart(runtime->checks);

    for (size_t row = 0; apart && row < box.rows * box.slices; row++)
        apart_use(apart, what,
                  texels_at(&area->texels, area->at.x, area->at.y + row % box.rows,
                            area->at.z + row / box.rows),
                  box.width, writes);
}

/* The device that memory is of. */
static struct device *holder(struct runtime *runtime, const struct area *area)
{
    const struct allocation *allocation = memory_find(runtime->machine, area->texels.address, 1);

    return allocation ? &runtime->devices[allocation->machine] : runtime->device;
}

/* Between two devices a copy takes the link, which has one lane each way, or without peer access
 * goes through the host's memory. Returns GB/s. */
static double take_link(struct runtime *runtime, const struct device *to, const struct device *from)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const double free = to->link_ms[LINK_IN] > from->link_ms[LINK_OUT] ? to->link_ms[LINK_IN]
                                                                       : from->link_ms[LINK_OUT];
    const double now = timing_now_ms(runtime->timing);

    if (free > now)
        timing_advance(runtime->timing, free - now);
    return peer_enabled(runtime, to->number, from->number) ||
                   peer_enabled(runtime, from->number, to->number)
               ? gpu->link_gbs
               : gpu->pcie_gbs;
}

/* The host copies pageable memory to and from a page-locked buffer itself, so it waits for such
 * a copy in any stream. In the default stream it waits for each copy of its own memory. */
static void spend_copy(struct runtime *runtime, struct box box, enum memory_type to,
                       enum memory_type from, const struct area *to_area,
                       const struct area *from_area, cudaStream_t stream)
{
    struct device *target = holder(runtime, to_area), *source = holder(runtime, from_area);
    const bool on_device = to == TYPE_DEVICE && from == TYPE_DEVICE;
    const bool apart = on_device && target != source;
    const bool waits =
        to == TYPE_PAGEABLE || from == TYPE_PAGEABLE || (stream_is_default(stream) && !on_device);
    const enum engine engine = to != TYPE_DEVICE || (apart && runtime->device == source)
                                   ? ENGINE_TO_HOST
                               : from != TYPE_DEVICE || apart ? ENGINE_TO_DEVICE
                                                              : ENGINE_COMPUTE;
    const struct stream_work work = stream_begin(runtime, stream, engine, false);
    note_use(runtime, "cudaMemcpy", to_area, box, true);
    note_use(runtime, "cudaMemcpy", from_area, box, false);
    const double over = apart ? take_link(runtime, target, source) : 0;

    runtime->device->behind_kernel = false;
    timing_advance(runtime->timing, copy_ms(machine_gpu(runtime->machine), box, to, from, over));
    if (apart)
        target->link_ms[LINK_IN] = source->link_ms[LINK_OUT] = timing_now_ms(runtime->timing);
    stream_end(runtime, stream, work, 1, waits);
}

/* How many of the `left` bytes from `at` on lie together in memory. */
static size_t run_of(const struct area *area, uint64_t at, size_t left)
{
    const size_t run = area->texels.tiled ? TILE_RUN - at % TILE_RUN : left;

    return run < left ? run : left;
}

static void move_row(struct runtime *runtime, const struct area *to, const struct area *from,
                     size_t width, size_t row, size_t slice)
{
    for (size_t x = 0, run; x < width; x += run) {
        run = run_of(to, to->at.x + x, width - x);
        run = run_of(from, from->at.x + x, run);
        const uint64_t target =
            texels_at(&to->texels, to->at.x + x, to->at.y + row, to->at.z + slice);
        const uint64_t source =
            texels_at(&from->texels, from->at.x + x, from->at.y + row, from->at.z + slice);
        checks_copied(runtime->checks, "cudaMemcpy", target, source, run);
        memmove(memory_host(runtime->machine, target), memory_host(runtime->machine, source), run);
    }
}

/* What pageable memory holds when the copy is called for. */
static char *stage(const struct area *from, struct box box)
{
    char *bytes = malloc(box.width * box.rows * box.slices);

    for (size_t row = 0; bytes && row < box.rows * box.slices; row++)
        memcpy(bytes + row * box.width,
               api_pointer(texels_at(&from->texels, from->at.x, from->at.y + row % box.rows,
                                     from->at.z + row / box.rows)),
               box.width);
    return bytes;
}

/* Record a copy, or put it off. */
static cudaError_t keep(struct runtime *runtime, const struct area *to, struct area from,
                        struct box box, enum cudaMemcpyKind kind, cudaStream_t stream,
                        enum memory_type from_type)
{
    char *bytes = NULL;

    if (from_type == TYPE_PAGEABLE && !stream_captures(stream)) {
        bytes = stage(&from, box);
        if (!bytes)
            return cudaErrorMemoryAllocation;
        from = rows_at(bytes, box.width);
        from.texels.slice = box.width * box.rows;
    }
    const cudaError_t error = capture_copy(runtime, to, &from, box, kind, stream);
    if (error)
        free(bytes);
    else if (bytes)
        queue_hold(runtime, bytes);
    return error;
}

cudaError_t transfer(struct runtime *runtime, struct area to, struct area from, struct box box,
                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const cudaError_t error = stream_enter(runtime, stream);

    if (error || box.width == 0 || box.rows == 0 || box.slices == 0)
        return error;
    if ((unsigned)kind > cudaMemcpyDefault)
        return call_refuse(runtime, cudaErrorInvalidMemcpyDirection, "copied", "%d is no direction",
                           (int)kind);
    const enum memory_type to_type = find_type(runtime, &to, box);
    const enum memory_type from_type = find_type(runtime, &from, box);
    if (to_type == TYPE_INVALID || from_type == TYPE_INVALID)
        return refuse_area(runtime, to_type == TYPE_INVALID ? &to : &from, box,
                           to_type == TYPE_INVALID, "copied");
    if (!direction_fits(kind, to_type, from_type))
        return refuse_direction(runtime, kind, to_type, from_type, &to, &from);
    if (stream_captures(stream) || (queue_takes(runtime) && to_type != TYPE_PAGEABLE))
        return keep(runtime, &to, from, box, kind, stream, from_type);
    TRY(queue_takes(runtime) ? queue_settle_stream(runtime, stream) : cudaSuccess);
    for (size_t slice = 0; slice < box.slices; slice++)
        for (size_t row = 0; row < box.rows; row++) {
            move_row(runtime, &to, &from, box.width, row, slice);
            if (to_type == TYPE_DEVICE)
                timing_filled(runtime->timing,
                              texels_at(&to.texels, to.at.x, to.at.y + row, to.at.z + slice),
                              box.width, false);
        }
    spend_copy(runtime, box, to_type, from_type, &to, &from, stream);
    return cudaSuccess;
}

static cudaError_t copy(struct runtime *runtime, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return transfer(runtime, rows_at(to, 0), rows_at(from, 0), (struct box){bytes, 1, 1}, kind,
                    stream);
}

AND_ASYNC(cudaMemcpy, copy(runtime, to, from, bytes, kind, stream), void *to, const void *from,
          size_t bytes, enum cudaMemcpyKind kind);

#if CUDART_VERSION >= 13000
/* Copies that may be made in any order; their attributes are hints. */
ENTRY(QUEUED, cudaMemcpyBatchAsync,
      (to, from, sizes, count, attributes, first_of, attribute_count, stream), void *const *to,
      const void *const *from, const size_t *sizes, size_t count,
      struct cudaMemcpyAttributes *attributes, size_t *first_of, size_t attribute_count,
      cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    if (!to || !from || !sizes || !count || !attributes || !first_of || !attribute_count ||
        attribute_count > count || first_of[0] != 0 || !stream || stream == cudaStreamLegacy)
        return cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < count; i++)
        error = copy(runtime, to[i], from[i], sizes[i], cudaMemcpyDefault, stream);
    return error;
}
PER_THREAD(cudaMemcpyBatchAsync, ptsz);
#endif

static cudaError_t copy_peer(struct runtime *runtime, void *to, int to_device, const void *from,
                             int from_device, size_t bytes, cudaStream_t stream)
{
    if (!device_exists(runtime, to_device) || !device_exists(runtime, from_device))
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
    return QUEUED(runtime, copy_peer(runtime, to, to_device, from, from_device, bytes, stream));
}

static cudaError_t copy_2d(struct runtime *runtime, struct area to, struct area from, size_t width,
                           size_t rows, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    /* It is no error to copy no rows. A single row is copied like a plain copy, for which an
     * H100 returns another error. */
    if (rows && (width > to.texels.pitch || width > from.texels.pitch))
        return call_refuse(runtime, rows > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue,
                           "copied", "its rows of %zu bytes are longer than the pitch", width);
    return transfer(runtime, to, from, (struct box){width, rows, 1}, kind, stream);
}

AND_ASYNC(cudaMemcpy2D,
          copy_2d(runtime, rows_at(to, to_pitch), rows_at(from, from_pitch), width, height, kind,
                  stream),
          void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
          size_t height, enum cudaMemcpyKind kind);

/* Copy between memory and part of a variable. */
static cudaError_t copy_symbol(struct runtime *runtime, const void *symbol, size_t offset,
                               void *memory, size_t bytes, enum cudaMemcpyKind kind,
                               cudaStream_t stream, bool to_symbol)
{
    const enum cudaMemcpyKind other = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    struct variable *variable;
    uint64_t address;
    size_t end;

    cudaError_t error = module_variable(runtime, symbol, &variable, &address);
    if (error == cudaErrorInvalidSymbol)
        return call_refuse(runtime, error, "copied", "%p is no variable of the program", symbol);
    if (error)
        return error;
    if (kind != other && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return call_refuse(runtime, cudaErrorInvalidMemcpyDirection, "copied",
                           "%d is no direction that it takes", (int)kind);
    if (__builtin_add_overflow(offset, bytes, &end) || end > variable->size)
        return call_refuse_memory(runtime, to_symbol, "copied", address + offset, bytes);
    void *part = (char *)api_pointer(address) + offset;
    return to_symbol ? copy(runtime, part, memory, bytes, kind, stream)
                     : copy(runtime, memory, part, bytes, kind, stream);
}

AND_ASYNC(cudaMemcpyToSymbol,
          copy_symbol(runtime, symbol, offset, (void *)from, bytes, kind, stream, true),
          const void *symbol, const void *from, size_t bytes, size_t offset,
          enum cudaMemcpyKind kind);

AND_ASYNC(cudaMemcpyFromSymbol,
          copy_symbol(runtime, symbol, offset, to, bytes, kind, stream, false), void *to,
          const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind);

/* Write a row of `width` bytes with elements of `unit` bytes. */
static void fill_row(char *row, unsigned value, size_t unit, size_t width)
{
    if (unit == 1)
        memset(row, (int)value, width);
    for (size_t x = 0; unit > 1 && x < width; x += unit)
        memcpy(row + x, &value, unit); /* of a little-endian number the low bytes come first */
}

/* Unlike a copy, a fill needs access to another device's memory, as two H200s show. */
static cudaError_t check_access(struct runtime *runtime, const struct area *area,
                                cudaStream_t stream)
{
    const int device = stream_device(runtime, stream), other = holder(runtime, area)->number;

    if (other == device || memory_reach(runtime->devices[device].machine, area->texels.address, 1))
        return cudaSuccess;
    return call_refuse(runtime, cudaErrorInvalidValue, "written",
                       "the memory is of device %d, to which device %d has no peer access", other,
                       device);
}

cudaError_t fill(struct runtime *runtime, struct area area, unsigned value, size_t unit,
                 struct box box, cudaStream_t stream)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);

    const cudaError_t error = stream_enter(runtime, stream);

    if (error || box.width == 0 || box.rows == 0 || box.slices == 0)
        return error;
    if ((box.rows > 1 || box.slices > 1) && box.width > area.texels.pitch)
        return call_refuse(runtime, cudaErrorInvalidValue, "written",
                           "its rows of %zu bytes are longer than the pitch", box.width);
    if (find_type(runtime, &area, box) < TYPE_PINNED)
        return refuse_area(runtime, &area, box, true, "written");
    TRY(check_access(runtime, &area, stream));
    if (stream_keeps(runtime, stream))
        return capture_fill(runtime, &area, value, unit, box, stream);
    for (size_t row = 0; row < box.rows * box.slices; row++) {
        const uint64_t start = texels_at(&area.texels, area.at.x, row % box.rows, row / box.rows);
        checks_written(runtime->checks, start, box.width);
        fill_row(memory_host(runtime->machine, start), value, unit, box.width);
        timing_filled(runtime->timing, start, box.width, true);
    }
    const struct stream_work work = stream_begin(runtime, stream, ENGINE_COMPUTE, false);
    const double bytes = (double)box.width * box.rows * box.slices;
    note_use(runtime, "cudaMemset", &area, box, true);
    runtime->device->behind_kernel = true;
    timing_advance(runtime->timing, gpu->launch_us * 1e-3 - stream_launched_ms(runtime, &work) +
                                        moving_ms(bytes, memory_gbs(gpu)));
    stream_end(runtime, stream, work, 1, false);
    return cudaSuccess;
}

static cudaError_t fill_2d(struct runtime *runtime, void *start, size_t pitch, int value,
                           size_t width, size_t rows, cudaStream_t stream)
{
    return fill(runtime, rows_at(start, pitch), (unsigned)value, 1, (struct box){width, rows, 1},
                stream);
}

AND_ASYNC(cudaMemset, fill_2d(runtime, start, 0, value, bytes, 1, stream), void *start, int value,
          size_t bytes);

AND_ASYNC(cudaMemset2D, fill_2d(runtime, start, pitch, value, width, height, stream), void *start,
          size_t pitch, int value, size_t width, size_t height);

static cudaError_t fill_3d(struct runtime *runtime, struct cudaPitchedPtr start, int value,
                           struct cudaExtent extent, cudaStream_t stream)
{
    struct area area = rows_at(start.ptr, start.pitch);

    if (extent.depth > 1 && extent.height > start.ysize)
        return cudaErrorInvalidValue;
    area.texels.slice = start.pitch * start.ysize;
    return fill(runtime, area, (unsigned)value, 1,
                (struct box){extent.width, extent.height, extent.depth}, stream);
}

AND_ASYNC(cudaMemset3D, fill_3d(runtime, start, value, extent, stream), struct cudaPitchedPtr start,
          int value, struct cudaExtent extent);
