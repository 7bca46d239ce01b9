/* SPDX-License-Identifier: MIT */
/* Capture. The tail of a captured stream is the set of nodes on which its next node will depend. An
 * event recorded in the stream stands for that tail, and a stream that waits for the event adds it
 * to its own.
 *
 * What a program must not do during a capture is in the CUDA C++ Programming Guide, "Prohibited
 * and Unhandled Operations", and in the description of each function. A mistake makes the
 * capture invalid, and the call that ends it returns the error. */
#include "cudart/graph.h"
#include "cudart/stream.h"
#include "cudart/transfer.h"

#include <stdlib.h>

struct capture {
    cudaGraph_t graph;
    bool is_own; /* the graph was made for this capture */
    cudaStream_t origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    unsigned long long number;
    bool spoilt;
};

/* How far the captures of other threads restrict this thread. */
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool stream_captures(cudaStream_t stream)
{
    return !stream_is_default(stream) && stream->capture;
}

bool stream_keeps(const struct runtime *runtime, cudaStream_t stream)
{
    return stream_captures(stream) || queue_takes(runtime);
}

static cudaError_t spoil(struct capture *capture, cudaError_t error)
{
    capture->spoilt = true;
    return error;
}

/* What a stream of the capture does not depend on yet. */
static void forget_tail(struct list *tail)
{
    free(tail->items);
    *tail = (struct list){0};
}

/* The captured streams for which the legacy stream would wait. */
static cudaError_t forbid_legacy(struct runtime *runtime)
{
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < runtime->streams.count; i++) {
        const cudaStream_t stream = runtime->streams.items[i];
        if (stream->capture && !(stream->flags & cudaStreamNonBlocking))
            error = spoil(stream->capture, cudaErrorStreamCaptureImplicit);
    }
    return error;
}

cudaError_t stream_enter(struct runtime *runtime, cudaStream_t stream)
{
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (stream_is_default(stream))
        return runtime->captures.count && stream != cudaStreamPerThread ? forbid_legacy(runtime)
                                                                        : cudaSuccess;
    device_select(runtime, stream->device);
    return stream->capture && stream->capture->spoilt ? cudaErrorStreamCaptureInvalidated
                                                      : cudaSuccess;
}

cudaError_t capture_forbids_stream(struct runtime *runtime, cudaStream_t stream)
{
    if (stream_captures(stream))
        return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
    return stream_is_default(stream) && stream != cudaStreamPerThread ? forbid_legacy(runtime)
                                                                      : cudaSuccess;
}

cudaError_t capture_forbids_event(cudaEvent_t event)
{
    return event->capture ? spoil(event->capture, cudaErrorCapturedEvent) : cudaSuccess;
}

cudaError_t capture_forbids_all(struct runtime *runtime)
{
    for (size_t i = 0; i < runtime->captures.count; i++)
        spoil(runtime->captures.items[i], cudaSuccess);
    return runtime->captures.count ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t capture_forbids_calls(struct runtime *runtime)
{
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < runtime->captures.count; i++) {
        struct capture *capture = runtime->captures.items[i];
        const bool is_mine = pthread_equal(capture->thread, pthread_self());
        if (capture->mode == cudaStreamCaptureModeRelaxed ||
            thread_mode == cudaStreamCaptureModeRelaxed ||
            (!is_mine && (capture->mode != cudaStreamCaptureModeGlobal ||
                          thread_mode != cudaStreamCaptureModeGlobal)))
            continue;
        error = spoil(capture, cudaErrorStreamCaptureUnsupported);
    }
    return error;
}

