/* SPDX-License-Identifier: MIT */
/* Streams and events. Work is done as soon as it is called for, unless it is put off (queue.c).
 * The modelled clock keeps the times at which it would have been done (see the end of
 * runtime.h). */
#include "cudart/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lower numbers are more urgent, as on NVIDIA GPUs. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };
/* The numbers of streams that the program makes come after those of the default streams. */
enum { FIRST_STREAM_NUMBER = 16 };

bool stream_valid(const struct runtime *runtime, cudaStream_t stream)
{
    return stream_is_default(stream) || list_has(&runtime->streams, stream);
}

int stream_device(const struct runtime *runtime, cudaStream_t stream)
{
    return stream_is_default(stream) ? runtime->device->number : stream->device;
}

double stream_ready_ms(const struct runtime *runtime, cudaStream_t stream)
{
    const double now = timing_now_ms(runtime->timing);
    double ready = fmax(now, runtime->device->ready);

    if (!stream_is_default(stream))
        return fmax(stream->flags & cudaStreamNonBlocking ? now : ready, stream->ready);
    for (size_t i = 0; i < runtime->streams.count; i++) {
        const struct CUstream_st *other = runtime->streams.items[i];
        if (other->device == runtime->device->number && !(other->flags & cudaStreamNonBlocking))
            ready = fmax(ready, other->ready);
    }
    return ready;
}

/* Let the host wait until `ms`. */
static void wait_until(struct runtime *runtime, double ms)
{
    const double now = timing_now_ms(runtime->timing);

    if (ms > now)
        timing_advance(runtime->timing, ms - now);
}

void stream_wait_ms(struct runtime *runtime, cudaStream_t stream, double ms)
{
    double *ready = stream_is_default(stream) ? &runtime->device->ready : &stream->ready;

    if (runtime->device_count == 1 && stream_is_default(stream))
        wait_until(runtime, ms);
    *ready = fmax(*ready, ms);
}

/* Without copy engines, kernels and copies take turns. */
static enum engine engine_of(const struct runtime *runtime, enum engine engine)
{
    const int engines = machine_gpu(runtime->machine)->copy_engines;

    return engines == 0                               ? ENGINE_COMPUTE
           : engines == 1 && engine == ENGINE_TO_HOST ? ENGINE_TO_DEVICE
                                                      : engine;
}

static struct apart_stream apart_stream(const struct runtime *runtime, cudaStream_t stream)
{
    const bool plain = stream_is_default(stream);

    return (struct apart_stream){.device = stream_device(runtime, stream),
                                 .stream = plain ? NULL : stream,
                                 .blocking = !plain && !(stream->flags & cudaStreamNonBlocking)};
}

/* Tell the checker of races what orders the work of several devices, if it is there to hear. */
#define ORDER(runtime, function, ...)                           \
    do {                                                        \
        struct apart *apart_ = checks_apart((runtime)->checks); \
        if (apart_)                                             \
            function(apart_, __VA_ARGS__);                      \
    } while (0)

struct stream_work stream_begin(struct runtime *runtime, cudaStream_t stream, enum engine engine,
                                bool at_once)
{
    struct device *device = runtime->device;
    struct stream_work work = {.engine = engine_of(runtime, engine),
                               .issued = timing_now_ms(runtime->timing),
                               .of_graph = !stream_is_default(stream) && stream->of_graph};
    const double ready = stream_ready_ms(runtime, stream);

    ORDER(runtime, apart_begin, apart_stream(runtime, stream));
    if (work.engine != ENGINE_COMPUTE)
        work.begun = fmax(ready, device->engine_ms[work.engine]);
    else {
        /* In front of a launch at once, the clock may stand where the host did not wait. */
        work.launched = work.of_graph ? stream->launched
                        : at_once     ? device->launch_ms
                                      : fmax(work.issued, device->launch_ms);
        work.begun = usage_free_from(&device->usage, fmax(ready, work.launched));
        if (!work.of_graph)
            device->launch_ms = work.launched + machine_gpu(runtime->machine)->launch_us / 1000;
    }
    wait_until(runtime, work.begun);
    return work;
}

double stream_launched_ms(const struct runtime *runtime, const struct stream_work *work)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const double idle = work->of_graph && gpu->graph_us ? gpu->graph_us : gpu->launch_us;
    const double gap = (work->of_graph ? gpu->graph_gap_us : gpu->launch_gap_us) ?: idle;
    const double left = fmax(idle - (work->begun - work->launched) * 1000, gap);

    return (gpu->launch_us - left) / 1000;
}

