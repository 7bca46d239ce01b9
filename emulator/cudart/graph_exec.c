/* SPDX-License-Identifier: MIT */
/* Instantiated graphs: a copy of a graph, and the stream that its nodes run in. */
#include "cudart/graph.h"
#include "cudart/stream.h"

#include <math.h>
#include <stdlib.h>

struct CUgraphExec_st {
    cudaGraph_t graph; /* a copy of the program's */
    cudaStream_t stream; /* where the nodes run, each from its own time on */
    unsigned long long flags;
    uint64_t random; /* for --schedule=random */
};

static cudaError_t check(const struct runtime *runtime, cudaGraphExec_t exec)
{
    return exec && list_has(&runtime->graph_execs, exec) ? cudaSuccess : cudaErrorInvalidValue;
}

static void free_exec(struct runtime *runtime, cudaGraphExec_t exec)
{
    if (exec->graph)
        graph_free(runtime, exec->graph);
    if (exec->stream)
        list_remove(&runtime->streams, exec->stream);
    free(exec->stream);
    free(exec);
}

void graph_exec_clear(struct runtime *runtime)
{
    for (size_t i = 0; i < runtime->graph_execs.count; i++)
        free_exec(runtime, runtime->graph_execs.items[i]);
    free(runtime->graph_execs.items);
    runtime->graph_execs = (struct list){0};
}

/* A node becomes ready when the last node that it depends on is done. */
static bool start_waits(cudaGraph_t graph, struct list *ready)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        node->waits = node->dependencies.count;
        if (!node->waits && !list_add(ready, node))
            return false;
    }
    return true;
}

static bool finish_node(cudaGraphNode_t node, struct list *ready)
{
    for (size_t i = 0; i < node->dependents.count; i++) {
        cudaGraphNode_t next = node->dependents.items[i];
        if (--next->waits == 0 && !list_add(ready, next))
            return false;
    }
    return true;
}

/* A graph with a cycle has nodes that never become ready. */
static cudaError_t check_order(cudaGraph_t graph)
{
    struct list ready = {0};
    bool complete = start_waits(graph, &ready);
    size_t done = 0;

    for (; complete && done < ready.count; done++)
        complete = finish_node(ready.items[done], &ready);
    free(ready.items);
    if (!complete)
        return cudaErrorMemoryAllocation;
    return done == graph->nodes.count ? cudaSuccess : cudaErrorInvalidValue;
}

/* What the body of a conditional node may have. */
static bool may_be_in_body(enum cudaGraphNodeType type)
{
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
           type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeEmpty ||
           type == cudaGraphNodeTypeGraph || type == NODE_CONDITION;
}

/* Find the first node that cannot run, and why. */
static cudaError_t check_nodes(struct runtime *runtime, cudaGraph_t graph, bool in_body,
                               cudaGraphNode_t *bad)
{
    cudaError_t error = check_order(graph);

    if (!error && !conditions_used(runtime, graph))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < graph->nodes.count; i++) {
        const struct operation *operation = &((cudaGraphNode_t)graph->nodes.items[i])->operation;
        *bad = graph->nodes.items[i];
        error = in_body && !may_be_in_body(operation->type) ? cudaErrorInvalidValue
                                                            : operation_check(runtime, operation);
        if (!error && operation->type == cudaGraphNodeTypeGraph)
            error = check_nodes(runtime, operation->child, in_body, bad);
        for (size_t k = 0;
             operation->type == NODE_CONDITION && !error && k < operation->condition.count; k++)
            error = check_nodes(runtime, operation->condition.bodies[k], true, bad);
    }
    if (!error)
        *bad = NULL;
    return error;
}

