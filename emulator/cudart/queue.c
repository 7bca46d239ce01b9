/* SPDX-License-Identifier: MIT */
/* Work put off. On a GPU a call that gives a stream work returns before that is done. Under
 * --schedule=random and reverse so it is here: the work waits in a list, and who waits for some of
 * it does any that nothing before it holds up, in reverse the latest after what that waits for,
 * until what he waits for is done. A program that leaves out an event or a wait gets another result
 * then. In forward order all work is done as it is called for. */
#include "cudart/graph.h"
#include "cudart/stream.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* So many wait at most: a longer list finds no more, and takes longer. */
enum { MOST_PENDING = 64 };
enum { PATIENCE = 1 }; /* seconds without a call */

struct pending {
    cudaStream_t stream;
    int device;
    struct operation operation; /* an empty one if it is the launch of a graph */
    cudaGraphExec_t exec; /* that graph; or NULL */
    const struct pending *record; /* of the event that it waits for; NULL: that is done */
    void *bytes; /* what a copy reads of pageable memory; or NULL */
    double issued; /* when it was called for, on the modelled clock */
    bool runs;
};

/* This thread does such work, and all that this leads to at once. */
static _Thread_local bool at_work;

bool queue_takes(const struct runtime *runtime)
{
    return runtime->settings.schedule.kind != SCHEDULE_FORWARD && !at_work;
}

bool queue_works(void)
{
    return at_work;
}

static bool is_blocking(const struct pending *item)
{
    return stream_is_default(item->stream) || !(item->stream->flags & cudaStreamNonBlocking);
}

/* Must `first`, which was called for earlier, be done before `second`? */
static bool comes_before(const struct pending *first, const struct pending *second)
{
    if (second->record == first)
        return true;
    if (first->device != second->device)
        return false;
    if (stream_is_default(first->stream) || stream_is_default(second->stream))
        return is_blocking(first) && is_blocking(second);
    return first->stream == second->stream;
}

static bool is_any(const struct pending *item, const struct pending *wanted)
{
    (void)item;
    (void)wanted;
    return true;
}

static bool is_on_device(const struct pending *item, const struct pending *wanted)
{
    return item->device == wanted->device;
}

static bool is_of_event(const struct pending *item, const struct pending *wanted)
{
    const enum cudaGraphNodeType type = item->operation.type;

    return (type == cudaGraphNodeTypeEventRecord || type == cudaGraphNodeTypeWaitEvent) &&
           item->operation.event == wanted->operation.event;
}

static bool is_ready(const struct runtime *runtime, size_t at)
{
    const struct pending *item = runtime->pending.items[at];

    for (size_t i = 0; i < at; i++)
        if (comes_before(runtime->pending.items[i], item))
            return false;
    return !item->runs;
}

static bool is_reverse(const struct runtime *runtime)
{
    return runtime->settings.schedule.kind == SCHEDULE_REVERSE;
}

/* What the latest one waits for, or itself. */
static struct pending *choose_latest(const struct runtime *runtime)
{
    struct pending *const *const items = (struct pending **)runtime->pending.items;
    const struct pending *latest = items[runtime->pending.count - 1];

    for (size_t i = runtime->pending.count - 1; i-- > 0;)
        if (comes_before(items[i], latest))
            latest = items[i];
    return latest->runs ? NULL : (struct pending *)latest;
}

/* Any that nothing holds up, or in reverse what the latest waits for; NULL: others are at work on
 * all of those. A kernel that may begin before the one before it ends comes right after. */
static struct pending *choose(struct runtime *runtime)
{
    const bool reverse = is_reverse(runtime);
    struct pending *chosen = NULL;
    uint64_t ready = 0;

    for (size_t i = 0; i < runtime->pending.count; i++) {
        struct pending *item = runtime->pending.items[i];
        if (!is_ready(runtime, i))
            continue;
        if (item->operation.type == cudaGraphNodeTypeKernel &&
            item->operation.kernel.configuration.may_begin_early)
            return item;
        if (reverse || schedule_random(&runtime->pending_random) % ++ready == 0)
            chosen = item;
    }
    return chosen && reverse ? choose_latest(runtime) : chosen;
}

static void forget(struct runtime *runtime, struct pending *item)
{
    list_remove(&runtime->pending, item);
    for (size_t i = 0; i < runtime->pending.count; i++) {
        struct pending *other = runtime->pending.items[i];
        if (other->record == item)
            other->record = NULL;
    }
    operation_free(runtime, &item->operation);
    free(item->bytes);
    free(item);
}

/* Nothing is done on a device where a kernel has faulted. The modelled work begins when it was
 * called for, and the host's clock stays as it is. An error is for calls about the same device. */
static cudaError_t work_on(struct runtime *runtime, struct pending *item)
{
    const int device = runtime->device->number;

    item->runs = at_work = true;
    device_select(runtime, item->device);
    const double now = timing_now_ms(runtime->timing);
    timing_advance(runtime->timing, item->issued - now);
    cudaError_t error = runtime->device->sticky;
    if (!error && item->exec)
        error = graph_exec_run(runtime, item->exec, item->stream);
    else if (!error && item->operation.type == cudaGraphNodeTypeKernel)
        error = launch_run(runtime, &item->operation.kernel);
    else if (!error)
        error = operation_run(runtime, &item->operation, item->stream);
    timing_advance(runtime->timing, now - timing_now_ms(runtime->timing));
    device_select(runtime, device);
    at_work = false;
    if (item->device != device)
        error = cudaSuccess;
    forget(runtime, item);
    return error;
}

