/* SPDX-License-Identifier: MIT */
/* Attributes of kernels, and how many of their blocks fit on a multiprocessor. */
#include "cudart/runtime.h"

#include <string.h>

/* The largest block, in whole warps, for which the GPU has enough registers. */
static int threads_by_registers(const struct gpu *gpu, int registers)
{
    int threads = gpu->max_threads_per_block;

    while (threads > WARP_SIZE && !gpu_blocks_per_multiprocessor(gpu, threads, registers, 0))
        threads -= WARP_SIZE;
    return threads;
}

/* The shared memory that the parameters take. GPUs of compute capability 1.x keep them there. */
static size_t parameter_bytes(const struct gpu *gpu, const struct ptx_function *code)
{
    return gpu->major == 1 ? code->param_bytes : 0;
}

/* The shared memory that a block may have without opting in. The first GPUs reserved a part of
 * it; on later ones the reserved part comes on top of the limit. */
static size_t usable_shared(const struct gpu *gpu)
{
    return gpu->shared_per_block - (gpu->major == 1 ? gpu->shared_reserved : 0);
}

struct function_needs function_needs(const struct runtime *runtime, const struct function *function)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const struct ptx_function *code = kernel_info(function->kernel)->function;
    const int bounds = registers_launch_bounds(gpu, code);
    struct function_needs needs = {
        .registers = registers_of(gpu, code),
        .shared = code->shared_bytes + parameter_bytes(gpu, code),
        .local = code->local_bytes,
        .usable_shared = usable_shared(gpu),
    };
    needs.bound_threads = bounds ? bounds : gpu->max_threads_per_block;
    needs.max_threads = needs.bound_threads;
    if (!needs.registers.estimated)
        needs.max_threads =
            least(needs.max_threads, threads_by_registers(gpu, needs.registers.count));
    if (function->on[runtime->device->number].dynamic_shared >= 0)
        needs.max_dynamic = (size_t)function->on[runtime->device->number].dynamic_shared;
    else if (needs.usable_shared > needs.shared)
        needs.max_dynamic = needs.usable_shared - needs.shared;
    needs.fits = needs.shared <= needs.usable_shared;
    return needs;
}

static int resident_blocks(const struct gpu *gpu, const struct function_needs *needs, int threads,
                           int registers, size_t dynamic_shared)
{
    return dynamic_shared > needs->max_dynamic
               ? 0
               : gpu_blocks_per_multiprocessor(gpu, threads, registers,
                                               needs->shared + dynamic_shared);
}

int function_most_blocks(const struct runtime *runtime, const struct function *function,
                         int threads, size_t dynamic_shared)
{
    const struct function_needs needs = function_needs(runtime, function);

    return resident_blocks(machine_gpu(runtime->machine), &needs, threads,
                           needs.registers.estimated ? 0 : needs.registers.count, dynamic_shared);
}

/* What the toolkit's occupancy calculator gives. But if the registers are only estimated and
 * would leave room for no block, the answer is 1. */
static int function_occupancy(const struct runtime *runtime, const struct function *function,
                              int threads, size_t dynamic_shared)
{
    const struct function_needs needs = function_needs(runtime, function);
    const int blocks = resident_blocks(machine_gpu(runtime->machine), &needs, threads,
                                       needs.registers.count, dynamic_shared);

    return blocks ? blocks
                  : least(1, function_most_blocks(runtime, function, threads, dynamic_shared));
}

/* All GPUs with clusters can have clusters of 8 blocks. */
enum { PORTABLE_CLUSTER = 8 };

int function_most_cluster(const struct runtime *runtime, const struct function *function)
{
    const int most = machine_gpu(runtime->machine)->max_cluster;

    return function->on[runtime->device->number].any_cluster ? most : least(most, PORTABLE_CLUSTER);
}

ENTRY(ASIDE, cudaFuncGetAttributes, (attributes, host), struct cudaFuncAttributes *attributes,
      const void *host)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    struct function *function;

    if (!attributes)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, host, &function));
    const struct function_needs needs = function_needs(runtime, function);
    memset(attributes, 0, sizeof(*attributes));
    attributes->sharedSizeBytes = needs.shared;
    attributes->localSizeBytes = needs.local;
    attributes->maxThreadsPerBlock = needs.max_threads;
    attributes->numRegs = needs.registers.count;
    attributes->ptxVersion = kernel_info(function->kernel)->module->target.capability;
    attributes->binaryVersion = 10 * gpu->major + gpu->minor;
    attributes->maxDynamicSharedSizeBytes = (int)needs.max_dynamic;
    attributes->preferredShmemCarveout = function->on[runtime->device->number].carveout;
    attributes->nonPortableClusterSizeAllowed = function->on[runtime->device->number].any_cluster;
    attributes->clusterDimMustBeSet = kernel_info(function->kernel)->function->cluster[0] != 0;
    attributes->requiredClusterWidth = (int)kernel_info(function->kernel)->function->cluster[0];
    attributes->requiredClusterHeight = (int)kernel_info(function->kernel)->function->cluster[1];
    attributes->requiredClusterDepth = (int)kernel_info(function->kernel)->function->cluster[2];
    return cudaSuccess;
}