static cudaError_t instantiate(struct runtime *runtime, cudaGraphExec_t *result, cudaGraph_t graph,
                               unsigned long long flags, cudaGraphNode_t *bad)
{
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagUseNodePriority;

    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        runtime_complain(runtime, "graphs that kernels launch are not emulated");
        return cudaErrorNotSupported;
    }
    if (!result || flags & ~known)
        return cudaErrorInvalidValue;
    TRY(graph_check(runtime, graph) ?: check_nodes(runtime, graph, false, bad));
    cudaGraphExec_t exec = calloc(1, sizeof(*exec));
    if (!exec)
        return cudaErrorMemoryAllocation;
    exec->graph = graph_copy(runtime, graph);
    exec->stream = stream_make(runtime, cudaStreamNonBlocking, 0);
    exec->flags = flags;
    exec->random = runtime->settings.schedule.seed;
    if (!exec->graph || !exec->stream || !list_add(&runtime->streams, exec->stream) ||
        !list_add(&runtime->graph_execs, exec)) {
        free_exec(runtime, exec);
        return cudaErrorMemoryAllocation;
    }
    exec->graph->is_part = exec->stream->of_graph = true;
    *result = exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraphNode_t bad;

    return ASIDE(runtime, instantiate(runtime, exec, graph, flags, &bad));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parms)
{
    if (!parms)
        return ASIDE(runtime, cudaErrorInvalidValue);
    parms->errNode_out = NULL;
    const cudaError_t error =
        ASIDE(runtime, instantiate(runtime, exec, graph, parms->flags, &parms->errNode_out));
    parms->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return error;
}
PER_THREAD(cudaGraphInstantiateWithParams, ptsz);

