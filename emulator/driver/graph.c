/* SPDX-License-Identifier: MIT */
/* Graphs, which are the runtime's. The driver describes kernels, copies and fills with structs of
 * its own. */
#include "driver/driver.h"

FRONT_ANYWHERE(cuGraphCreate, cudaGraphCreate(graph, flags), CUgraph *graph, unsigned flags)
FRONT_ANYWHERE(cuGraphDestroy, cudaGraphDestroy(graph), CUgraph graph)
FRONT_ANYWHERE(cuGraphDestroyNode, cudaGraphDestroyNode(node), CUgraphNode node)
FRONT_ANYWHERE(cuGraphClone, cudaGraphClone(copy, graph), CUgraph *copy, CUgraph graph)
FRONT_ANYWHERE(cuGraphNodeFindInClone, cudaGraphNodeFindInClone(copy, original, graph),
               CUgraphNode *copy, CUgraphNode original, CUgraph graph)
FRONT_ANYWHERE(cuGraphNodeGetType, cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type),
               CUgraphNode node, CUgraphNodeType *type)
FRONT_ANYWHERE(cuGraphGetNodes, cudaGraphGetNodes(graph, nodes, count), CUgraph graph,
               CUgraphNode *nodes, size_t *count)
FRONT_ANYWHERE(cuGraphGetRootNodes, cudaGraphGetRootNodes(graph, nodes, count), CUgraph graph,
               CUgraphNode *nodes, size_t *count)
FRONT_ANYWHERE(cuGraphDebugDotPrint, cudaGraphDebugDotPrint(graph, path, flags), CUgraph graph,
               const char *path, unsigned flags)

/* --- Instantiated ----------------------------------------------------------------------------- */

FRONT(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags(exec, graph, flags),
      CUgraphExec *exec, CUgraph graph, unsigned long long flags)
FRONT_IN(ptsz, cuGraphInstantiateWithParams,
         cudaGraphInstantiateWithParams(exec, graph, (cudaGraphInstantiateParams *)parms),
         CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parms)
FRONT_ANYWHERE(cuGraphExecDestroy, cudaGraphExecDestroy(exec), CUgraphExec exec)
FRONT_IN(ptsz, cuGraphUpload, cudaGraphUpload(exec, stream), CUgraphExec exec, CUstream stream)
FRONT_IN(ptsz, cuGraphLaunch, cudaGraphLaunch(exec, stream), CUgraphExec exec, CUstream stream)
FRONT_ANYWHERE(cuGraphExecUpdate_v2,
               cudaGraphExecUpdate(exec, graph, (cudaGraphExecUpdateResultInfo *)info),
               CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
FRONT_ANYWHERE(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled(exec, node, enabled),
               CUgraphExec exec, CUgraphNode node, unsigned enabled)
FRONT_ANYWHERE(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled(exec, node, enabled),
               CUgraphExec exec, CUgraphNode node, unsigned *enabled)

/* The log, which no toolkit of today fills, is empty. */
static cudaError_t instantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log,
                               size_t size)
{
    cudaGraphInstantiateParams parms = {0};
    const cudaError_t error = cudaGraphInstantiateWithParams(exec, graph, &parms);

    if (log && size)
        *log = '\0';
    if (bad)
        *bad = parms.errNode_out;
    return error;
}
FRONT(cuGraphInstantiate_v2, instantiate(exec, graph, bad, log, size), CUgraphExec *exec,
      CUgraph graph, CUgraphNode *bad, char *log, size_t size)

/* --- Nodes ------------------------------------------------------------------------------------ */

#define NEW CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count

FRONT_ANYWHERE(cuGraphAddEmptyNode, cudaGraphAddEmptyNode(node, graph, before, count), NEW)
FRONT_ANYWHERE(cuGraphAddChildGraphNode,
               cudaGraphAddChildGraphNode(node, graph, before, count, child), NEW, CUgraph child)
FRONT_ANYWHERE(cuGraphAddEventRecordNode,
               cudaGraphAddEventRecordNode(node, graph, before, count, event), NEW, CUevent event)
FRONT_ANYWHERE(cuGraphAddEventWaitNode,
               cudaGraphAddEventWaitNode(node, graph, before, count, event), NEW, CUevent event)
FRONT(cuGraphAddMemFreeNode,
      cudaGraphAddMemFreeNode(node, graph, before, count, pointer_of(address)), NEW,
      CUdeviceptr address)