void stream_end(struct runtime *runtime, cudaStream_t stream, struct stream_work work, double share,
                bool waits)
{
    struct device *device = runtime->device;
    const double alone = timing_now_ms(runtime->timing);

    ORDER(runtime, apart_end, waits);
    if (work.engine == ENGINE_COMPUTE)
        timing_advance(runtime->timing, usage_take(&device->usage, work.issued, work.begun,
                                                   alone - work.begun, share));
    const double done = timing_now_ms(runtime->timing);
    device->engine_ms[work.engine] = fmax(device->engine_ms[work.engine], done);
    if (stream_is_default(stream))
        device->ready = done;
    else
        stream->ready = done;
    if (!waits && !(runtime->device_count == 1 && stream_is_default(stream)))
        timing_advance(runtime->timing, work.issued - done);
}

void stream_wait_all(struct runtime *runtime)
{
    ORDER(runtime, apart_host_waits_for_device, runtime->device->number);
    wait_until(runtime, runtime->device->ready);
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        wait_until(runtime, runtime->device->engine_ms[engine]);
    usage_clear(&runtime->device->usage);
}

static void forget_stream(struct runtime *runtime, cudaStream_t stream)
{
    list_remove(&runtime->streams, stream);
    free(stream->tail.items);
    free(stream);
}

static void forget_event(struct runtime *runtime, cudaEvent_t event)
{
    list_remove(&runtime->events, event);
    free(event->tail.items);
    free(event);
}

void stream_clear(struct runtime *runtime)
{
    const int device = runtime->device->number;
    cudaStream_t stream;
    cudaEvent_t event;

    stream_wait_all(runtime);
    capture_clear(runtime);
    while ((stream = list_take_from(&runtime->streams, device)))
        forget_stream(runtime, stream);
    while ((event = list_take_from(&runtime->events, device)))
        forget_event(runtime, event);
}