ENTRY(API, cudaGraphExecDestroy, (exec), cudaGraphExec_t exec)
{
    if (!list_remove(&runtime->graph_execs, exec))
        return cudaErrorInvalidValue;
    free_exec(runtime, exec);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphExecGetFlags, (exec, flags), cudaGraphExec_t exec, unsigned long long *flags)
{
    TRY(flags ? check(runtime, exec) : cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

/* --- Running ---------------------------------------------------------------------------------- */

/* Choose the next of the nodes that wait for nothing. The schedule decides if that is the one
 * made first, the one made last, or any. On a GPU they can run in any order, and at the same
 * time. */
static cudaGraphNode_t take_next(struct runtime *runtime, cudaGraphExec_t exec, struct list *ready)
{
    const enum schedule_kind kind = runtime->settings.schedule.kind;
    size_t at = kind == SCHEDULE_RANDOM ? schedule_random(&exec->random) % ready->count : 0;

    for (size_t i = 1; kind != SCHEDULE_RANDOM && i < ready->count; i++) {
        const bool earlier = ((cudaGraphNode_t)ready->items[i])->number <
                             ((cudaGraphNode_t)ready->items[at])->number;
        if (earlier == (kind == SCHEDULE_FORWARD))
            at = i;
    }
    cudaGraphNode_t node = ready->items[at];
    ready->items[at] = ready->items[--ready->count];
    return node;
}

static cudaError_t run_graph(struct runtime *runtime, cudaGraphExec_t exec, cudaGraph_t graph,
                             double begin, double *end);

/* Run the bodies of a conditional node. */
static cudaError_t run_condition(struct runtime *runtime, cudaGraphExec_t exec,
                                 const struct operation *operation, double begin, double *end)
{
    cudaError_t error = cudaSuccess;
    cudaGraph_t body;
    bool again = true;

    *end = begin;
    while (!error && again && (body = condition_body(operation, &again)))
        error = run_graph(runtime, exec, body, *end, end);
    return error;
}

/* Run a node. It begins at the time when all nodes that it depends on are done. */
static cudaError_t run_node(struct runtime *runtime, cudaGraphExec_t exec, cudaGraphNode_t node,
                            double begin)
{
    for (size_t i = 0; i < node->dependencies.count; i++) {
        const cudaGraphNode_t before = node->dependencies.items[i];
        begin = before->ready > begin ? before->ready : begin;
    }
    node->ready = begin;
    if (node->disabled)
        return cudaSuccess;
    if (node->operation.type == cudaGraphNodeTypeGraph)
        return run_graph(runtime, exec, node->operation.child, begin, &node->ready);
    if (node->operation.type == NODE_CONDITION)
        return run_condition(runtime, exec, &node->operation, begin, &node->ready);
    exec->stream->ready = begin;
    const cudaError_t error = operation_run(runtime, &node->operation, exec->stream);
    node->ready = exec->stream->ready;
    return error;
}

/* Run all nodes of a graph from the time `begin` on, and set *end to the time when all are done,
 * both on the modelled clock. */
static cudaError_t run_graph(struct runtime *runtime, cudaGraphExec_t exec, cudaGraph_t graph,
                             double begin, double *end)
{
    struct list ready = {0};
    cudaError_t error = start_waits(graph, &ready) ? cudaSuccess : cudaErrorMemoryAllocation;

    *end = begin;
    while (!error && ready.count) {
        cudaGraphNode_t node = take_next(runtime, exec, &ready);
        error = run_node(runtime, exec, node, begin);
        *end = node->ready > *end ? node->ready : *end;
        if (!error && !finish_node(node, &ready))
            error = cudaErrorMemoryAllocation;
    }
    free(ready.items);
    return error;
}

/* If memory of an earlier run was not freed, the graph cannot run, unless it was instantiated to
 * free that memory itself. */
static cudaError_t check_memory(struct runtime *runtime, cudaGraphExec_t exec, cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct operation *operation = &((cudaGraphNode_t)graph->nodes.items[i])->operation;
        if (operation->type != cudaGraphNodeTypeMemAlloc || !operation->memory->live)
            continue;
        if (!(exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
            return cudaErrorInvalidValue;
        graph_memory_set(runtime, operation->memory, false);
    }
    return cudaSuccess;
}

cudaError_t graph_exec_run(struct runtime *runtime, cudaGraphExec_t exec, cudaStream_t stream)
{
    struct device *device = runtime->device;
    double end;

    exec->stream->launched = fmax(timing_now_ms(runtime->timing), device->launch_ms);
    device->launch_ms = exec->stream->launched + machine_gpu(runtime->machine)->launch_us / 1000;
    conditions_begin(exec->graph);
    TRY(run_graph(runtime, exec, exec->graph, stream_ready_ms(runtime, stream), &end));
    stream_wait_ms(runtime, stream, end);
    return cudaSuccess;
}

static bool has_memory(cudaGraph_t graph)
{
    bool has = false;

    for (size_t i = 0; i < graph->nodes.count; i++) {
        const enum cudaGraphNodeType type =
            ((cudaGraphNode_t)graph->nodes.items[i])->operation.type;
        has |= type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
    }
    return has;
}

/* A graph with memory of its own may not be put off: the next launch depends on it. */
ENTRY(QUEUED, cudaGraphLaunch, (exec, stream), cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t error = check(runtime, exec) ?: stream_enter(runtime, stream);

    if (!error && stream_captures(stream))
        error = capture_forbids_stream(runtime, stream);
    if (error)
        return error;
    if (queue_takes(runtime) && !has_memory(exec->graph))
        return queue_graph(runtime, exec, stream);
    return queue_settle(runtime)
               ?: check_memory(runtime, exec, exec->graph)
               ?: graph_exec_run(runtime, exec, stream);
}
PER_THREAD(cudaGraphLaunch, ptsz);

/* Nothing has to be brought to the device before a launch. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    return QUEUED(runtime, check(runtime, exec) ?: stream_enter(runtime, stream));
}
PER_THREAD(cudaGraphUpload, ptsz);

/* --- Changing --------------------------------------------------------------------------------- */

static cudaError_t find_copy(const struct runtime *runtime, cudaGraphExec_t exec,
                             cudaGraphNode_t node, cudaGraphNode_t *copy)
{
    if (check(runtime, exec) || graph_check_node(runtime, node))
        return cudaErrorInvalidValue;
    *copy = graph_find_copy(exec->graph, node);
    return *copy ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t graph_exec_operation(const struct runtime *runtime, cudaGraphExec_t exec,
                                 cudaGraphNode_t node, struct operation **operation)
{
    cudaGraphNode_t copy;
    TRY(find_copy(runtime, exec, node, &copy));
    *operation = &copy->operation;
    return cudaSuccess;
}

/* Kernels, copies and fills can be switched off. */
static bool may_be_off(cudaGraphNode_t node)
{
    const enum cudaGraphNodeType type = node->operation.type;

    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
           type == cudaGraphNodeTypeMemset;
}

ENTRY(API, cudaGraphNodeSetEnabled, (exec, node, enabled), cudaGraphExec_t exec,
      cudaGraphNode_t node, unsigned enabled)
{
    cudaGraphNode_t copy;
    const cudaError_t error = find_copy(runtime, exec, node, &copy);

    if (error || !may_be_off(copy))
        return cudaErrorInvalidValue;
    copy->disabled = !enabled;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphNodeGetEnabled, (exec, node, enabled), cudaGraphExec_t exec,
      cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t copy;
    const cudaError_t error =
        enabled ? find_copy(runtime, exec, node, &copy) : cudaErrorInvalidValue;

    if (error || !may_be_off(copy))
        return cudaErrorInvalidValue;
    *enabled = !copy->disabled;
    return cudaSuccess;
}

/* Compare two graphs node by node, in the order in which these were made. *bad is the first node
 * of `to` that differs. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t from, cudaGraph_t to,
                                              cudaGraphNode_t *bad)
{
    *bad = NULL;
    if (from->nodes.count != to->nodes.count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < to->nodes.count; i++) {
        cudaGraphNode_t old = from->nodes.items[i], new = to->nodes.items[i];
        old->waits = new->waits = i;
        *bad = new;
        if (old->operation.type != new->operation.type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (old->dependencies.count != new->dependencies.count)
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (old->operation.type == cudaGraphNodeTypeMemAlloc ||
            old->operation.type == cudaGraphNodeTypeMemFree)
            return cudaGraphExecUpdateErrorNotSupported;
    }
    for (size_t i = 0; i < to->nodes.count; i++) {
        const struct list *old = &((cudaGraphNode_t)from->nodes.items[i])->dependencies;
        const struct list *new = &((cudaGraphNode_t)to->nodes.items[i])->dependencies;
        *bad = to->nodes.items[i];
        for (size_t k = 0; k < new->count; k++) {
            const size_t at = ((cudaGraphNode_t) new->items[k])->waits;
            if (!list_has(old, from->nodes.items[at]))
                return cudaGraphExecUpdateErrorTopologyChanged;
        }
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

/* Give the nodes of an instantiated graph the operations of the nodes of `graph`. */
static cudaError_t take_operations(struct runtime *runtime, cudaGraph_t from, cudaGraph_t to)
{
    for (size_t i = 0; i < from->nodes.count; i++) {
        struct operation *old = &((cudaGraphNode_t)to->nodes.items[i])->operation, copy;
        if (!operation_copy(runtime, &((cudaGraphNode_t)from->nodes.items[i])->operation, &copy))
            return cudaErrorMemoryAllocation;
        operation_free(runtime, old);
        *old = copy;
    }
    return cudaSuccess;
}

ENTRY(API, cudaGraphExecUpdate, (exec, graph, info), cudaGraphExec_t exec, cudaGraph_t graph,
      cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphNode_t bad;
    TRY(info ? check(runtime, exec) ?: graph_check(runtime, graph) : cudaErrorInvalidValue);
    *info = (cudaGraphExecUpdateResultInfo){.result = compare(exec->graph, graph, &bad),
                                            .errorNode = bad};
    if (info->result != cudaGraphExecUpdateSuccess)
        return cudaErrorGraphExecUpdateFailure;
    if (check_nodes(runtime, graph, false, &bad)) {
        info->result = cudaGraphExecUpdateErrorParametersChanged;
        info->errorNode = bad;
        return cudaErrorGraphExecUpdateFailure;
    }
    return take_operations(runtime, graph, exec->graph);
}