/* What runs without the lock in another thread will be done soon. */
static void let_others_work(struct runtime *runtime)
{
    const int device = runtime->device->number;

    runtime_unlock(runtime);
    sched_yield();
    runtime_lock();
    device_select(runtime, device);
}

/* Work until nothing is left of what is wanted. */
static cudaError_t settle(struct runtime *runtime,
                          bool is_wanted(const struct pending *, const struct pending *),
                          const struct pending *wanted)
{
    cudaError_t error = cudaSuccess;
    bool any = !at_work;

    while (any) {
        any = false;
        for (size_t i = 0; !any && i < runtime->pending.count; i++)
            any = is_wanted(runtime->pending.items[i], wanted);
        struct pending *item = any ? choose(runtime) : NULL;
        if (item)
            error = work_on(runtime, item) ?: error;
        else if (any)
            let_others_work(runtime);
    }
    return error;
}

cudaError_t queue_settle_all(struct runtime *runtime)
{
    return settle(runtime, is_any, NULL);
}

cudaError_t queue_settle_device(struct runtime *runtime)
{
    return settle(runtime, is_on_device, &(struct pending){.device = runtime->device->number});
}

cudaError_t queue_settle_stream(struct runtime *runtime, cudaStream_t stream)
{
    return settle(runtime, comes_before,
                  &(struct pending){.stream = stream, .device = stream_device(runtime, stream)});
}

cudaError_t queue_settle_event(struct runtime *runtime, cudaEvent_t event)
{
    return settle(runtime, is_of_event, &(struct pending){.operation.event = event});
}

/* The last record of the event that is still to come; or NULL. */
static const struct pending *find_record(const struct runtime *runtime, cudaEvent_t event)
{
    for (size_t i = runtime->pending.count; i-- > 0;) {
        const struct pending *item = runtime->pending.items[i];
        if (item->operation.type == cudaGraphNodeTypeEventRecord && item->operation.event == event)
            return item;
    }
    return NULL;
}

bool queue_records(const struct runtime *runtime, cudaEvent_t event)
{
    return find_record(runtime, event);
}

void queue_abandon(struct runtime *runtime, const struct binary *binary)
{
    size_t launches = 0;

    for (size_t i = runtime->pending.count; i-- > 0;) {
        struct pending *item = runtime->pending.items[i];
        struct function *function;
        if (item->operation.type != cudaGraphNodeTypeKernel || item->runs ||
            module_function(runtime, item->operation.kernel.host, &function) != cudaSuccess ||
            function->binary != binary)
            continue;
        forget(runtime, item);
        launches++;
    }
    if (launches)
        runtime_say("note: the program ended before %zu of its launches ran: nothing waits for "
                    "them, as cudaDeviceSynchronize() does",
                    launches);
}

/* At random some work is done before more is called for, but nothing between a kernel and one that
 * may begin before it ends. */
static cudaError_t work_now_and_then(struct runtime *runtime, const struct operation *next)
{
    const bool at_once =
        next->type == cudaGraphNodeTypeKernel && next->kernel.configuration.may_begin_early;
    cudaError_t error = cudaSuccess;
    struct pending *item;

    while (!error && !at_once &&
           (runtime->pending.count >= MOST_PENDING ||
            (!is_reverse(runtime) && schedule_random(&runtime->pending_random) % 4 == 0)) &&
           (item = choose(runtime)))
        error = work_on(runtime, item);
    return error;
}

/* A host that reads memory until a kernel has written it makes no call that waits: after a while
 * all is done for it, as on a GPU. */
static void *watch(void *self)
{
    struct runtime *runtime = self;
    unsigned long long calls = 0;
    bool over = false;

    while (!over) {
        sleep(PATIENCE);
        runtime_lock();
        over = runtime->broken != cudaSuccess;
        if (!over && runtime->calls == calls)
            queue_settle(runtime);
        calls = runtime->calls;
        runtime_unlock(runtime);
    }
    return NULL;
}

static void start_watch(struct runtime *runtime)
{
    pthread_t thread;

    if (!runtime->pending_watched && !pthread_create(&thread, NULL, watch, runtime)) {
        pthread_detach(thread);
        runtime->pending_watched = true;
    }
}

static cudaError_t add(struct runtime *runtime, struct pending wanted)
{
    struct operation *operation = &wanted.operation;
    const cudaError_t error = work_now_and_then(runtime, operation);
    struct pending *item = error ? NULL : malloc(sizeof(*item));

    wanted.device = stream_device(runtime, wanted.stream);
    wanted.issued = timing_now_ms(runtime->timing);
    if (operation->type == cudaGraphNodeTypeKernel)
        operation->kernel.configuration.stream = wanted.stream;
    if (operation->type == cudaGraphNodeTypeWaitEvent)
        wanted.record = find_record(runtime, operation->event);
    if (item && list_add(&runtime->pending, item)) {
        *item = wanted;
        start_watch(runtime);
        return cudaSuccess;
    }
    operation_free(runtime, operation);
    free(item);
    return error ?: cudaErrorMemoryAllocation;
}

cudaError_t queue_add(struct runtime *runtime, cudaStream_t stream, struct operation *operation)
{
    return add(runtime, (struct pending){stream, .operation = *operation});
}

void queue_hold(struct runtime *runtime, void *bytes)
{
    ((struct pending *)runtime->pending.items[runtime->pending.count - 1])->bytes = bytes;
}

cudaError_t queue_graph(struct runtime *runtime, cudaGraphExec_t exec, cudaStream_t stream)
{
    return add(runtime,
               (struct pending){stream, .operation.type = cudaGraphNodeTypeEmpty, .exec = exec});
}
