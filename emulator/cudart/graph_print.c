/* SPDX-License-Identifier: MIT */
/* Writes a graph in the language of Graphviz. */
#include "cudart/graph.h"

#include <stdio.h>

static const char *const type_names[] = {
    [cudaGraphNodeTypeKernel] = "KERNEL",
    [cudaGraphNodeTypeMemcpy] = "MEMCPY",
    [cudaGraphNodeTypeMemset] = "MEMSET",
    [cudaGraphNodeTypeHost] = "HOST",
    [cudaGraphNodeTypeGraph] = "GRAPH",
    [cudaGraphNodeTypeEmpty] = "EMPTY",
    [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
    [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
    [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
    [cudaGraphNodeTypeMemFree] = "MEM_FREE",
    [NODE_CONDITION] = "CONDITIONAL",
};

/* The text of a node after its type. */
static void print_details(struct runtime *runtime, const struct operation *operation, FILE *file)
{
    const struct configuration *configuration = &operation->kernel.configuration;
    const struct cudaExtent extent = operation->copy.extent;
    struct function *function;

    switch (operation->type) {
    case cudaGraphNodeTypeKernel:
        if (!module_function(runtime, operation->kernel.host, &function))
            fprintf(file, "\\n%s", kernel_info(function->kernel)->name);
        fprintf(file, "\\n<<<(%u,%u,%u), (%u,%u,%u), %zu>>>", configuration->grid.x,
                configuration->grid.y, configuration->grid.z, configuration->block.x,
                configuration->block.y, configuration->block.z, configuration->shared);
        break;
    case cudaGraphNodeTypeMemcpy:
        fprintf(file, "\\n%zu x %zu x %zu", extent.width, extent.height, extent.depth);
        break;
    case cudaGraphNodeTypeMemset:
        fprintf(file, "\\n%zu x %zu elements of %u bytes = %#x", operation->fill.width,
                operation->fill.height, operation->fill.elementSize, operation->fill.value);
        break;
    case cudaGraphNodeTypeMemAlloc:
        fprintf(file, "\\n%zu bytes", operation->memory->size);
        break;
    default:
        break;
    }
}

/* The nodes of a graph, and after them those of its child graphs, each of which gets a box. */
static void print_nodes(struct runtime *runtime, cudaGraph_t graph, size_t *graphs, FILE *file)
{
    const size_t number = (*graphs)++;

    fprintf(file, "subgraph cluster_%zu {\nlabel=\"graph_%zu\";\n", number, number);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        fprintf(file, "\"graph_%zu_node_%zu\" [shape=box, label=\"%zu\\n%s", number, node->number,
                node->number, type_names[node->operation.type]);
        print_details(runtime, &node->operation, file);
        fprintf(file, "\"];\n");
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        for (size_t k = 0; k < node->dependencies.count; k++)
            fprintf(file, "\"graph_%zu_node_%zu\" -> \"graph_%zu_node_%zu\";\n", number,
                    ((cudaGraphNode_t)node->dependencies.items[k])->number, number, node->number);
    }
    fprintf(file, "}\n");
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        if (node->operation.type == cudaGraphNodeTypeGraph)
            print_nodes(runtime, node->operation.child, graphs, file);
    }
}

/* The output has all details, whatever the flags ask for. */
static cudaError_t print(struct runtime *runtime, cudaGraph_t graph, const char *path)
{
    const cudaError_t error = path ? graph_check(runtime, graph) : cudaErrorInvalidValue;
    size_t graphs = 0;

    if (error)
        return error;
    FILE *file = fopen(path, "w");
    if (!file)
        return cudaErrorOperatingSystem;
    fprintf(file, "digraph dot {\n");
    print_nodes(runtime, graph, &graphs, file);
    fprintf(file, "}\n");
    const bool failed = ferror(file);
    return fclose(file) || failed ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    (void)flags;
    return ASIDE(runtime, print(runtime, graph, path));
}
