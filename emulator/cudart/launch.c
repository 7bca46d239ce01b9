/* Launches: what `<<<>>>` calls, and the checks a GPU makes before it runs a kernel. */
#include "cudart/runtime.h"

#include "cudart/registration.h"

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    const bool pushed = runtime_push((struct configuration){grid, block, shared, stream});

    return pushed ? 0 : (unsigned)API(cudaErrorLaunchMaxDepthExceeded);
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    struct configuration configuration;

    if (!runtime_pop(&configuration))
        return API(cudaErrorMissingConfiguration);
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *(cudaStream_t *)stream = configuration.stream;
    return cudaSuccess;
}

static bool within(dim3 size, const uint32_t *max)
{
    return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= max[0] && size.y <= max[1] &&
           size.z <= max[2];
}

/* CUDA 12 has a code of its own for a grid or a block beyond the limits. */
static const cudaError_t bad_configuration =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

/* What a GPU refuses before it starts a kernel, with the codes CUDA has for it. */
static cudaError_t check_launch(const struct runtime *runtime, const struct function *function,
                                const struct configuration *configuration)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const struct function_needs needs = function_needs(runtime, function);
    const dim3 block = configuration->block;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;

    if (!stream_valid(runtime, configuration->stream))
        return cudaErrorInvalidResourceHandle;
    if (!within(configuration->grid, gpu->max_grid) || !within(block, gpu->max_block) ||
        threads > (uint64_t)gpu->max_threads_per_block)
        return bad_configuration;
    if (!needs.fits)
        return cudaErrorLaunchOutOfResources;
    if (configuration->shared > needs.max_dynamic || threads > (uint64_t)needs.bound_threads)
        return cudaErrorInvalidValue;
    if (threads > (uint64_t)needs.max_threads)
        return cudaErrorLaunchOutOfResources;
    return cudaSuccess;
}

static cudaError_t fault_error(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return cudaSuccess;
    case FAULT_ADDRESS:
        return cudaErrorIllegalAddress;
    case FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case FAULT_UNSUPPORTED:
        return cudaErrorNotSupported;
    case FAULT_ASSERT:
        return cudaErrorAssert;
    case FAULT_BARRIER:
    case FAULT_TRAP:
        break;
    }
    return cudaErrorLaunchFailure;
}

static struct dim dim_of(dim3 size)
{
    return (struct dim){size.x, size.y, size.z};
}

/* A kernel runs to its end before the call returns, as with CUDA_LAUNCH_BLOCKING=1. */
static cudaError_t launch(struct runtime *runtime, const void *host,
                          const struct configuration *configuration, void **arguments)
{
    struct function *function;
    struct fault fault = {.kind = FAULT_NONE};

    cudaError_t error = module_function(runtime, host, &function);
    if (!error)
        error = check_launch(runtime, function, configuration);
    if (!error && !arguments && kernel_info(function->kernel)->function->param_count)
        error = cudaErrorInvalidValue;
    if (error)
        return error;
    machine_launch(runtime->machine, function->kernel, dim_of(configuration->grid),
                   dim_of(configuration->block), configuration->shared, arguments, &fault);
    if (fault.kind != FAULT_NONE) {
        if (!checks_tell_faults(runtime->checks, fault.kind))
            runtime_say("%s", fault.message);
        runtime->sticky = fault_error(fault.kind);
    }
    return runtime->sticky;
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    const struct configuration configuration = {grid, block, shared, stream};

    return API(launch(runtime, host, &configuration, arguments));
}
PER_THREAD(cudaLaunchKernel, ptsz);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
PER_THREAD(__cudaLaunchKernel, ptsz);

/* All blocks of a cooperative kernel must fit the GPU at once. */
static cudaError_t launch_cooperative(struct runtime *runtime, const void *host,
                                      const struct configuration *configuration, void **arguments)
{
    const dim3 grid = configuration->grid;
    const dim3 block = configuration->block;
    struct function *function;

    cudaError_t error = module_function(runtime, host, &function);
    if (!error)
        error = check_launch(runtime, function, configuration);
    if (error)
        return error;
    const uint64_t resident =
        (uint64_t)machine_gpu(runtime->machine)->multiprocessors *
        function_occupancy(runtime, function, block.x * block.y * block.z, configuration->shared);
    if ((uint64_t)grid.x * grid.y > resident || (uint64_t)grid.x * grid.y * grid.z > resident)
        return cudaErrorCooperativeLaunchTooLarge;
    return launch(runtime, host, configuration, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    const struct configuration configuration = {grid, block, shared, stream};

    return API(launch_cooperative(runtime, host, &configuration, arguments));
}
PER_THREAD(cudaLaunchCooperativeKernel, ptsz);

/* What a launch attribute asks for: nothing we need to do, a cooperative launch, or what we lack. */
static cudaError_t read_attribute(const cudaLaunchAttribute *attribute, bool *cooperative)
{
    switch (attribute->id) {
    case cudaLaunchAttributeCooperative:
        *cooperative |= attribute->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        if (attribute->val.clusterDim.x == 1 && attribute->val.clusterDim.y == 1 &&
            attribute->val.clusterDim.z == 1)
            return cudaSuccess;
        runtime_say("a launch in clusters of blocks is not supported");
        return cudaErrorNotSupported;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap:
    /* Leave to start before the kernel in front has ended: it need not be taken. */
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        return cudaSuccess;
    default:
        runtime_say("launch attribute %d is not supported", (int)attribute->id);
        return cudaErrorNotSupported;
    }
}

static cudaError_t launch_extended(struct runtime *runtime, const cudaLaunchConfig_t *config,
                                   const void *host, void **arguments)
{
    bool cooperative = false;

    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaError_t error = read_attribute(&config->attrs[i], &cooperative);
        if (error)
            return error;
    }
    const struct configuration configuration = {config->gridDim, config->blockDim,
                                                config->dynamicSmemBytes, config->stream};
    return cooperative ? launch_cooperative(runtime, host, &configuration, arguments)
                       : launch(runtime, host, &configuration, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
                                void **arguments)
{
    return API(launch_extended(runtime, config, host, arguments));
}
PER_THREAD(cudaLaunchKernelExC, ptsz);
