/* SPDX-License-Identifier: MIT */
/* User objects. Each has a function that is called once no graph needs its data any more. */
#include "cudart/graph.h"

#include <stdlib.h>

struct CUuserObject_st {
    void *data;
    cudaHostFn_t destroy;
    size_t references;
};

/* Drop a reference. With the last one the function is called; it must not use the API. */
static void release(struct runtime *runtime, cudaUserObject_t object)
{
    if (--object->references)
        return;
    list_remove(&runtime->user_objects, object);
    runtime_unlock(runtime);
    runtime_call_back(object->destroy, object->data);
    runtime_lock();
    free(object);
}

bool objects_share(cudaGraph_t from, cudaGraph_t to)
{
    for (size_t i = 0; i < from->objects.count; i++) {
        if (!list_add(&to->objects, from->objects.items[i]))
            return false;
        ((cudaUserObject_t)from->objects.items[i])->references++;
    }
    return true;
}

void objects_release(struct runtime *runtime, cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->objects.count; i++)
        release(runtime, graph->objects.items[i]);
    free(graph->objects.items);
}

ENTRY(ASIDE, cudaUserObjectCreate, (object, data, destroy, references, flags),
      cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned references,
      unsigned flags)
{
    if (!object || !destroy || !references || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    cudaUserObject_t made = malloc(sizeof(*made));
    if (!made || !list_add(&runtime->user_objects, made)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct CUuserObject_st){data, destroy, references};
    *object = made;
    return cudaSuccess;
}

static cudaError_t check(const struct runtime *runtime, cudaUserObject_t object, unsigned count)
{
    return count && list_has(&runtime->user_objects, object) ? cudaSuccess : cudaErrorInvalidValue;
}

ENTRY(ASIDE, cudaUserObjectRetain, (object, count), cudaUserObject_t object, unsigned count)
{
    TRY(check(runtime, object, count));
    object->references += count;
    return cudaSuccess;
}

ENTRY(API, cudaUserObjectRelease, (object, count), cudaUserObject_t object, unsigned count)
{
    const cudaError_t error = check(runtime, object, count);

    if (error || count > object->references)
        return cudaErrorInvalidValue;
    object->references -= count - 1;
    release(runtime, object);
    return cudaSuccess;
}

/* With `move` the caller's references become those of the graph. Otherwise the graph gets
 * references of its own. */
ENTRY(ASIDE, cudaGraphRetainUserObject, (graph, object, count, flags), cudaGraph_t graph,
      cudaUserObject_t object, unsigned count, unsigned flags)
{
    const bool move = flags == cudaGraphUserObjectMove;
    const cudaError_t error = graph_check(runtime, graph) ?: check(runtime, object, count);

    if (error || (flags && !move) || (move && count > object->references))
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        if (!list_add(&graph->objects, object))
            return cudaErrorMemoryAllocation;
    if (!move)
        object->references += count;
    return cudaSuccess;
}

ENTRY(API, cudaGraphReleaseUserObject, (graph, object, count), cudaGraph_t graph,
      cudaUserObject_t object, unsigned count)
{
    cudaError_t error = graph_check(runtime, graph) ?: check(runtime, object, count);

    for (unsigned i = 0; !error && i < count; i++) {
        if (list_remove(&graph->objects, object))
            release(runtime, object);
        else
            error = cudaErrorInvalidValue;
    }
    return error;
}
