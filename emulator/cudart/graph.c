/* SPDX-License-Identifier: MIT */
/* Nodes and edges of graphs. All graphs are in one list, so a wrong handle is found before
 * anything is read through it. */
#include "cudart/graph.h"

#include <stdlib.h>

cudaGraph_t graph_make(struct runtime *runtime)
{
    cudaGraph_t graph = calloc(1, sizeof(*graph));

    if (graph && list_add(&runtime->graphs, graph))
        return graph;
    free(graph);
    return NULL;
}

static void free_node(struct runtime *runtime, cudaGraphNode_t node)
{
    operation_free(runtime, &node->operation);
    free(node->dependencies.items);
    free(node->dependents.items);
    free(node);
}

void graph_free(struct runtime *runtime, cudaGraph_t graph)
{
    list_remove(&runtime->graphs, graph);
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(runtime, graph->nodes.items[i]);
    free(graph->nodes.items);
    conditions_forget(runtime, graph);
    objects_release(runtime, graph);
    free(graph);
}

void graph_clear(struct runtime *runtime)
{
    graph_exec_clear(runtime);
    for (size_t i = runtime->graphs.count; i-- > 0;)
        if (i < runtime->graphs.count && !((cudaGraph_t)runtime->graphs.items[i])->is_part)
            graph_free(runtime, runtime->graphs.items[i]);
    free(runtime->graphs.items);
    runtime->graphs = (struct list){0};
    list_clear(&runtime->conditions);
    list_clear(&runtime->user_objects);
}

/* Add an edge unless it is there already. Returns false if there is no memory. */
static bool join(cudaGraphNode_t from, cudaGraphNode_t to)
{
    if (list_has(&to->dependencies, from))
        return true;
    if (!list_add(&to->dependencies, from))
        return false;
    if (list_add(&from->dependents, to))
        return true;
    list_remove(&to->dependencies, from);
    return false;
}

static void disconnect(cudaGraphNode_t from, cudaGraphNode_t to)
{
    list_remove(&to->dependencies, from);
    list_remove(&from->dependents, to);
}

/* Take a node out of its graph. */
static void remove_node(struct runtime *runtime, cudaGraphNode_t node)
{
    while (node->dependencies.count)
        disconnect(node->dependencies.items[0], node);
    while (node->dependents.count)
        disconnect(node, node->dependents.items[0]);
    list_remove(&node->graph->nodes, node);
    free_node(runtime, node);
}

/* A node without edges, which owns the operation from then on; NULL if there is no memory. */
static cudaGraphNode_t make_node(struct runtime *runtime, cudaGraph_t graph,
                                 struct operation *operation)
{
    cudaGraphNode_t node = calloc(1, sizeof(*node));

    if (!node || !list_add(&graph->nodes, node)) {
        operation_free(runtime, operation);
        free(node);
        return NULL;
    }
    node->graph = graph;
    node->number = graph->made++;
    node->operation = *operation;
    return node;
}

cudaError_t graph_add(struct runtime *runtime, cudaGraph_t graph, const cudaGraphNode_t *before,
                      size_t count, struct operation *operation, cudaGraphNode_t *result)
{
    cudaError_t error = count && !before ? cudaErrorInvalidValue : cudaSuccess;

    for (size_t i = 0; !error && i < count; i++)
        if (!list_has(&graph->nodes, before[i]))
            error = cudaErrorInvalidValue;
    if (error) {
        operation_free(runtime, operation);
        return error;
    }
    cudaGraphNode_t node = make_node(runtime, graph, operation);
    for (size_t i = 0; node && i < count; i++)
        if (!join(before[i], node)) {
            remove_node(runtime, node);
            node = NULL;
        }
    *result = node;
    return node ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaGraphNode_t graph_find_copy(cudaGraph_t graph, cudaGraphNode_t original)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        if (node->original == original)
            return node;
    }
    return NULL;
}

/* Copy the nodes and edges of a graph into one that is empty. The copy of a node has the same
 * index in the list. */
static bool copy_nodes(struct runtime *runtime, cudaGraph_t from, cudaGraph_t to)
{
    for (size_t i = 0; i < from->nodes.count; i++) {
        cudaGraphNode_t original = from->nodes.items[i];
        struct operation operation;
        if (!operation_copy(runtime, &original->operation, &operation))
            return false;
        cudaGraphNode_t node = make_node(runtime, to, &operation);
        if (!node)
            return false;
        node->original = original;
        node->disabled = original->disabled;
        original->waits = i;
    }
    for (size_t i = 0; i < from->nodes.count; i++) {
        const struct list *before = &((cudaGraphNode_t)from->nodes.items[i])->dependencies;
        for (size_t k = 0; k < before->count; k++)
            if (!join(to->nodes.items[((cudaGraphNode_t)before->items[k])->waits],
                      to->nodes.items[i]))
                return false;
    }
    return true;
}