static cudaError_t check(const struct runtime *runtime, cudaStream_t stream)
{
    return stream_valid(runtime, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaStream_t stream_make(struct runtime *runtime, unsigned flags, int priority)
{
    cudaStream_t made = calloc(1, sizeof(*made));

    if (made) {
        made->device = runtime->device->number;
        made->flags = flags;
        made->priority = priority;
        made->number = FIRST_STREAM_NUMBER + runtime->streams_made++;
    }
    return made;
}

static cudaError_t create_stream(struct runtime *runtime, cudaStream_t *stream, unsigned flags,
                                 int priority)
{
    if (!stream || flags & ~cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    if (priority < GREATEST_PRIORITY)
        priority = GREATEST_PRIORITY;
    if (priority > LEAST_PRIORITY)
        priority = LEAST_PRIORITY;
    cudaStream_t made = stream_make(runtime, flags, priority);
    if (!made || !list_add(&runtime->streams, made)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *stream = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return QUEUED(runtime, create_stream(runtime, stream, cudaStreamDefault, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return QUEUED(runtime, create_stream(runtime, stream, flags, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    return QUEUED(runtime, create_stream(runtime, stream, flags, priority));
}

ENTRY(QUEUED, cudaStreamDestroy, (stream), cudaStream_t stream)
{
    if (!list_has(&runtime->streams, stream))
        return cudaErrorInvalidResourceHandle;
    TRY(queue_settle_stream(runtime, stream));
    capture_leave(runtime, stream);
    forget_stream(runtime, stream);
    return cudaSuccess;
}

/* Even a query takes until all work is done. */
static cudaError_t wait_for_stream(struct runtime *runtime, cudaStream_t stream)
{
    TRY(check(runtime, stream) ?: capture_forbids_stream(runtime, stream));
    TRY(queue_settle_stream(runtime, stream));
    device_select(runtime, stream_device(runtime, stream));
    ORDER(runtime, apart_host_waits, apart_stream(runtime, stream));
    wait_until(runtime, stream_ready_ms(runtime, stream));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return QUEUED(runtime, wait_for_stream(runtime, stream));
}
PER_THREAD(cudaStreamSynchronize, ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return QUEUED(runtime, wait_for_stream(runtime, stream));
}
PER_THREAD(cudaStreamQuery, ptsz);

ENTRY(ASIDE, cudaStreamGetFlags, (stream, flags), cudaStream_t stream, unsigned *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    TRY(check(runtime, stream));
    *flags = stream_is_default(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetFlags, ptsz);

static cudaError_t get_priority(struct runtime *runtime, cudaStream_t stream, int *priority)
{
    if (!priority)
        return cudaErrorInvalidValue;
    TRY(check(runtime, stream));
    *priority = stream_is_default(stream) ? LEAST_PRIORITY : stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    return ASIDE(runtime, get_priority(runtime, stream, priority));
}
PER_THREAD(cudaStreamGetPriority, ptsz);

ENTRY(ASIDE, cudaStreamGetId, (stream, number), cudaStream_t stream, unsigned long long *number)
{
    if (!number)
        return cudaErrorInvalidValue;
    TRY(check(runtime, stream));
    *number = stream_is_default(stream) ? (unsigned long long)(uintptr_t)stream : stream->number;
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetId, ptsz);

#if CUDART_VERSION >= 12080
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    return ASIDE(runtime, device ? check(runtime, stream)
                                       ?: (*device = stream_device(runtime, stream), cudaSuccess)
                                 : cudaErrorInvalidValue);
}
PER_THREAD(cudaStreamGetDevice, ptsz);
#endif

/* Attributes that a stream keeps and that have no effect: they are hints for a cache and a host
 * that are not modelled. */
static const cudaStreamAttrID kept_attributes[STREAM_ATTRIBUTES] = {
    cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeMemSyncDomainMap, cudaLaunchAttributeMemSyncDomain};

static cudaStreamAttrValue *attributes_of(struct runtime *runtime, cudaStream_t stream)
{
    return stream_is_default(stream) ? runtime->device->default_attributes : stream->attributes;
}

/* Set *kept to where the stream keeps an attribute. */
static cudaError_t find_attribute(struct runtime *runtime, cudaStream_t stream,
                                  cudaStreamAttrID attribute, cudaStreamAttrValue **kept)
{
    const cudaError_t error = check(runtime, stream);

    for (int i = 0; !error && i < STREAM_ATTRIBUTES; i++)
        if (kept_attributes[i] == attribute) {
            *kept = &attributes_of(runtime, stream)[i];
            return cudaSuccess;
        }
    return error ? error : cudaErrorInvalidValue;
}

ENTRY(ASIDE, cudaStreamGetAttribute, (stream, attribute, value), cudaStream_t stream,
      cudaStreamAttrID attribute, cudaStreamAttrValue *value)
{
    cudaStreamAttrValue *kept;

    if (!value)
        return cudaErrorInvalidValue;
    if (attribute == cudaLaunchAttributePriority)
        return get_priority(runtime, stream, &value->priority);
    TRY(find_attribute(runtime, stream, attribute, &kept));
    *value = *kept;
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetAttribute, ptsz);

static bool fits_window(const struct runtime *runtime, const struct cudaAccessPolicyWindow *window)
{
    const size_t most = (size_t)device_attribute(runtime, cudaDevAttrMaxAccessPolicyWindowSize);

    return window->num_bytes <= most && window->hitRatio >= 0 && window->hitRatio <= 1;
}

ENTRY(ASIDE, cudaStreamSetAttribute, (stream, attribute, value), cudaStream_t stream,
      cudaStreamAttrID attribute, const cudaStreamAttrValue *value)
{
    cudaStreamAttrValue *kept;

    if (!value)
        return cudaErrorInvalidValue;
    TRY(find_attribute(runtime, stream, attribute, &kept));
    if (attribute == cudaLaunchAttributeAccessPolicyWindow &&
        !fits_window(runtime, &value->accessPolicyWindow))
        return cudaErrorInvalidValue;
    *kept = *value;
    return cudaSuccess;
}
PER_THREAD(cudaStreamSetAttribute, ptsz);

ENTRY(ASIDE, cudaStreamCopyAttributes, (to, from), cudaStream_t to, cudaStream_t from)
{
    TRY(check(runtime, to) ?: check(runtime, from));
    memmove(attributes_of(runtime, to), attributes_of(runtime, from),
            STREAM_ATTRIBUTES * sizeof(cudaStreamAttrValue));
    return cudaSuccess;
}
PER_THREAD(cudaStreamCopyAttributes, ptsz);

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return ASIDE(runtime, cudaSuccess);
}

/* All earlier work has run, so the function is called at once, unless the call is only recorded or
 * put off. */
static cudaError_t before_function(struct runtime *runtime, cudaHostFn_t function, void *data,
                                   cudaStream_t stream, bool *kept)
{
    TRY(function ? stream_enter(runtime, stream) : cudaErrorInvalidValue);
    *kept = stream_keeps(runtime, stream);
    return *kept ? capture_host(runtime, function, data, stream) : wait_for_stream(runtime, stream);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    bool kept = false;
    const cudaError_t error =
        QUEUED(runtime, before_function(runtime, function, data, stream, &kept));

    if (!error && !kept)
        runtime_call_back(function, data);
    return error;
}
PER_THREAD(cudaLaunchHostFunc, ptsz);

struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *data;
};

static void call_back(void *self)
{
    const struct callback *callback = self;

    callback->function(callback->stream, cudaSuccess, callback->data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
    TRY(QUEUED(runtime,
               callback && !flags ? wait_for_stream(runtime, stream) : cudaErrorInvalidValue));
    runtime_call_back(call_back, &(struct callback){callback, stream, data});
    return cudaSuccess;
}
PER_THREAD(cudaStreamAddCallback, ptsz);

static cudaError_t create_event(struct runtime *runtime, cudaEvent_t *event, unsigned flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;

    if (!event || flags & ~known)
        return cudaErrorInvalidValue;
    cudaEvent_t made = calloc(1, sizeof(*made));
    if (!made || !list_add(&runtime->events, made)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->device = runtime->device->number;
    made->flags = flags;
    *event = made;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return QUEUED(runtime, create_event(runtime, event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return QUEUED(runtime, create_event(runtime, event, flags));
}

static cudaError_t check_event(const struct runtime *runtime, cudaEvent_t event)
{
    return list_has(&runtime->events, event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t stream_record(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream)
{
    TRY(check_event(runtime, event));
    if (event->device != stream_device(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    ORDER(runtime, apart_record, apart_stream(runtime, stream), event);
    event->capture = NULL;
    event->recorded = true;
    event->ms = stream_ready_ms(runtime, stream);
    if (runtime->device->behind_kernel) /* the end of a kernel is noticed a little later */
        event->ms += machine_gpu(runtime->machine)->event_us / 1000;
    runtime->device->behind_kernel = false;
    stream_wait_ms(runtime, stream, event->ms);
    return cudaSuccess;
}

static cudaError_t record_event(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream,
                                unsigned flags)
{
    if (flags & ~cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    TRY(stream_enter(runtime, stream) ?: check_event(runtime, event));
    if (stream_captures(stream))
        return capture_record(runtime, event, stream, flags != 0);
    if (flags)
        return cudaErrorInvalidValue;
    event->capture = NULL;
    return queue_takes(runtime) && event->device == stream_device(runtime, stream)
               ? capture_record(runtime, event, stream, false)
               : stream_record(runtime, event, stream);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return QUEUED(runtime, record_event(runtime, event, stream, cudaEventRecordDefault));
}
PER_THREAD(cudaEventRecord, ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return QUEUED(runtime, record_event(runtime, event, stream, flags));
}
PER_THREAD(cudaEventRecordWithFlags, ptsz);

static cudaError_t wait_for_event(struct runtime *runtime, cudaEvent_t event)
{
    TRY(check_event(runtime, event) ?: capture_forbids_event(event));
    TRY(queue_settle_event(runtime, event));
    ORDER(runtime, apart_host_waits_for, event);
    wait_until(runtime, event->ms);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return QUEUED(runtime, wait_for_event(runtime, event));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return QUEUED(runtime, wait_for_event(runtime, event));
}

ENTRY(QUEUED, cudaEventElapsedTime, (ms, start, end), float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return cudaErrorInvalidValue;
    if (check_event(runtime, start) || check_event(runtime, end) || start->device != end->device ||
        (start->flags | end->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (queue_records(runtime, start) || queue_records(runtime, end))
        return cudaErrorNotReady;
    if (!start->recorded || !end->recorded)
        return cudaErrorInvalidResourceHandle;
    *ms = (float)(end->ms - start->ms);
    return cudaSuccess;
}

ENTRY(QUEUED, cudaEventDestroy, (event), cudaEvent_t event)
{
    TRY(check_event(runtime, event) ?: queue_settle_event(runtime, event));
    forget_event(runtime, event);
    return cudaSuccess;
}

cudaError_t stream_wait(struct runtime *runtime, cudaStream_t stream, cudaEvent_t event)
{
    const cudaError_t error = check_event(runtime, event);

    if (error)
        return error;
    ORDER(runtime, apart_wait, apart_stream(runtime, stream), event);
    double ms = event->ms;
    if (event->device != stream_device(runtime, stream))
        ms += machine_gpu(runtime->machine)->link_event_us / 1000;
    stream_wait_ms(runtime, stream, ms);
    return cudaSuccess;
}

ENTRY(QUEUED, cudaStreamWaitEvent, (stream, event, flags), cudaStream_t stream, cudaEvent_t event,
      unsigned flags)
{
    if (flags & ~cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    TRY(stream_enter(runtime, stream) ?: check_event(runtime, event));
    if (stream_captures(stream) || event->capture)
        return capture_wait(runtime, stream, event, flags != 0);
    if (flags)
        return cudaErrorInvalidValue;
    return queue_takes(runtime) ? capture_wait(runtime, stream, event, false)
                                : stream_wait(runtime, stream, event);
}
PER_THREAD(cudaStreamWaitEvent, ptsz);