static cudaError_t set_attribute(struct runtime *runtime, const void *host,
                                 enum cudaFuncAttribute attribute, int value)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    struct function *function;

    TRY(module_function(runtime, host, &function));
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 ||
            value + function_needs(runtime, function).shared > gpu->shared_per_block_optin)
            return cudaErrorInvalidValue;
        function->on[runtime->device->number].dynamic_shared = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        function->on[runtime->device->number].carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        if (value < 0 || value > 1)
            return cudaErrorInvalidValue;
        function->on[runtime->device->number].any_cluster = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: /* how they spread is not modelled */
        return (unsigned)value > cudaClusterSchedulingPolicyLoadBalancing ? cudaErrorInvalidValue
                                                                          : cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
    return ASIDE(runtime, set_attribute(runtime, host, attribute, value));
}

#if CUDART_VERSION >= 12080
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device)
{
    return ASIDE(runtime,
                 device_about(runtime, device) ?: set_attribute(runtime, kernel, attribute, value));
}
#endif

#if CUDART_VERSION >= 12040
ENTRY(ASIDE, cudaFuncGetParamInfo, (host, index, offset, size), const void *host, size_t index,
      size_t *offset, size_t *size)
{
    struct function *function;

    if (!offset)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, host, &function));
    const struct ptx_function *code = kernel_info(function->kernel)->function;
    if (index >= (size_t)code->param_count)
        return cudaErrorInvalidValue;
    *offset = code->params[index].offset;
    if (size)
        *size = code->params[index].size;
    return cudaSuccess;
}

#endif

static cudaError_t check_function(struct runtime *runtime, const void *host)
{
    struct function *function;

    return module_function(runtime, host, &function);
}

/* A hint about the first-level cache, which is not modelled. */
cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
    return ASIDE(runtime, (unsigned)config > cudaFuncCachePreferEqual
                              ? cudaErrorInvalidValue
                              : check_function(runtime, host));
}

#if CUDART_VERSION >= 12030
ENTRY(ASIDE, cudaFuncGetName, (name, host), const char **name, const void *host)
{
    struct function *function;

    if (!name)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, host, &function));
    *name = function->name;
    return cudaSuccess;
}

#endif

static cudaError_t occupancy(struct runtime *runtime, int *blocks, const void *host, int threads,
                             size_t dynamic_shared)
{
    struct function *function;

    if (!blocks || threads <= 0)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, host, &function));
    *blocks = function_occupancy(runtime, function, threads, dynamic_shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                          int threads, size_t dynamic_shared)
{
    return ASIDE(runtime, occupancy(runtime, blocks, host, threads, dynamic_shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int threads,
                                                                   size_t dynamic_shared,
                                                                   unsigned flags)
{
    return ASIDE(runtime, flags & ~cudaOccupancyDisableCachingOverride
                              ? cudaErrorInvalidValue
                              : occupancy(runtime, blocks, host, threads, dynamic_shared));
}

ENTRY(ASIDE, cudaOccupancyAvailableDynamicSMemPerBlock, (size, host, blocks, threads), size_t *size,
      const void *host, int blocks, int threads)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    struct function *function;

    if (!size || blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, host, &function));
    if (function_occupancy(runtime, function, threads, 0) < blocks)
        return cudaErrorInvalidValue;
    const size_t share = gpu->shared_per_sm / blocks / gpu->shared_unit * gpu->shared_unit;
    const struct function_needs needs = function_needs(runtime, function);
    const size_t left = share > needs.shared ? share - needs.shared : 0;
    *size = left < needs.max_dynamic ? left : needs.max_dynamic;
    return cudaSuccess;
}

/* The blocks in a cluster of this launch. If its attributes do not say, the kernel does. */
static int cluster_blocks(const struct function *function, const cudaLaunchConfig_t *config)
{
    const uint32_t *required = kernel_info(function->kernel)->function->cluster;
    int blocks = required[0] ? (int)(required[0] * required[1] * required[2]) : 1;

    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            blocks = (int)(config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                           config->attrs[i].val.clusterDim.z);
    return blocks;
}

/* Set *blocks to the number of blocks of the launch that the GPU holds at once, and *function to
 * its kernel. */
static cudaError_t held_at_once(struct runtime *runtime, const void *host,
                                const cudaLaunchConfig_t *config, struct function **function,
                                int *blocks)
{
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    const int threads = (int)(config->blockDim.x * config->blockDim.y * config->blockDim.z);
    if (threads <= 0)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, host, function));
    *blocks = machine_gpu(runtime->machine)->multiprocessors *
              function_occupancy(runtime, *function, threads, config->dynamicSmemBytes);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaOccupancyMaxActiveClusters, (clusters, host, config), int *clusters,
      const void *host, const cudaLaunchConfig_t *config)
{
    struct function *function;
    int blocks;

    if (!clusters)
        return cudaErrorInvalidValue;
    TRY(held_at_once(runtime, host, config, &function, &blocks));
    const int size = cluster_blocks(function, config);
    if (size < 1 || size > function_most_cluster(runtime, function))
        return cudaErrorInvalidClusterSize;
    const struct gpu *gpu = machine_gpu(runtime->machine);
    *clusters = gpu_clusters_at_once(gpu, size, blocks / gpu->multiprocessors);
    return cudaSuccess;
}

/* The answer is the largest power of two that is possible. */
ENTRY(ASIDE, cudaOccupancyMaxPotentialClusterSize, (size, host, config), int *size,
      const void *host, const cudaLaunchConfig_t *config)
{
    struct function *function;
    int blocks;

    if (!size)
        return cudaErrorInvalidValue;
    TRY(held_at_once(runtime, host, config, &function, &blocks));
    const int most = least(blocks, function_most_cluster(runtime, function));
    for (*size = most > 0; 2 * *size <= most;)
        *size *= 2;
    return cudaSuccess;
}