cudaGraph_t graph_copy(struct runtime *runtime, cudaGraph_t graph)
{
    cudaGraph_t copy = graph_make(runtime);

    if (copy && copy_nodes(runtime, graph, copy) && objects_share(graph, copy)) {
        copy->original = graph;
        return copy;
    }
    if (copy)
        graph_free(runtime, copy);
    return NULL;
}

cudaError_t graph_check(const struct runtime *runtime, cudaGraph_t graph)
{
    return graph && list_has(&runtime->graphs, graph) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t graph_check_node(const struct runtime *runtime, cudaGraphNode_t node)
{
    for (size_t i = 0; node && i < runtime->graphs.count; i++)
        if (list_has(&((cudaGraph_t)runtime->graphs.items[i])->nodes, node))
            return cudaSuccess;
    return cudaErrorInvalidValue;
}

ENTRY(ASIDE, cudaGraphCreate, (graph, flags), cudaGraph_t *graph, unsigned flags)
{
    if (!graph || flags)
        return cudaErrorInvalidValue;
    *graph = graph_make(runtime);
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

ENTRY(ASIDE, cudaGraphDestroy, (graph), cudaGraph_t graph)
{
    const cudaError_t error = graph_check(runtime, graph);

    if (error || graph->is_part)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < runtime->graphs.count; i++)
        if (((cudaGraph_t)runtime->graphs.items[i])->original == graph)
            ((cudaGraph_t)runtime->graphs.items[i])->original = NULL;
    graph_free(runtime, graph);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphDestroyNode, (node), cudaGraphNode_t node)
{
    TRY(graph_check_node(runtime, node));
    remove_node(runtime, node);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphClone, (copy, graph), cudaGraph_t *copy, cudaGraph_t graph)
{
    TRY(copy ? graph_check(runtime, graph) : cudaErrorInvalidValue);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const enum cudaGraphNodeType type =
            ((cudaGraphNode_t)graph->nodes.items[i])->operation.type;
        if (type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree ||
            type == NODE_CONDITION)
            return cudaErrorNotSupported;
    }
    *copy = graph_copy(runtime, graph);
    return *copy ? cudaSuccess : cudaErrorMemoryAllocation;
}

ENTRY(ASIDE, cudaGraphNodeFindInClone, (copy, original, graph), cudaGraphNode_t *copy,
      cudaGraphNode_t original, cudaGraph_t graph)
{
    if (!copy || graph_check(runtime, graph) || graph_check_node(runtime, original))
        return cudaErrorInvalidValue;
    *copy = graph_find_copy(graph, original);
    return *copy ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- Edges ------------------------------------------------------------------------------------ */

static cudaError_t check_edges(struct runtime *runtime, cudaGraph_t graph,
                               const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    const cudaError_t error = graph_check(runtime, graph);

    if (error || (count && (!from || !to)))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!list_has(&graph->nodes, from[i]) || !list_has(&graph->nodes, to[i]))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t add_edges(struct runtime *runtime, cudaGraph_t graph,
                             const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    const cudaError_t error = check_edges(runtime, graph, from, to, count);

    for (size_t i = 0; !error && i < count; i++) {
        if (list_has(&to[i]->dependencies, from[i]))
            return cudaErrorInvalidValue;
        if (!join(from[i], to[i]))
            return cudaErrorMemoryAllocation;
    }
    return error;
}

static cudaError_t remove_edges(struct runtime *runtime, cudaGraph_t graph,
                                const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                size_t count)
{
    const cudaError_t error = check_edges(runtime, graph, from, to, count);

    for (size_t i = 0; !error && i < count; i++) {
        if (!list_has(&to[i]->dependencies, from[i]))
            return cudaErrorInvalidValue;
        disconnect(from[i], to[i]);
    }
    return error;
}

/* Since CUDA 13 an edge can have more data. Here an edge always waits for all of the node before
 * it. */
#if CUDART_VERSION >= 13000
#define EDGES(type) type *edges,
#define EDGES_ARE_PLAIN(count) edges_are_plain(edges, count)
#define CLEAR_EDGES(count) clear_edges(edges, count)

static bool edges_are_plain(const cudaGraphEdgeData *edges, size_t count)
{
    for (size_t i = 0; edges && i < count; i++)
        if (edges[i].to_port || edges[i].type > cudaGraphDependencyTypeProgrammatic)
            return false;
    return true;
}

static void clear_edges(cudaGraphEdgeData *edges, size_t count)
{
    for (size_t i = 0; edges && i < count; i++)
        edges[i] = (cudaGraphEdgeData){0};
}
#else
#define EDGES(type)
#define EDGES_ARE_PLAIN(count) true
#define CLEAR_EDGES(count) (void)0
#endif

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     EDGES(const cudaGraphEdgeData) size_t count)
{
    return ASIDE(runtime, EDGES_ARE_PLAIN(count) ? add_edges(runtime, graph, from, to, count)
                                                 : cudaErrorInvalidValue);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        EDGES(const cudaGraphEdgeData) size_t count)
{
    return ASIDE(runtime, EDGES_ARE_PLAIN(count) ? remove_edges(runtime, graph, from, to, count)
                                                 : cudaErrorInvalidValue);
}

