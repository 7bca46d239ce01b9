/* Streams and events. Every stream runs in order at once, so nothing is ever pending. */
#include "cudart/runtime.h"

#include <stdlib.h>

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long number;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double ms; /* of the modelled clock, when it was recorded */
};

/* Numerically lower is more urgent, as on NVIDIA's GPUs. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };
/* Numbers of streams made by the program come after the default ones'. */
enum { FIRST_STREAM_NUMBER = 16 };

static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool stream_valid(const struct runtime *runtime, cudaStream_t stream)
{
    return is_default(stream) || list_has(&runtime->streams, stream);
}

void stream_clear(struct runtime *runtime)
{
    list_clear(&runtime->streams);
    list_clear(&runtime->events);
}

static cudaError_t check(const struct runtime *runtime, cudaStream_t stream)
{
    return stream_valid(runtime, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
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
    cudaStream_t made = malloc(sizeof(*made));
    if (!made || !list_add(&runtime->streams, made)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct CUstream_st){flags, priority, FIRST_STREAM_NUMBER + runtime->streams_made++};
    *stream = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return API(runtime, create_stream(runtime, stream, cudaStreamDefault, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return API(runtime, create_stream(runtime, stream, flags, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    return API(runtime, create_stream(runtime, stream, flags, priority));
}

static cudaError_t destroy_stream(struct runtime *runtime, cudaStream_t stream)
{
    if (!list_remove(&runtime->streams, stream))
        return cudaErrorInvalidResourceHandle;
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return API(runtime, destroy_stream(runtime, stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return API(runtime, check(runtime, stream));
}
PER_THREAD(cudaStreamSynchronize, ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return API(runtime, check(runtime, stream));
}
PER_THREAD(cudaStreamQuery, ptsz);

static cudaError_t get_flags(struct runtime *runtime, cudaStream_t stream, unsigned *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    const cudaError_t error = check(runtime, stream);
    if (!error)
        *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
    return error;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    return API(runtime, get_flags(runtime, stream, flags));
}
PER_THREAD(cudaStreamGetFlags, ptsz);

static cudaError_t get_priority(struct runtime *runtime, cudaStream_t stream, int *priority)
{
    if (!priority)
        return cudaErrorInvalidValue;
    const cudaError_t error = check(runtime, stream);
    if (!error)
        *priority = is_default(stream) ? LEAST_PRIORITY : stream->priority;
    return error;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    return API(runtime, get_priority(runtime, stream, priority));
}
PER_THREAD(cudaStreamGetPriority, ptsz);

static cudaError_t get_number(struct runtime *runtime, cudaStream_t stream,
                              unsigned long long *number)
{
    if (!number)
        return cudaErrorInvalidValue;
    const cudaError_t error = check(runtime, stream);
    if (!error)
        *number = is_default(stream) ? (unsigned long long)(uintptr_t)stream : stream->number;
    return error;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number)
{
    return API(runtime, get_number(runtime, stream, number));
}
PER_THREAD(cudaStreamGetId, ptsz);

/* A stream that is not being captured: capturing needs a function we do not have. */
static cudaError_t is_capturing(struct runtime *runtime, cudaStream_t stream,
                                enum cudaStreamCaptureStatus *status)
{
    if (!status)
        return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return check(runtime, stream);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return API(runtime, is_capturing(runtime, stream, status));
}
PER_THREAD(cudaStreamIsCapturing, ptsz);

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return API(runtime, cudaSuccess);
}

/* Everything before it has run: the function is called here, outside the lock, for it may call the
 * API. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    const cudaError_t error =
        API(runtime, function ? check(runtime, stream) : cudaErrorInvalidValue);

    if (!error)
        function(data);
    return error;
}
PER_THREAD(cudaLaunchHostFunc, ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
    const cudaError_t error =
        API(runtime, callback && !flags ? check(runtime, stream) : cudaErrorInvalidValue);

    if (!error)
        callback(stream, cudaSuccess, data);
    return error;
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
    made->flags = flags;
    *event = made;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return API(runtime, create_event(runtime, event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return API(runtime, create_event(runtime, event, flags));
}

static cudaError_t check_event(const struct runtime *runtime, cudaEvent_t event)
{
    return list_has(&runtime->events, event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t record_event(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream)
{
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    const cudaError_t error = check_event(runtime, event);
    if (!error) {
        event->recorded = true;
        event->ms = timing_now_ms(runtime->timing);
    }
    return error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return API(runtime, record_event(runtime, event, stream));
}
PER_THREAD(cudaEventRecord, ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return API(runtime, flags & ~cudaEventRecordExternal ? cudaErrorInvalidValue
                                                         : record_event(runtime, event, stream));
}
PER_THREAD(cudaEventRecordWithFlags, ptsz);

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return API(runtime, check_event(runtime, event));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return API(runtime, check_event(runtime, event));
}

static cudaError_t elapsed(struct runtime *runtime, float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return cudaErrorInvalidValue;
    if (check_event(runtime, start) || check_event(runtime, end) || !start->recorded ||
        !end->recorded || (start->flags | end->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    *ms = (float)(end->ms - start->ms);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return API(runtime, elapsed(runtime, ms, start, end));
}

static cudaError_t destroy_event(struct runtime *runtime, cudaEvent_t event)
{
    if (!list_remove(&runtime->events, event))
        return cudaErrorInvalidResourceHandle;
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return API(runtime, destroy_event(runtime, event));
}

static cudaError_t wait_event(struct runtime *runtime, cudaStream_t stream, cudaEvent_t event,
                              unsigned flags)
{
    if (flags & ~cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    const cudaError_t error = check(runtime, stream);
    return error ? error : check_event(runtime, event);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return API(runtime, wait_event(runtime, stream, event, flags));
}
PER_THREAD(cudaStreamWaitEvent, ptsz);
