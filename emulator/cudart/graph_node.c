/* SPDX-License-Identifier: MIT */
/* The kinds of nodes. Each function of the API here makes an operation from its parameters. The
 * operation then goes into a new node, or replaces that of a node in a graph or an instantiated
 * graph. */
#include "cudart/graph.h"

#include <stdlib.h>
#include <string.h>

/* --- Operations from what programs describe --------------------------------------------------- */

static cudaError_t of_kernel(struct runtime *runtime, const struct cudaKernelNodeParams *parms,
                             struct operation *operation)
{
    struct function *function;

    if (!parms || !parms->func)
        return cudaErrorInvalidValue;
    if (parms->extra) {
        runtime_complain(runtime,
                         "arguments of graph nodes in one buffer (extra) are not emulated");
        return cudaErrorNotSupported;
    }
    cudaError_t error = module_function(runtime, parms->func, &function);
    if (error)
        return error;
    *operation = (struct operation){.type = cudaGraphNodeTypeKernel,
                                    .kernel = {.host = parms->func,
                                               .configuration = {.grid = parms->gridDim,
                                                                 .block = parms->blockDim,
                                                                 .shared = parms->sharedMemBytes},
                                               .arguments = parms->kernelParams}};
    error = launch_check(runtime, &operation->kernel);
    return error ? error
                 : launch_copy_arguments(runtime, parms->func, parms->kernelParams,
                                         &operation->kernel.arguments);
}

static cudaError_t of_copy(const struct cudaMemcpy3DParms *parms, struct operation *operation)
{
    if (!parms || !parms->srcArray == !parms->srcPtr.ptr || !parms->dstArray == !parms->dstPtr.ptr)
        return cudaErrorInvalidValue;
    *operation = (struct operation){.type = cudaGraphNodeTypeMemcpy, .copy = *parms};
    return cudaSuccess;
}

/* A copy of bytes that lie one after the other. */
static cudaError_t of_run(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                          struct operation *operation)
{
    const struct cudaMemcpy3DParms parms = {.srcPtr = {(void *)from, bytes, bytes, 1},
                                            .dstPtr = {to, bytes, bytes, 1},
                                            .extent = {bytes, 1, 1},
                                            .kind = kind};

    return of_copy(&parms, operation);
}

/* The same, to or from a part of a variable. */
static cudaError_t of_symbol(struct runtime *runtime, const void *symbol, void *memory,
                             size_t bytes, size_t offset, enum cudaMemcpyKind kind, bool to_symbol,
                             struct operation *operation)
{
    struct variable *variable;
    uint64_t address;
    TRY(module_variable(runtime, symbol, &variable, &address));
    if (offset > variable->size || bytes > variable->size - offset)
        return cudaErrorInvalidValue;
    void *part = (char *)api_pointer(address) + offset;
    return to_symbol ? of_run(part, memory, bytes, kind, operation)
                     : of_run(memory, part, bytes, kind, operation);
}

static cudaError_t of_fill(struct runtime *runtime, const struct cudaMemsetParams *parms,
                           struct operation *operation)
{
    if (!parms)
        return cudaErrorInvalidValue;
    *operation = (struct operation){.type = cudaGraphNodeTypeMemset, .fill = *parms};
    return operation_check(runtime, operation);
}

static cudaError_t of_host(const struct cudaHostNodeParams *parms, struct operation *operation)
{
    if (!parms || !parms->fn)
        return cudaErrorInvalidValue;
    *operation = (struct operation){.type = cudaGraphNodeTypeHost, .host = *parms};
    return cudaSuccess;
}

static cudaError_t of_event(struct runtime *runtime, cudaEvent_t event, enum cudaGraphNodeType type,
                            struct operation *operation)
{
    *operation = (struct operation){.type = type, .event = event};
    return operation_check(runtime, operation);
}

