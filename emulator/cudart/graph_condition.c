/* SPDX-License-Identifier: MIT */
/* Conditional nodes. A node of this kind runs one of its own graphs, its bodies, or none, as the
 * value of a condition says, which kernels set. */
#include "cudart/graph.h"

#include <stdlib.h>

/* The value is the condition's, not that of one copy of the graph. */
struct graph_condition {
    cudaGraph_t graph; /* in which it was made, while there is that */
    unsigned value, initial;
    bool assigns; /* the initial value, whenever the graph runs */
    size_t nodes; /* that look at it, in all copies of the graph */
};

/* The numbers of cudaGraphConditionalNodeType, of which older toolkits have but two. */
enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

static void release(struct runtime *runtime, struct graph_condition *condition)
{
    if (!condition->graph && !condition->nodes) {
        list_remove(&runtime->conditions, condition);
        free(condition);
    }
}

void conditions_forget(struct runtime *runtime, cudaGraph_t graph)
{
    for (size_t i = runtime->conditions.count; i-- > 0;) {
        struct graph_condition *condition = runtime->conditions.items[i];
        if (condition->graph != graph)
            continue;
        condition->graph = NULL;
        release(runtime, condition);
    }
}

bool conditions_used(const struct runtime *runtime, cudaGraph_t graph)
{
    bool used = true;

    for (size_t i = 0; i < runtime->conditions.count; i++) {
        const struct graph_condition *condition = runtime->conditions.items[i];
        used &= condition->graph != graph || condition->nodes;
    }
    return used;
}

bool condition_set(struct runtime *runtime, uint64_t handle, unsigned value)
{
    for (size_t i = 0; i < runtime->conditions.count; i++) {
        struct graph_condition *condition = runtime->conditions.items[i];
        if ((uintptr_t)condition == handle) {
            condition->value = value;
            return true;
        }
    }
    return false;
}

void conditions_begin(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct operation *operation = &((cudaGraphNode_t)graph->nodes.items[i])->operation;
        if (operation->type != NODE_CONDITION)
            continue;
        struct graph_condition *condition = operation->condition.on;
        if (condition->assigns)
            condition->value = condition->initial;
        for (size_t k = 0; k < operation->condition.count; k++)
            conditions_begin(operation->condition.bodies[k]);
    }
}

cudaGraph_t condition_body(const struct operation *operation, bool *again)
{
    const unsigned value = operation->condition.on->value;
    const size_t at = operation->condition.kind == CONDITION_SWITCH ? value : !value;

    *again = operation->condition.kind == CONDITION_WHILE;
    return at < operation->condition.count ? operation->condition.bodies[at] : NULL;
}

void condition_free(struct runtime *runtime, const struct operation *operation)
{
    for (size_t i = 0; i < operation->condition.count; i++)
        if (operation->condition.bodies[i])
            graph_free(runtime, operation->condition.bodies[i]);
    free(operation->condition.bodies);
    operation->condition.on->nodes--;
    release(runtime, operation->condition.on);
}

/* Give the operation bodies: copies of these, or empty ones if that is NULL. */
static bool make_bodies(struct runtime *runtime, struct operation *operation,
                        const cudaGraph_t *originals)
{
    const size_t count = operation->condition.count;

    operation->condition.on->nodes++;
    operation->condition.bodies = calloc(count, sizeof(*operation->condition.bodies));
    if (!operation->condition.bodies)
        operation->condition.count = 0;
    bool made = operation->condition.bodies;
    for (size_t i = 0; made && i < count; i++) {
        const cudaGraph_t body =
            originals ? graph_copy(runtime, originals[i]) : graph_make(runtime);
        operation->condition.bodies[i] = body;
        made = body;
        if (body)
            body->is_part = true;
    }
    if (!made)
        condition_free(runtime, operation);
    return made;
}

bool condition_copy(struct runtime *runtime, const struct operation *from, struct operation *to)
{
    return make_bodies(runtime, to, from->condition.bodies);
}

#if CUDART_VERSION >= 12040
cudaError_t operation_of_condition(struct runtime *runtime, struct cudaConditionalNodeParams *parms,
                                   struct operation *operation)
{
    static const unsigned most[] = {
        [CONDITION_IF] = 2, [CONDITION_WHILE] = 1, [CONDITION_SWITCH] = 1 << 16};
    struct graph_condition *condition = NULL;

    for (size_t i = 0; i < runtime->conditions.count; i++)
        if ((uintptr_t)runtime->conditions.items[i] == parms->handle)
            condition = runtime->conditions.items[i];
    if (!condition || condition->nodes || (unsigned)parms->type > CONDITION_SWITCH ||
        !parms->size || parms->size > most[parms->type])
        return cudaErrorInvalidValue;
    *operation = (struct operation){
        .type = NODE_CONDITION,
        .condition = {.on = condition, .kind = (int)parms->type, .count = parms->size}};
    if (!make_bodies(runtime, operation, NULL))
        return cudaErrorMemoryAllocation;
    parms->phGraph_out = operation->condition.bodies;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGraphConditionalHandleCreate, (handle, graph, initial, flags),
      cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned initial, unsigned flags)
{
    if (!handle || graph_check(runtime, graph) || flags & ~cudaGraphCondAssignDefault)
        return cudaErrorInvalidValue;
    struct graph_condition *condition = calloc(1, sizeof(*condition));
    if (!condition || !list_add(&runtime->conditions, condition)) {
        free(condition);
        return cudaErrorMemoryAllocation;
    }
    *condition = (struct graph_condition){
        .graph = graph, .initial = initial, .assigns = flags == cudaGraphCondAssignDefault};
    *handle = (uintptr_t)condition;
    return cudaSuccess;
}
#endif