_Static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(struct cudaHostNodeParams),
               "one description");
FRONT_ANYWHERE(cuGraphAddHostNode,
               cudaGraphAddHostNode(node, graph, before, count,
                                    (const struct cudaHostNodeParams *)parms),
               NEW, const CUDA_HOST_NODE_PARAMS *parms)

static cudaError_t convert_kernel(const CUDA_KERNEL_NODE_PARAMS *given,
                                  struct cudaKernelNodeParams *parms)
{
    if (!given)
        return cudaErrorInvalidValue;
    *parms = (struct cudaKernelNodeParams){
        .func = given->func ? (void *)given->func : (void *)given->kern,
        .gridDim = {given->gridDimX, given->gridDimY, given->gridDimZ},
        .blockDim = {given->blockDimX, given->blockDimY, given->blockDimZ},
        .sharedMemBytes = given->sharedMemBytes,
        .kernelParams = given->kernelParams,
        .extra = given->extra};
    return cudaSuccess;
}

static cudaError_t convert_fill(const CUDA_MEMSET_NODE_PARAMS *given,
                                struct cudaMemsetParams *parms)
{
    if (!given)
        return cudaErrorInvalidValue;
    *parms = (struct cudaMemsetParams){pointer_of(given->dst), given->pitch, given->value,
                                       given->elementSize,     given->width, given->height};
    return cudaSuccess;
}

/* A kind of node that is described so: add one, set one, set one of an instantiated graph. What
 * says in which context it runs comes last, where the kind has it. */
#define NODE(kind, version, given, theirs, convert, context, ...)                                \
    static cudaError_t add_##convert(NEW, const given *described)                                \
    {                                                                                            \
        struct theirs parms;                                                                     \
        return convert(described, &parms)                                                        \
                   ?: cudaGraphAdd##kind##Node(node, graph, before, count, &parms);              \
    }                                                                                            \
    static cudaError_t set_##convert(CUgraphExec exec, CUgraphNode node, const given *described) \
    {                                                                                            \
        struct theirs parms;                                                                     \
        return convert(described, &parms)                                                        \
                   ?: (exec ? cudaGraphExec##kind##NodeSetParams(exec, node, &parms)             \
                            : cudaGraph##kind##NodeSetParams(node, &parms));                     \
    }                                                                                            \
    FRONT(cuGraphAdd##kind##Node##version,                                                       \
          (context, add_##convert(node, graph, before, count, described)), NEW,                  \
          const given *described __VA_OPT__(, ) __VA_ARGS__)                                     \
    FRONT(cuGraph##kind##NodeSetParams##version, set_##convert(NULL, node, described),           \
          CUgraphNode node, const given *described)                                              \
    FRONT(cuGraphExec##kind##NodeSetParams##version,                                             \
          (context, exec ? set_##convert(exec, node, described) : cudaErrorInvalidValue),        \
          CUgraphExec exec, CUgraphNode node, const given *described __VA_OPT__(, ) __VA_ARGS__)

NODE(Kernel, _v2, CUDA_KERNEL_NODE_PARAMS, cudaKernelNodeParams, convert_kernel, (void)0)
NODE(Memcpy, , CUDA_MEMCPY3D, cudaMemcpy3DParms, driver_copy_parameters, (void)where,
     CUcontext where)
NODE(Memset, , CUDA_MEMSET_NODE_PARAMS, cudaMemsetParams, convert_fill, (void)where,
     CUcontext where)

static cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *result)
{
    struct cudaKernelNodeParams parms;

    if (!result)
        return cudaErrorInvalidValue;
    TRY(cudaGraphKernelNodeGetParams(node, &parms));
    *result = (CUDA_KERNEL_NODE_PARAMS){
        .func = parms.func,
        .gridDimX = parms.gridDim.x,
        .gridDimY = parms.gridDim.y,
        .gridDimZ = parms.gridDim.z,
        .blockDimX = parms.blockDim.x,
        .blockDimY = parms.blockDim.y,
        .blockDimZ = parms.blockDim.z,
        .sharedMemBytes = parms.sharedMemBytes,
        .kernelParams = parms.kernelParams,
        .extra = parms.extra,
    };
    return cudaSuccess;
}
FRONT_ANYWHERE(cuGraphKernelNodeGetParams_v2, get_kernel(node, result), CUgraphNode node,
               CUDA_KERNEL_NODE_PARAMS *result)