ENTRY(ASIDE, cudaThreadExchangeStreamCaptureMode, (mode), enum cudaStreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    const enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

/* --- Beginning and ending --------------------------------------------------------------------- */

/* Take all streams and events out of a capture. */
static void release_all(struct runtime *runtime, const struct capture *capture)
{
    for (size_t i = 0; i < runtime->streams.count; i++) {
        cudaStream_t stream = runtime->streams.items[i];
        if (stream->capture == capture) {
            stream->capture = NULL;
            forget_tail(&stream->tail);
        }
    }
    for (size_t i = 0; i < runtime->events.count; i++) {
        cudaEvent_t event = runtime->events.items[i];
        if (event->capture == capture) {
            event->capture = NULL;
            forget_tail(&event->tail);
        }
    }
}

static void end_capture(struct runtime *runtime, struct capture *capture)
{
    release_all(runtime, capture);
    list_remove(&runtime->captures, capture);
    free(capture);
}

void capture_leave(struct runtime *runtime, cudaStream_t stream)
{
    struct capture *capture = stream->capture;

    if (!capture || capture->origin != stream)
        return;
    if (capture->is_own)
        graph_free(runtime, capture->graph);
    end_capture(runtime, capture);
}

void capture_clear(struct runtime *runtime)
{
    while (runtime->captures.count)
        end_capture(runtime, runtime->captures.items[0]);
    free(runtime->captures.items);
    runtime->captures = (struct list){0};
}

/* Set the tail of the stream. Returns false if there is no memory. */
static bool set_tail(struct list *tail, cudaGraphNode_t const *nodes, size_t count)
{
    tail->count = 0;
    for (size_t i = 0; i < count; i++)
        if (!list_has(tail, nodes[i]) && !list_add(tail, nodes[i]))
            return false;
    return true;
}

static cudaError_t begin(struct runtime *runtime, cudaStream_t stream, cudaGraph_t graph,
                         const cudaGraphNode_t *before, size_t count,
                         enum cudaStreamCaptureMode mode)
{
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (stream == cudaStreamPerThread)
        runtime_complain(runtime, "capture of the per-thread default stream is not emulated: "
                                  "capture one of cudaStreamCreate()");
    if (stream_is_default(stream))
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return cudaErrorIllegalState;
    struct capture *capture = malloc(sizeof(*capture));
    if (!capture || !set_tail(&stream->tail, before, count) ||
        !list_add(&runtime->captures, capture)) {
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    *capture = (struct capture){.graph = graph ? graph : graph_make(runtime),
                                .is_own = !graph,
                                .origin = stream,
                                .mode = mode,
                                .thread = pthread_self(),
                                .number = ++runtime->captures_made};
    if (!capture->graph) {
        end_capture(runtime, capture);
        return cudaErrorMemoryAllocation;
    }
    stream->capture = capture;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return API(runtime, begin(runtime, stream, NULL, NULL, 0, mode));
}
PER_THREAD(cudaStreamBeginCapture, ptsz);

#if CUDART_VERSION >= 12030
static cudaError_t begin_to_graph(struct runtime *runtime, cudaStream_t stream, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t count,
                                  enum cudaStreamCaptureMode mode)
{
    const cudaError_t error = graph_check(runtime, graph);

    if (error || (count && !before))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!list_has(&graph->nodes, before[i]))
            return cudaErrorInvalidValue;
    return begin(runtime, stream, graph, before, count, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    (void)edges;
    return API(runtime, begin_to_graph(runtime, stream, graph, before, count, mode));
}
PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz);
#endif

/* Does everything captured come before the end of the origin? No work of another stream may be
 * left over. */
static bool is_joined(const struct capture *capture)
{
    for (size_t i = 0; i < capture->graph->nodes.count; i++) {
        cudaGraphNode_t node = capture->graph->nodes.items[i];
        if (capture->is_own && !node->dependents.count && !list_has(&capture->origin->tail, node))
            return false;
    }
    return true;
}

ENTRY(API, cudaStreamEndCapture, (stream, graph), cudaStream_t stream, cudaGraph_t *graph)
{
    if (!stream_valid(runtime, stream))
        return graph ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    if (!stream_captures(stream))
        return graph ? cudaErrorIllegalState : cudaErrorInvalidValue;
    struct capture *capture = stream->capture;
    if (!graph && capture->is_own)
        return cudaErrorInvalidValue;
    if (graph)
        *graph = NULL;
    if (capture->origin != stream)
        return spoil(capture, cudaErrorStreamCaptureUnmatched);
    const bool is_mine = capture->mode == cudaStreamCaptureModeRelaxed ||
                         pthread_equal(capture->thread, pthread_self());
    const cudaError_t error = capture->spoilt      ? cudaErrorStreamCaptureInvalidated
                              : !is_mine           ? cudaErrorStreamCaptureWrongThread
                              : is_joined(capture) ? cudaSuccess
                                                   : cudaErrorStreamCaptureUnjoined;
    if (!error && graph)
        *graph = capture->graph;
    else if (error && capture->is_own)
        graph_free(runtime, capture->graph);
    end_capture(runtime, capture);
    return error;
}
PER_THREAD(cudaStreamEndCapture, ptsz);

/* --- What streams are given ------------------------------------------------------------------- */

/* Append a node to the stream, or work to what is put off; it owns the operation from then on. */
static cudaError_t append(struct runtime *runtime, cudaStream_t stream, struct operation *operation)
{
    if (!stream_captures(stream))
        return queue_add(runtime, stream, operation);
    cudaGraphNode_t node;
    const cudaError_t error =
        graph_add(runtime, stream->capture->graph, (cudaGraphNode_t *)stream->tail.items,
                  stream->tail.count, operation, &node);

    if (error)
        return spoil(stream->capture, error);
    return set_tail(&stream->tail, &node, 1) ? cudaSuccess
                                             : spoil(stream->capture, cudaErrorMemoryAllocation);
}

cudaError_t capture_kernel(struct runtime *runtime, const struct kernel_operation *kernel)
{
    struct operation operation = {.type = cudaGraphNodeTypeKernel, .kernel = *kernel};
    const cudaError_t error = launch_copy_arguments(runtime, kernel->host, kernel->arguments,
                                                    &operation.kernel.arguments);

    operation.kernel.configuration.stream = NULL;
    return error ? error : append(runtime, kernel->configuration.stream, &operation);
}

/* The source or destination of a copy as the API describes it. If one of them is an array, x is
 * counted in texels of `unit` bytes. */
static void describe(const struct area *area, struct box box, size_t unit, cudaArray_t *array,
                     struct cudaPitchedPtr *memory, struct cudaPos *at)
{
    const struct texels *texels = &area->texels;

    *at = area->at;
    if (area->array) {
        *array = (cudaArray_t)area->array;
        at->x /= unit;
        return;
    }
    const size_t pitch = texels->pitch ? texels->pitch : box.width;
    *memory = (struct cudaPitchedPtr){api_pointer(texels->address), pitch, box.width,
                                      texels->slice ? texels->slice / pitch : box.rows};
}

cudaError_t capture_copy(struct runtime *runtime, const struct area *to, const struct area *from,
                         struct box box, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct cudaArray *array = to->array ? to->array : from->array;
    const size_t unit = array ? (size_t)array->channels.count * array->channels.bytes : 1;
    struct operation operation = {.type = cudaGraphNodeTypeMemcpy};
    struct cudaMemcpy3DParms *copy = &operation.copy;

    copy->extent = (struct cudaExtent){box.width / unit, box.rows, box.slices};
    copy->kind = kind;
    describe(to, box, unit, &copy->dstArray, &copy->dstPtr, &copy->dstPos);
    describe(from, box, unit, &copy->srcArray, &copy->srcPtr, &copy->srcPos);
    return append(runtime, stream, &operation);
}

/* A node fills two dimensions, so each slice gets a node. */
cudaError_t capture_fill(struct runtime *runtime, const struct area *area, unsigned value,
                         size_t unit, struct box box, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    for (size_t slice = 0; !error && slice < box.slices; slice++) {
        struct operation operation = {
            .type = cudaGraphNodeTypeMemset,
            .fill = {.dst = api_pointer(texels_at(&area->texels, area->at.x, 0, slice)),
                     .pitch = area->texels.pitch,
                     .value = unit == 1 ? value & 0xff : value,
                     .elementSize = (unsigned)unit,
                     .width = box.width / unit,
                     .height = box.rows}};
        error = append(runtime, stream, &operation);
    }
    return error;
}

cudaError_t capture_host(struct runtime *runtime, cudaHostFn_t function, void *data,
                         cudaStream_t stream)
{
    struct operation operation = {.type = cudaGraphNodeTypeHost, .host = {function, data}};

    return append(runtime, stream, &operation);
}

cudaGraph_t capture_graph(cudaStream_t stream)
{
    return stream->capture->graph;
}

cudaError_t capture_allocation(struct runtime *runtime, void **pointer, size_t size,
                               const void *caller, cudaStream_t stream)
{
    struct operation operation;
    TRY(operation_allocate(runtime, size, caller, &operation));
    *pointer = operation.memory->address;
    return append(runtime, stream, &operation);
}

cudaError_t capture_free(struct runtime *runtime, void *pointer, cudaStream_t stream)
{
    struct operation operation = {.type = cudaGraphNodeTypeMemFree, .freed = pointer};

    return allocation_find(runtime, pointer) ? append(runtime, stream, &operation)
                                             : cudaErrorInvalidValue;
}

cudaError_t capture_record(struct runtime *runtime, cudaEvent_t event, cudaStream_t stream,
                           bool external)
{
    struct operation operation = {.type = cudaGraphNodeTypeEventRecord, .event = event};

    if (external || !stream_captures(stream))
        return append(runtime, stream, &operation);
    event->capture = stream->capture;
    return set_tail(&event->tail, (cudaGraphNode_t *)stream->tail.items, stream->tail.count)
               ? cudaSuccess
               : spoil(stream->capture, cudaErrorMemoryAllocation);
}

cudaError_t capture_wait(struct runtime *runtime, cudaStream_t stream, cudaEvent_t event,
                         bool external)
{
    struct operation operation = {.type = cudaGraphNodeTypeWaitEvent, .event = event};

    if (stream_captures(stream) ? external : !event->capture)
        return append(runtime, stream, &operation);
    TRY(queue_settle(runtime)); /* the stream's work so far is not recorded */
    if (!event->capture) /* it was recorded outside of a capture */
        return spoil(stream->capture, cudaErrorStreamCaptureIsolation);
    if (stream_is_default(stream))
        return stream == cudaStreamPerThread
                   ? spoil(event->capture, cudaErrorStreamCaptureUnsupported)
                   : spoil(event->capture, cudaErrorStreamCaptureImplicit);
    if (stream->capture && stream->capture != event->capture) {
        spoil(stream->capture, cudaSuccess);
        return spoil(event->capture, cudaErrorStreamCaptureMerge);
    }
    stream->capture = event->capture;
    for (size_t i = 0; i < event->tail.count; i++)
        if (!list_has(&stream->tail, event->tail.items[i]) &&
            !list_add(&stream->tail, event->tail.items[i]))
            return spoil(stream->capture, cudaErrorMemoryAllocation);
    return cudaSuccess;
}

/* --- What programs ask ------------------------------------------------------------------------ */

static cudaError_t status_of(struct runtime *runtime, cudaStream_t stream,
                             enum cudaStreamCaptureStatus *status)
{
    if (!status)
        return cudaErrorInvalidValue;
    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (stream_is_default(stream) && stream != cudaStreamPerThread) {
        TRY(forbid_legacy(runtime));
    }
    *status = !stream_captures(stream)  ? cudaStreamCaptureStatusNone
              : stream->capture->spoilt ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return ASIDE(runtime, status_of(runtime, stream, status));
}
PER_THREAD(cudaStreamIsCapturing, ptsz);

static cudaError_t get_info(struct runtime *runtime, cudaStream_t stream,
                            enum cudaStreamCaptureStatus *status, unsigned long long *number,
                            cudaGraph_t *graph, const cudaGraphNode_t **before, size_t *count)
{
    const cudaError_t error = status_of(runtime, stream, status);

    if (error || *status != cudaStreamCaptureStatusActive)
        return error;
    if (number)
        *number = stream->capture->number;
    if (graph)
        *graph = stream->capture->graph;
    if (before)
        *before = (cudaGraphNode_t *)stream->tail.items;
    if (count)
        *count = stream->tail.count;
    return cudaSuccess;
}

static cudaError_t update_tail(struct runtime *runtime, cudaStream_t stream,
                               cudaGraphNode_t const *nodes, size_t count, unsigned flags)
{
    const bool replaces = flags == cudaStreamSetCaptureDependencies;

    if (!stream_valid(runtime, stream))
        return cudaErrorInvalidResourceHandle;
    if (!stream_captures(stream))
        return cudaErrorIllegalState;
    if ((flags && !replaces) || (count && !nodes))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!list_has(&stream->capture->graph->nodes, nodes[i]))
            return cudaErrorInvalidValue;
    if (replaces)
        stream->tail.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!list_has(&stream->tail, nodes[i]) && !list_add(&stream->tail, nodes[i]))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *number, cudaGraph_t *graph,
                                     const cudaGraphNode_t **before,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    return ASIDE(runtime, get_info(runtime, stream, status, number, graph, before, count));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned flags)
{
    (void)edges;
    return ASIDE(runtime, update_tail(runtime, stream, nodes, count, flags));
}
PER_THREAD(cudaStreamGetCaptureInfo, ptsz);
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *number, cudaGraph_t *graph,
                                        const cudaGraphNode_t **before, size_t *count)
{
    return ASIDE(runtime, get_info(runtime, stream, status, number, graph, before, count));
}
PER_THREAD(cudaStreamGetCaptureInfo_v2, ptsz);

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                size_t count, unsigned flags)
{
    return ASIDE(runtime, update_tail(runtime, stream, nodes, count, flags));
}
#endif
PER_THREAD(cudaStreamUpdateCaptureDependencies, ptsz);