static cudaError_t of_graph(struct runtime *runtime, cudaGraph_t graph, struct operation *operation)
{
    const struct operation given = {.type = cudaGraphNodeTypeGraph, .child = graph};

    TRY(graph_check(runtime, graph));
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (((cudaGraphNode_t)graph->nodes.items[i])->operation.type == NODE_CONDITION)
            return cudaErrorNotSupported;
    return operation_copy(runtime, &given, operation) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* --- Where they go ---------------------------------------------------------------------------- */

/* Add the operation to a graph, if it could be made. */
static cudaError_t add(struct runtime *runtime, cudaError_t error, struct operation *operation,
                       cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                       size_t count)
{
    if (error)
        return error;
    error = node ? graph_check(runtime, graph) : cudaErrorInvalidValue;
    if (error) {
        operation_free(runtime, operation);
        return error;
    }
    return graph_add(runtime, graph, before, count, operation, node);
}

/* The operation of a node or, if `exec` is given, of its copy in there. It must be of this type. */
static cudaError_t find(const struct runtime *runtime, cudaGraphExec_t exec, cudaGraphNode_t node,
                        enum cudaGraphNodeType type, struct operation **kept)
{
    const cudaError_t error =
        exec ? graph_exec_operation(runtime, exec, node, kept) : graph_check_node(runtime, node);

    if (!error && !exec)
        *kept = &node->operation;
    return error || (*kept)->type != type ? cudaErrorInvalidValue : cudaSuccess;
}

/* Replace the operation of a node or, if `exec` is given, of its copy in there, unless it could
 * not be made. A kernel keeps its attributes. */
static cudaError_t set(struct runtime *runtime, cudaError_t error, struct operation *operation,
                       cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct operation *kept;

    if (error)
        return error;
    error = find(runtime, exec, node, operation->type, &kept);
    if (error) {
        operation_free(runtime, operation);
        return error;
    }
    if (operation->type == cudaGraphNodeTypeKernel) {
        operation->kernel.configuration.cluster = kept->kernel.configuration.cluster;
        operation->kernel.configuration.cooperative = kept->kernel.configuration.cooperative;
    }
    operation_free(runtime, kept);
    *kept = *operation;
    return cudaSuccess;
}

/* Add a node, or set one: `made` is an expression that makes `operation`. */
#define ADD(made)                                                                     \
    ({                                                                                \
        struct operation operation;                                                   \
        ASIDE(runtime, add(runtime, (made), &operation, node, graph, before, count)); \
    })
#define SET(exec, made)                                                       \
    ({                                                                        \
        struct operation operation;                                           \
        QUEUED(runtime, ((exec) ? queue_settle(runtime) : cudaSuccess)        \
                            ?: set(runtime, (made), &operation, exec, node)); \
    })
#define NEW_NODE \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count

/* The functions of a kind of node: add a node, set a node, set a node of an instantiated graph. The
 * parameters that they share come last. */
#define NODE(kind, what, suffix, made, ...)                                                   \
    cudaError_t cudaGraphAdd##kind##Node##suffix(NEW_NODE, __VA_ARGS__)                       \
    {                                                                                         \
        return ADD(made);                                                                     \
    }                                                                                         \
    cudaError_t cudaGraph##kind##NodeSet##what##suffix(cudaGraphNode_t node, __VA_ARGS__)     \
    {                                                                                         \
        return SET(NULL, made);                                                               \
    }                                                                                         \
    cudaError_t cudaGraphExec##kind##NodeSet##what##suffix(cudaGraphExec_t exec,              \
                                                           cudaGraphNode_t node, __VA_ARGS__) \
    {                                                                                         \
        return SET(exec, made);                                                               \
    }

NODE(Kernel, Params, , of_kernel(runtime, parms, &operation),
     const struct cudaKernelNodeParams *parms)
NODE(Memcpy, Params, , of_copy(parms, &operation), const struct cudaMemcpy3DParms *parms)
NODE(Memcpy, Params, 1D, of_run(to, from, bytes, kind, &operation), void *to, const void *from,
     size_t bytes, enum cudaMemcpyKind kind)
