/* SPDX-License-Identifier: MIT */
/* Operations: how they are copied, and how they are done, by the functions that also do the work
 * of streams. */
#include "cudart/graph.h"
#include "cudart/stream.h"
#include "cudart/transfer.h"

#include <stdlib.h>

void graph_memory_set(struct runtime *runtime, struct graph_memory *memory, bool live)
{
    if (memory->live != live)
        pool_use(&runtime->device->graph_pool,
                 live ? (int64_t)memory->size : -(int64_t)memory->size);
    memory->live = live;
}

static void release_memory(struct runtime *runtime, struct graph_memory *memory)
{
    if (--memory->references)
        return;
    graph_memory_set(runtime, memory, false);
    struct block *block = allocation_find(runtime, memory->address);
    if (block) {
        block->graph = NULL;
        allocation_free(runtime, memory->address, "cudaGraphDestroy", NULL);
    }
    free(memory);
}

void operation_free(struct runtime *runtime, struct operation *operation)
{
    switch ((int)operation->type) {
    case cudaGraphNodeTypeKernel:
        free(operation->kernel.arguments);
        break;
    case cudaGraphNodeTypeGraph:
        graph_free(runtime, operation->child);
        break;
    case cudaGraphNodeTypeMemAlloc:
        release_memory(runtime, operation->memory);
        break;
    case NODE_CONDITION:
        condition_free(runtime, operation);
        break;
    default:
        break;
    }
    operation->type = cudaGraphNodeTypeEmpty;
}

bool operation_copy(struct runtime *runtime, const struct operation *from, struct operation *to)
{
    *to = *from;
    switch ((int)from->type) {
    case cudaGraphNodeTypeKernel:
        return launch_copy_arguments(runtime, from->kernel.host, from->kernel.arguments,
                                     &to->kernel.arguments) == cudaSuccess;
    case cudaGraphNodeTypeGraph:
        to->child = graph_copy(runtime, from->child);
        if (to->child)
            to->child->is_part = true;
        return to->child != NULL;
    case cudaGraphNodeTypeMemAlloc:
        to->memory->references++;
        return true;
    case NODE_CONDITION:
        return condition_copy(runtime, from, to);
    default:
        return true;
    }
}

cudaError_t operation_allocate(struct runtime *runtime, size_t size, const void *caller,
                               struct operation *operation)
{
    struct graph_memory *memory = calloc(1, sizeof(*memory));

    if (!memory)
        return cudaErrorMemoryAllocation;
    const cudaError_t error =
        size ? allocation_make(runtime, &memory->address, size, BLOCK_DEVICE, NULL, caller)
             : cudaErrorInvalidValue;
    if (error) {
        free(memory);
        return error;
    }
    memory->size = size;
    memory->references = 1;
    allocation_find(runtime, memory->address)->graph = memory;
    *operation = (struct operation){.type = cudaGraphNodeTypeMemAlloc, .memory = memory};
    return cudaSuccess;
}

/* Fill memory as the API describes it, in elements instead of bytes. */
static cudaError_t check_fill(const struct cudaMemsetParams *parms)
{
    const unsigned unit = parms->elementSize;

    return (unit == 1 || unit == 2 || unit == 4) && parms->width && parms->height &&
                   parms->width <= SIZE_MAX / unit && (uintptr_t)parms->dst % unit == 0 &&
                   (parms->height == 1 || parms->pitch % unit == 0)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t run_fill(struct runtime *runtime, const struct cudaMemsetParams *parms,
                            cudaStream_t stream)
{
    const struct area area = {.texels = {.address = (uint64_t)parms->dst, .pitch = parms->pitch}};

    return fill(runtime, area, parms->value, parms->elementSize,
                (struct box){parms->width * parms->elementSize, parms->height, 1}, stream);
}

/* Call the function of a node. It runs without the lock, as in a stream. */
static cudaError_t run_host(struct runtime *runtime, const struct cudaHostNodeParams *host)
{
    const int device = runtime->device->number;

    runtime_unlock(runtime);
    runtime_call_back(host->fn, host->userData);
    runtime_lock();
    device_select(runtime, device);
    return cudaSuccess;
}

cudaError_t operation_check(struct runtime *runtime, const struct operation *operation)
{
    switch (operation->type) {
    case cudaGraphNodeTypeKernel:
        return launch_check(runtime, &operation->kernel);
    case cudaGraphNodeTypeMemset:
        return check_fill(&operation->fill);
    case cudaGraphNodeTypeHost:
        return operation->host.fn ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        return list_has(&runtime->events, operation->event) ? cudaSuccess : cudaErrorInvalidValue;
    default:
        return cudaSuccess;
    }
}

cudaError_t operation_run(struct runtime *runtime, const struct operation *operation,
                          cudaStream_t stream)
{
    struct kernel_operation kernel;

    switch (operation->type) {
    case cudaGraphNodeTypeKernel:
        kernel = operation->kernel;
        kernel.configuration.stream = stream;
        kernel.configuration.may_begin_early = false;
        return launch_run(runtime, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return copy_3d(runtime, &operation->copy, stream);
    case cudaGraphNodeTypeMemset:
        return run_fill(runtime, &operation->fill, stream);
    case cudaGraphNodeTypeHost:
        return run_host(runtime, &operation->host);
    case cudaGraphNodeTypeWaitEvent:
        return stream_wait(runtime, stream, operation->event);
    case cudaGraphNodeTypeEventRecord:
        return stream_record(runtime, operation->event, stream);
    case cudaGraphNodeTypeMemAlloc:
        graph_memory_set(runtime, operation->memory, true);
        return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
        return allocation_free(runtime, operation->freed, "cudaFreeAsync", NULL);
    default:
        return cudaSuccess;
    }
}