/* Return a list as the API does. Without `nodes`, *count becomes the number of nodes. Otherwise
 * up to *count of them are copied, with NULL after the last one, and *count becomes the number
 * copied. */
static cudaError_t give_nodes(const struct list *list, cudaGraphNode_t *nodes, size_t *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    const size_t room = *count;
    for (size_t i = 0; nodes && i < room; i++)
        nodes[i] = i < list->count ? list->items[i] : NULL;
    *count = nodes && room < list->count ? room : list->count;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphGetNodes, (graph, nodes, count), cudaGraph_t graph, cudaGraphNode_t *nodes,
      size_t *count)
{
    return graph_check(runtime, graph) ?: give_nodes(&graph->nodes, nodes, count);
}

ENTRY(ASIDE, cudaGraphGetRootNodes, (graph, nodes, count), cudaGraph_t graph,
      cudaGraphNode_t *nodes, size_t *count)
{
    struct list roots = {0};
    cudaError_t error = graph_check(runtime, graph);

    for (size_t i = 0; !error && i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        if (!node->dependencies.count && !list_add(&roots, node))
            error = cudaErrorMemoryAllocation;
    }
    if (!error)
        error = give_nodes(&roots, nodes, count);
    free(roots.items);
    return error;
}

static cudaError_t get_edges(struct runtime *runtime, cudaGraph_t graph, cudaGraphNode_t *from,
                             cudaGraphNode_t *to, size_t *count)
{
    const cudaError_t error = graph_check(runtime, graph);
    size_t edges = 0;

    if (error || !count || !from != !to)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        for (size_t k = 0; k < node->dependencies.count; k++, edges++)
            if (from && edges < *count) {
                from[edges] = node->dependencies.items[k];
                to[edges] = node;
            }
    }
    for (size_t i = edges; from && i < *count; i++)
        from[i] = to[i] = NULL;
    *count = from && *count < edges ? *count : edges;
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              EDGES(cudaGraphEdgeData) size_t *count)
{
    const cudaError_t error = ASIDE(runtime, get_edges(runtime, graph, from, to, count));

    if (!error && from)
        CLEAR_EDGES(*count);
    return error;
}

static cudaError_t get_neighbours(struct runtime *runtime, cudaGraphNode_t node, bool before,
                                  cudaGraphNode_t *nodes, size_t *count)
{
    return graph_check_node(runtime, node)
               ?: give_nodes(before ? &node->dependencies : &node->dependents, nodes, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         EDGES(cudaGraphEdgeData) size_t *count)
{
    const cudaError_t error = ASIDE(runtime, get_neighbours(runtime, node, true, nodes, count));

    if (!error && nodes)
        CLEAR_EDGES(*count);
    return error;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           EDGES(cudaGraphEdgeData) size_t *count)
{
    const cudaError_t error = ASIDE(runtime, get_neighbours(runtime, node, false, nodes, count));

    if (!error && nodes)
        CLEAR_EDGES(*count);
    return error;
}

ENTRY(ASIDE, cudaGraphNodeGetType, (node, type), cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    TRY(type ? graph_check_node(runtime, node) : cudaErrorInvalidValue);
    *type = node->operation.type;
    return cudaSuccess;
}