NODE(Memcpy, Params, ToSymbol,
     of_symbol(runtime, symbol, (void *)from, bytes, offset, kind, true, &operation),
     const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
NODE(Memcpy, Params, FromSymbol,
     of_symbol(runtime, symbol, to, bytes, offset, kind, false, &operation), void *to,
     const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
NODE(Memset, Params, , of_fill(runtime, parms, &operation), const struct cudaMemsetParams *parms)
NODE(Host, Params, , of_host(parms, &operation), const struct cudaHostNodeParams *parms)
NODE(EventRecord, Event, , of_event(runtime, event, cudaGraphNodeTypeEventRecord, &operation),
     cudaEvent_t event)
NODE(EventWait, Event, , of_event(runtime, event, cudaGraphNodeTypeWaitEvent, &operation),
     cudaEvent_t event)

cudaError_t cudaGraphAddEmptyNode(NEW_NODE)
{
    return ADD((operation.type = cudaGraphNodeTypeEmpty, cudaSuccess));
}

cudaError_t cudaGraphAddChildGraphNode(NEW_NODE, cudaGraph_t child)
{
    return ADD(of_graph(runtime, child, &operation));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    return SET(exec, of_graph(runtime, child, &operation));
}

static cudaError_t of_memory(struct runtime *runtime, struct cudaMemAllocNodeParams *parms,
                             const void *caller, struct operation *operation)
{
    if (!parms || parms->poolProps.allocType != cudaMemAllocationTypePinned ||
        parms->poolProps.location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, parms->poolProps.location.id))
        return cudaErrorInvalidDevice;
    TRY(operation_allocate(runtime, parms->bytesize, caller, operation));
    parms->dptr = operation->memory->address;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemAllocNode(NEW_NODE, struct cudaMemAllocNodeParams *parms)
{
    const void *caller = CALLER;

    return ADD(of_memory(runtime, parms, caller, &operation));
}

cudaError_t cudaGraphAddMemFreeNode(NEW_NODE, void *pointer)
{
    return ADD((operation = (struct operation){.type = cudaGraphNodeTypeMemFree, .freed = pointer},
                pointer ? cudaSuccess : cudaErrorInvalidValue));
}

/* --- What they are asked ---------------------------------------------------------------------- */

/* Find the operation of `node`, which must have this type, and let `result` take what it needs
 * from it. */
#define GET(type, result, taken)                                                                   \
    ({                                                                                             \
        struct operation *operation;                                                               \
        ASIDE(runtime, ({                                                                          \
                  const cudaError_t error = (result) ? find(runtime, NULL, node, type, &operation) \
                                                     : cudaErrorInvalidValue;                      \
                  if (!error)                                                                      \
                      *(result) = (taken);                                                         \
                  error;                                                                           \
              }));                                                                                 \
    })

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parms)
{
    return GET(cudaGraphNodeTypeKernel, parms,
               ((struct cudaKernelNodeParams){.func = (void *)operation->kernel.host,
                                              .gridDim = operation->kernel.configuration.grid,
                                              .blockDim = operation->kernel.configuration.block,
                                              .sharedMemBytes =
                                                  (unsigned)operation->kernel.configuration.shared,
                                              .kernelParams = operation->kernel.arguments}));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *parms)
{
    return GET(cudaGraphNodeTypeMemcpy, parms, operation->copy);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *parms)
{
    return GET(cudaGraphNodeTypeMemset, parms, operation->fill);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *parms)
{
    return GET(cudaGraphNodeTypeHost, parms, operation->host);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return GET(cudaGraphNodeTypeEventRecord, event, operation->event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return GET(cudaGraphNodeTypeWaitEvent, event, operation->event);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    return GET(cudaGraphNodeTypeGraph, graph, operation->child);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *parms)
{
    return GET(cudaGraphNodeTypeMemAlloc, parms,
               ((struct cudaMemAllocNodeParams){
                   .poolProps = {.allocType = cudaMemAllocationTypePinned,
                                 .location = {.type = cudaMemLocationTypeDevice}},
                   .bytesize = operation->memory->size,
                   .dptr = operation->memory->address}));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    return GET(cudaGraphNodeTypeMemFree, (void **)pointer, operation->freed);
}

/* Attributes of kernels that make a difference to a launch. */
ENTRY(ASIDE, cudaGraphKernelNodeGetAttribute, (node, attribute, value), cudaGraphNode_t node,
      cudaKernelNodeAttrID attribute, cudaKernelNodeAttrValue *value)
{
    struct operation *operation;
    TRY(value ? find(runtime, NULL, node, cudaGraphNodeTypeKernel, &operation)
              : cudaErrorInvalidValue);
    memset(value, 0, sizeof(*value));
    const struct configuration *configuration = &operation->kernel.configuration;
    if (attribute == cudaLaunchAttributeCooperative)
        value->cooperative = configuration->cooperative;
    else if (attribute == cudaLaunchAttributeClusterDimension) {
        value->clusterDim.x = configuration->cluster.x;
        value->clusterDim.y = configuration->cluster.y;
        value->clusterDim.z = configuration->cluster.z;
    }
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphKernelNodeSetAttribute, (node, attribute, value), cudaGraphNode_t node,
      cudaKernelNodeAttrID attribute, const cudaKernelNodeAttrValue *value)
{
    struct operation *operation;
    TRY(value ? find(runtime, NULL, node, cudaGraphNodeTypeKernel, &operation)
              : cudaErrorInvalidValue);
    const cudaLaunchAttribute given = {.id = attribute, .val = *value};
    return launch_set_attribute(runtime, &given, &operation->kernel.configuration);
}

static cudaError_t copy_attributes(struct runtime *runtime, cudaGraphNode_t to,
                                   cudaGraphNode_t from)
{
    struct operation *source, *target;
    TRY(find(runtime, NULL, from, cudaGraphNodeTypeKernel, &source)
            ?: find(runtime, NULL, to, cudaGraphNodeTypeKernel, &target));
    target->kernel.configuration.cluster = source->kernel.configuration.cluster;
    target->kernel.configuration.cooperative = source->kernel.configuration.cooperative;
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
#else
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to)
#endif
{
    return ASIDE(runtime, copy_attributes(runtime, to, from));
}

/* --- Any kind by one function ----------------------------------------------------------------- */

#if CUDART_VERSION >= 12020
static cudaError_t of_any(struct runtime *runtime, struct cudaGraphNodeParams *parms,
                          const void *caller, struct operation *operation)
{
    if (!parms)
        return cudaErrorInvalidValue;
    switch (parms->type) {
    case cudaGraphNodeTypeKernel:
        return of_kernel(
            runtime,
            &(struct cudaKernelNodeParams){parms->kernel.func, parms->kernel.gridDim,
                                           parms->kernel.blockDim, parms->kernel.sharedMemBytes,
                                           parms->kernel.kernelParams, parms->kernel.extra},
            operation);
    case cudaGraphNodeTypeMemcpy:
        return of_copy(&parms->memcpy.copyParams, operation);
    case cudaGraphNodeTypeMemset:
        return of_fill(runtime,
                       &(struct cudaMemsetParams){parms->memset.dst, parms->memset.pitch,
                                                  parms->memset.value, parms->memset.elementSize,
                                                  parms->memset.width, parms->memset.height},
                       operation);
    case cudaGraphNodeTypeHost:
        return of_host(&(struct cudaHostNodeParams){parms->host.fn, parms->host.userData},
                       operation);
    case cudaGraphNodeTypeGraph:
        return of_graph(runtime, parms->graph.graph, operation);
    case cudaGraphNodeTypeWaitEvent:
        return of_event(runtime, parms->eventWait.event, parms->type, operation);
    case cudaGraphNodeTypeEventRecord:
        return of_event(runtime, parms->eventRecord.event, parms->type, operation);
    case cudaGraphNodeTypeEmpty:
        *operation = (struct operation){.type = parms->type};
        return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams plain = {.poolProps = parms->alloc.poolProps,
                                               .bytesize = parms->alloc.bytesize};
        const cudaError_t error = of_memory(runtime, &plain, caller, operation);
        parms->alloc.dptr = plain.dptr;
        return error;
    }
    case cudaGraphNodeTypeMemFree:
        *operation = (struct operation){.type = parms->type, .freed = parms->free.dptr};
        return cudaSuccess;
#if CUDART_VERSION >= 12040
    case cudaGraphNodeTypeConditional:
        return operation_of_condition(runtime, &parms->conditional, operation);
#endif
    default:
        runtime_complain(runtime, "graph nodes of type %d (external semaphores) are not emulated",
                         (int)parms->type);
        return cudaErrorNotSupported;
    }
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                             size_t count, struct cudaGraphNodeParams *parms)
{
    (void)edges;
#else
cudaError_t cudaGraphAddNode(NEW_NODE, struct cudaGraphNodeParams *parms)
{
#endif
    const void *caller = CALLER;
    return ADD(of_any(runtime, parms, caller, &operation));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parms)
{
    const void *caller = CALLER;

    if (parms && parms->type == cudaGraphNodeTypeConditional) /* as an H200's driver says */
        return ASIDE(runtime, cudaErrorNotSupported);
    return SET(NULL, of_any(runtime, parms, caller, &operation));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parms)
{
    const void *caller = CALLER;

    return SET(exec, of_any(runtime, parms, caller, &operation));
}
#endif
