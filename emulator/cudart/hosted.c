/* SPDX-License-Identifier: MIT */
/* Calls of libraries that the CPU answers. They are done as soon as they are called for; a captured
 * one becomes a host node. */
#include "cudart/hosted.h"
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

static void run(void *self)
{
    const struct hosted_call *call = self;
    struct runtime *runtime = runtime_lock();

    if (runtime->profile && !call->again)
        profile_hosted(runtime->profile, call->name);
    runtime_unlock(runtime);
    call->run(call);
}

/* A captured call is kept by the graph; *graph is NULL where the stream is not captured. */
static cudaError_t enter(struct runtime *runtime, const struct hosted_call *call,
                         cudaStream_t stream, cudaGraph_t *graph, void **kept)
{
    TRY(stream_enter(runtime, stream));
    if (!stream_captures(stream))
        return queue_settle_stream(runtime, stream);
    void *copy = malloc(call->size);
    if (!copy)
        return cudaErrorMemoryAllocation;
    memcpy(copy, call, call->size);
    const cudaError_t error = capture_host(runtime, run, copy, stream);
    if (error) {
        free(copy);
        return error;
    }
    *graph = capture_graph(stream);
    *kept = copy;
    return cudaSuccess;
}

cudaError_t __cudaEmuHosted(const struct hosted_call *call, cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    cudaUserObject_t object;
    void *kept;

    TRY(QUEUED(runtime, enter(runtime, call, stream, &graph, &kept)));
    if (!graph) {
        runtime_call_back(run, (void *)call);
        return ASIDE(runtime, cudaSuccess);
    }
    TRY(cudaUserObjectCreate(&object, kept, free, 1, cudaUserObjectNoDestructorSync));
    return cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
}

void *__cudaEmuPointer(const void *address)
{
    struct runtime *runtime = runtime_lock();
    void *pointer = (void *)address;

    if (runtime->machine)
        pointer = memory_host(runtime->machine, (uint64_t)address);
    runtime_unlock(runtime);
    return pointer;
}

/* Is all of it in one allocation? */
static bool is_allocated(const struct runtime *runtime, const struct hosted_memory *memory)
{
    size_t bytes;

    return !__builtin_mul_overflow(memory->pitch, memory->rows - 1, &bytes) &&
           !__builtin_add_overflow(memory->width, bytes, &bytes) &&
           memory_find(runtime->machine, (uint64_t)memory->start, bytes);
}

static void touch(struct runtime *runtime, const struct hosted_call *call,
                  const struct hosted_memory *memory)
{
    const bool joined = memory->rows == 1 || memory->pitch == memory->width;
    const size_t rows = joined ? 1 : memory->rows;
    const size_t width = joined ? memory->width * memory->rows : memory->width;
    bool sound = true;

    for (size_t row = 0; row < rows; row++) {
        const uint64_t start = (uint64_t)memory->start + row * memory->pitch;
        if (memory->reads && sound) /* one report is enough */
            sound = checks_read(runtime->checks, call->name, memory->what, start, width);
        if (memory->writes) {
            checks_written(runtime->checks, start, width);
            timing_filled(runtime->timing, start, width, true);
        }
    }
}

bool __cudaEmuReach(const struct hosted_call *call, const struct hosted_memory *asked)
{
    struct hosted_memory memory = *asked;

    if (!memory.width || !memory.rows)
        return true;
    struct runtime *runtime = runtime_lock();
    memory.start = api_pointer(memory_address(runtime->machine, asked->start));
    const bool allocated = is_allocated(runtime, &memory);
    if (allocated) {
        touch(runtime, call, &memory);
    } else {
        char where[200];
        describe_global(runtime->machine, (uint64_t)memory.start, where, sizeof(where));
        runtime_complain(runtime,
                         "%s: %s, %zu x %zu bytes in steps of %zu, is not all in one allocation of "
                         "the device: it starts %s",
                         call->name, memory.what, memory.rows, memory.width, memory.pitch, where);
        runtime->device->sticky = cudaErrorIllegalAddress;
    }
    runtime_unlock(runtime);
    return allocated;
}

void __cudaEmuLacks(const char *function, const char *about)
{
    const char *version = strstr(function, "_v2"); /* which programs do not write */
    const int length = (int)(version ? (size_t)(version - function) : strlen(function));
    struct runtime *runtime = runtime_enter();

    runtime_complain(runtime, "%.*s() is not emulated (%s)", length, function, about);
    runtime_unlock(runtime);
}

void __cudaEmuComplain(const char *line)
{
    struct runtime *runtime = runtime_enter();

    runtime_complain(runtime, "%s", line);
    runtime_unlock(runtime);
}
