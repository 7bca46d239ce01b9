/* SPDX-License-Identifier: MIT */
/* Launches: the functions that `<<<>>>` calls, and the checks that a GPU makes before it runs a
 * kernel. */
#include "cudart/launch.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/registration.h"

static struct configuration plain_configuration(dim3 grid, dim3 block, size_t shared,
                                                cudaStream_t stream)
{
    return (struct configuration){.grid = grid, .block = block, .shared = shared, .stream = stream};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    struct configuration configuration = plain_configuration(grid, block, shared, stream);

    configuration.caller = CALLER;
    const bool pushed = runtime_push(configuration);
    return pushed ? 0 : (unsigned)ASIDE(runtime, cudaErrorLaunchMaxDepthExceeded);
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    struct configuration configuration;

    if (!runtime_pop(&configuration))
        return ASIDE(runtime, cudaErrorMissingConfiguration);
    call_launches(configuration.caller);
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *(cudaStream_t *)stream = configuration.stream;
    return cudaSuccess;
}

/* Say which limit a launch exceeds. Otherwise programs that do not look at errors would go on
 * without a word. */
__attribute__((format(printf, 4, 5))) static cudaError_t refuse(struct runtime *runtime,
                                                                const struct function *function,
                                                                cudaError_t error,
                                                                const char *format, ...)
{
    char reason[400], what[550];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    snprintf(what, sizeof(what), "launch of %.100s refused: %s",
             kernel_info(function->kernel)->name, reason);
    call_refused(runtime, what);
    return error;
}

static bool is_empty(dim3 size)
{
    return !size.x || !size.y || !size.z;
}

static bool exceeds(dim3 size, const uint32_t *max)
{
    return size.x > max[0] || size.y > max[1] || size.z > max[2];
}

/* CUDA 12 has a special error for a grid or block beyond the limits. */
static const cudaError_t bad_configuration =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

static uint64_t count_threads(dim3 block)
{
    return (uint64_t)block.x * block.y * block.z;
}

/* Check grid and block against the limits of the GPU. */
static cudaError_t check_shape(struct runtime *runtime, const struct function *function, dim3 grid,
                               dim3 block)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const uint32_t *max;

    if (is_empty(grid))
        return refuse(runtime, function, bad_configuration, "a grid of (%u,%u,%u) has no blocks",
                      grid.x, grid.y, grid.z);
    if (is_empty(block))
        return refuse(runtime, function, bad_configuration, "a block of (%u,%u,%u) has no threads",
                      block.x, block.y, block.z);
    max = gpu->max_grid;
    if (exceeds(grid, max))
        return refuse(runtime, function, bad_configuration,
                      "a grid of (%u,%u,%u) blocks, but this GPU allows (%u,%u,%u)", grid.x, grid.y,
                      grid.z, max[0], max[1], max[2]);
    if (count_threads(block) > (uint64_t)gpu->max_threads_per_block)
        return refuse(runtime, function, bad_configuration,
                      "%" PRIu64 " threads per block, but this GPU allows %d", count_threads(block),
                      gpu->max_threads_per_block);
    max = gpu->max_block;
    if (exceeds(block, max))
        return refuse(runtime, function, bad_configuration,
                      "a block of (%u,%u,%u) threads, but this GPU allows (%u,%u,%u)", block.x,
                      block.y, block.z, max[0], max[1], max[2]);
    return cudaSuccess;
}

static cudaError_t refuse_dynamic_shared(struct runtime *runtime, const struct function *function,
                                         size_t bytes, const struct function_needs *needs)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const bool can_opt_in = needs->shared + bytes <= gpu->shared_per_block_optin;

    return refuse(runtime, function, cudaErrorInvalidValue,
                  "%zu bytes of dynamic shared memory per block, but this kernel may have %zu%s",
                  bytes, needs->max_dynamic,
                  can_opt_in ? " until cudaFuncAttributeMaxDynamicSharedMemorySize allows more"
                             : "");
}

/* The size of the launch's clusters: as the launch says or, if it does not, as the kernel does. */
static dim3 cluster_of(const struct function *function, dim3 said)
{
    const uint32_t *required = kernel_info(function->kernel)->function->cluster;

    return said.x || !required[0] ? said : (dim3){required[0], required[1], required[2]};
}

/* Check the clusters against grid, kernel and GPU. */
static cudaError_t check_cluster(struct runtime *runtime, const struct function *function,
                                 const struct configuration *configuration)
{
    const uint32_t *required = kernel_info(function->kernel)->function->cluster;
    const dim3 said = configuration->cluster, grid = configuration->grid;
    const dim3 size = cluster_of(function, said);
    const uint64_t blocks = (uint64_t)size.x * size.y * size.z;
    const int most = function_most_cluster(runtime, function);

    if (!said.x && !said.y && !said.z && !required[0])
        return cudaSuccess;
    if (blocks == 0)
        return refuse(runtime, function, cudaErrorInvalidClusterSize,
                      "a cluster of (%u,%u,%u) has no blocks", size.x, size.y, size.z);
    if (said.x && required[0] &&
        (said.x != required[0] || said.y != required[1] || said.z != required[2]))
        return refuse(runtime, function, cudaErrorInvalidClusterSize,
                      "clusters of (%u,%u,%u) blocks, but its __cluster_dims__ says (%u,%u,%u)",
                      said.x, said.y, said.z, required[0], required[1], required[2]);
    if (grid.x % size.x || grid.y % size.y || grid.z % size.z)
        return refuse(runtime, function, cudaErrorInvalidClusterSize,
                      "a grid of (%u,%u,%u) blocks is not made of clusters of (%u,%u,%u)", grid.x,
                      grid.y, grid.z, size.x, size.y, size.z);
    if (blocks > (uint64_t)most)
        return refuse(runtime, function, cudaErrorInvalidClusterSize,
                      "%" PRIu64 " blocks per cluster, but this kernel may have %d%s", blocks, most,
                      blocks <= (uint64_t)machine_gpu(runtime->machine)->max_cluster
                          ? " until cudaFuncAttributeNonPortableClusterSizeAllowed allows more"
                          : "");
    return cudaSuccess;
}

/* Refuse what a GPU refuses before it starts a kernel, with the same errors. */
static cudaError_t check_launch(struct runtime *runtime, const struct function *function,
                                const struct configuration *configuration)
{
    const struct function_needs needs = function_needs(runtime, function);
    const uint64_t threads = count_threads(configuration->block);

    if (!stream_valid(runtime, configuration->stream))
        return refuse(runtime, function, cudaErrorInvalidResourceHandle, "there is no such stream");
    TRY(check_shape(runtime, function, configuration->grid, configuration->block));
    if (!needs.fits)
        return refuse(runtime, function, cudaErrorLaunchOutOfResources,
                      "%zu bytes of shared memory per block, but this GPU allows %zu", needs.shared,
                      needs.usable_shared);
    if (configuration->shared > needs.max_dynamic)
        return refuse_dynamic_shared(runtime, function, configuration->shared, &needs);
    if (threads > (uint64_t)needs.bound_threads)
        return refuse(runtime, function, cudaErrorInvalidValue,
                      "%" PRIu64 " threads per block, but its launch bounds allow %d", threads,
                      needs.bound_threads);
    if (threads > (uint64_t)needs.max_threads)
        return refuse(runtime, function, cudaErrorLaunchOutOfResources,
                      "%" PRIu64 " threads per block, but its %d registers per thread allow %d",
                      threads, needs.registers.count, needs.max_threads);
    return check_cluster(runtime, function, configuration);
}

/* The kernel to launch. Only an unknown kernel is reported here; the reason why a module cannot
 * be loaded was reported before. */
static cudaError_t find_function(struct runtime *runtime, const void *host,
                                 struct function **function)
{
    const cudaError_t error = module_function(runtime, host, function);
    char what[100];

    if (error == cudaErrorInvalidDeviceFunction || error == cudaErrorInvalidResourceHandle) {
        snprintf(what, sizeof(what), "launch refused: %p is no kernel of the program", host);
        call_refused(runtime, what);
    }
    return error;
}

static cudaError_t fault_error(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return cudaSuccess;
    case FAULT_ADDRESS:
        return cudaErrorIllegalAddress;
    case FAULT_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case FAULT_UNSUPPORTED:
        return cudaErrorNotSupported;
    case FAULT_ASSERT:
        return cudaErrorAssert;
    case FAULT_BARRIER:
    case FAULT_TRAP:
    case FAULT_INTERRUPTED:
        break;
    }
    return cudaErrorLaunchFailure;
}

static struct dim dim_of(dim3 size)
{
    return (struct dim){size.x, size.y, size.z};
}

/* On GPUs that can do so, a kernel that may begin early overlaps with the one before it. Here only
 * its time does, but the checkers are told, since the program must be right where more of it does.
 * What was put off knows already what it is next to. */
static void find_next(struct runtime *runtime, struct configuration *configuration)
{
    if (!queue_works()) {
        configuration->at_once = runtime_launches(runtime, configuration->stream);
        configuration->may_begin_early &= configuration->at_once;
    }
    configuration->may_begin_early &= machine_gpu(runtime->machine)->major >= 9;
}

/* Is a debugger attached to us? */
static bool is_debugged(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    int tracer = 0;

    while (file && fgets(line, sizeof(line), file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
        ;
    if (file)
        fclose(file);
    return tracer != 0;
}

/* --break-on: stop in the debugger, within the launch call of the program. What happened has
 * been printed by then. Without a debugger the signal would end the program, so it is not
 * raised. */
static void stop_in_debugger(const char *why, const char *kernel)
{
    if (!is_debugged()) {
        runtime_say("--break-on: no debugger to stop in; gdb --args emu --break-on=%s PROGRAM",
                    why);
        return;
    }
    runtime_say("--break-on=%s: stopped at the launch of %.100s", why, kernel);
    raise(SIGTRAP);
}

/* After a launch: stop if it did what --break-on names. */
static void break_after(struct runtime *runtime, const struct function *function, bool faulted)
{
    const char *kernel = kernel_info(function->kernel)->name;
    const unsigned on = runtime->settings.break_on;

    if (on & BREAK_RACE) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        const size_t races = checks_print_races(runtime->checks, runtime->races, file);
        fclose(file);
        runtime_say_lines(text);
        free(text);
        const bool found = races > runtime->races;
        runtime->races = races;
        if (found)
            stop_in_debugger("race", kernel);
    }
    if (faulted && on & BREAK_FAULT)
        stop_in_debugger("fault", kernel);
}

/* The GPU must be able to hold all blocks of a cooperative kernel at once. */
static cudaError_t check_cooperative(struct runtime *runtime, const struct function *function,
                                     const struct configuration *configuration)
{
    const dim3 grid = configuration->grid;
    const dim3 block = configuration->block;
    const uint64_t resident =
        (uint64_t)machine_gpu(runtime->machine)->multiprocessors *
        function_most_blocks(runtime, function, block.x * block.y * block.z, configuration->shared);

    if ((uint64_t)grid.x * grid.y > resident || (uint64_t)grid.x * grid.y * grid.z > resident)
        return refuse(runtime, function, cudaErrorCooperativeLaunchTooLarge,
                      "a cooperative grid of (%u,%u,%u) blocks, but this GPU holds %" PRIu64
                      " at once",
                      grid.x, grid.y, grid.z, resident);
    return cudaSuccess;
}

/* The kernel, *function, may be launched so. */
static cudaError_t check_all(struct runtime *runtime, const struct kernel_operation *kernel,
                             struct function **function)
{
    cudaError_t error = find_function(runtime, kernel->host, function);

    if (!error)
        error = check_launch(runtime, *function, &kernel->configuration);
    if (!error && kernel->configuration.cooperative)
        error = check_cooperative(runtime, *function, &kernel->configuration);
    if (error)
        return error;
    const int wanted = kernel_info((*function)->kernel)->function->param_count;
    if (!kernel->arguments && wanted)
        return refuse(runtime, *function, cudaErrorInvalidValue,
                      "it takes %d argument%s and got none", wanted, wanted == 1 ? "" : "s");
    return cudaSuccess;
}

cudaError_t launch_check(struct runtime *runtime, const struct kernel_operation *kernel)
{
    struct function *function;

    return check_all(runtime, kernel, &function);
}

/* The barrier of a grid, as cooperative groups have it (their driver_abi.h): the bytes of its
 * workspace, and a counter. 0: no memory. */
static uint64_t grid_workspace(struct runtime *runtime)
{
    const uint32_t fresh[2] = {sizeof(fresh), 0};

    if (!runtime->device->workspace)
        runtime->device->workspace =
            memory_allocate(runtime->machine, sizeof(fresh), MEMORY_DEVICE, NULL);
    if (runtime->device->workspace) {
        memcpy(memory_host(runtime->machine, runtime->device->workspace), fresh, sizeof(fresh));
        checks_written(runtime->checks, runtime->device->workspace, sizeof(fresh));
    }
    return runtime->device->workspace;
}

cudaError_t launch_check_child(struct runtime *runtime, const struct function *function,
                               const struct configuration *configuration)
{
    return check_launch(runtime, function, configuration);
}

/* Of the kernel, which has just run, take off what went on beside the one before it in the stream:
 * a part of its launch. If it may begin early, that is all of the launch, since the other let it,
 * and then, in what the other left of the GPU, what comes before it waits. */
static void begin_beside(struct runtime *runtime, const struct stream_work *work, bool early)
{
    const struct timing_launch now = timing_last(runtime->timing);
    const struct device *device = runtime->device;
    double launch = stream_launched_ms(runtime, work), before = 0;

    if (early) {
        const double beside = fmax(fmin(work->begun - work->launched, device->allowed_ms), 0);
        const double free = now.share > 0 ? (1 - device->allowed_share) / now.share : 1;
        launch = fmax(launch, fmin(beside, machine_gpu(runtime->machine)->launch_us / 1000));
        before = fmin(fmax(beside - launch, 0) * fmin(free, 1), now.before_ms);
    }
    timing_advance(runtime->timing, -(launch + before));
}

cudaError_t launch_kernel(struct runtime *runtime, const struct function *function,
                          const struct kernel_operation *kernel)
{
    const struct configuration *configuration = &kernel->configuration;
    struct fault fault = {.kind = FAULT_NONE};
    const uint64_t workspace = configuration->cooperative ? grid_workspace(runtime) : 0;
    if (configuration->cooperative && !workspace)
        return cudaErrorMemoryAllocation;
    const struct launch_request request = {.kernel = function->kernel,
                                           .grid = dim_of(configuration->grid),
                                           .block = dim_of(configuration->block),
                                           .dynamic_shared = configuration->shared,
                                           .arguments = kernel->arguments,
                                           .cluster = dim_of(configuration->cluster),
                                           .workspace = workspace};
    const struct stream_work work =
        stream_begin(runtime, configuration->stream, ENGINE_COMPUTE, configuration->at_once);
    const double begun = runtime_seconds();
    timing_launch(runtime->timing, &request, &fault);
    if (fault.kind == FAULT_INTERRUPTED)
        runtime_interrupted(runtime, fault.message, runtime_seconds() - begun);
    runtime->device->behind_kernel = true;
    begin_beside(runtime, &work, configuration->may_begin_early);
    const struct timing_launch last = timing_last(runtime->timing);
    const bool allows_next = kernel_info(function->kernel)->allows_next;
    runtime->device->allowed_ms = allows_next ? last.after_ms : 0;
    runtime->device->allowed_share = last.share;
    stream_end(runtime, configuration->stream, work, last.share, false);
    if (fault.kind != FAULT_NONE) {
        if (!checks_report_faults(runtime->checks, fault.kind))
            runtime_complain(runtime, "%s", fault.message);
        runtime->device->sticky = fault_error(fault.kind);
    }
    break_after(runtime, function, fault.kind != FAULT_NONE);
    return runtime->device->sticky;
}

/* Unless it is put off, a kernel runs to its end before the call returns, as with
 * CUDA_LAUNCH_BLOCKING=1, and so do those that it launches. */
static cudaError_t run_here(struct runtime *runtime, const struct kernel_operation *kernel)
{
    const cudaStream_t stream = kernel->configuration.stream;
    struct function *function;

    TRY(check_all(runtime, kernel, &function) ?: stream_enter(runtime, stream));
    if (stream_captures(stream))
        return capture_kernel(runtime, kernel);
    struct kernel_operation now = *kernel;
    find_next(runtime, &now.configuration);
    if (queue_takes(runtime))
        return capture_kernel(runtime, &now);
    if (now.configuration.may_begin_early)
        checks_overlap(runtime->checks);
    const cudaError_t error = launch_kernel(runtime, function, &now);
    return children_run(runtime, stream, error);
}

/* A kernel runs on its stream's device. The programming guide says that this must be the current
 * one, but with CUDA 13 on two H200s it need not. */
cudaError_t launch_run(struct runtime *runtime, const struct kernel_operation *kernel)
{
    const cudaStream_t stream = kernel->configuration.stream;
    const int current = runtime->device->number;

    if (stream_valid(runtime, stream))
        device_select(runtime, stream_device(runtime, stream));
    const cudaError_t error = run_here(runtime, kernel);
    device_select(runtime, current);
    return error;
}

cudaError_t launch_copy_arguments(struct runtime *runtime, const void *host, void **arguments,
                                  void ***copy)
{
    struct function *function;
    TRY(module_function(runtime, host, &function));
    const struct ptx_function *code = kernel_info(function->kernel)->function;
    const size_t table = (size_t)code->param_count * sizeof(void *);
    *copy = malloc(table + code->param_bytes + 1);
    if (!*copy)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < code->param_count; i++) {
        (*copy)[i] = (char *)*copy + table + code->params[i].offset;
        memcpy((*copy)[i], arguments[i], code->params[i].size);
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    const struct kernel_operation kernel = {host, plain_configuration(grid, block, shared, stream),
                                            arguments};

    return QUEUED(runtime, launch_run(runtime, &kernel));
}
PER_THREAD(cudaLaunchKernel, ptsz);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
PER_THREAD(__cudaLaunchKernel, ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    struct kernel_operation kernel = {host, plain_configuration(grid, block, shared, stream),
                                      arguments};

    kernel.configuration.cooperative = true;
    return QUEUED(runtime, launch_run(runtime, &kernel));
}
PER_THREAD(cudaLaunchCooperativeKernel, ptsz);

/* Read a launch attribute. It may ask for a cooperative launch, for clusters, or that the kernel
 * may begin early. Some need nothing done, and the rest are not supported. */
cudaError_t launch_set_attribute(struct runtime *runtime, const cudaLaunchAttribute *attribute,
                                 struct configuration *configuration)
{
    switch (attribute->id) {
    case cudaLaunchAttributeCooperative:
        configuration->cooperative = attribute->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        configuration->cluster = (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                                        attribute->val.clusterDim.z};
        return cudaSuccess;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap:
        return cudaSuccess;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        configuration->may_begin_early = attribute->val.programmaticStreamSerializationAllowed != 0;
        return cudaSuccess;
    default:
        runtime_complain(runtime, "launch attribute %d is not supported", (int)attribute->id);
        return cudaErrorNotSupported;
    }
}

ENTRY(QUEUED, cudaLaunchKernelExC, (config, host, arguments), const cudaLaunchConfig_t *config,
      const void *host, void **arguments)
{
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    struct kernel_operation kernel = {host,
                                      plain_configuration(config->gridDim, config->blockDim,
                                                          config->dynamicSmemBytes, config->stream),
                                      arguments};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        TRY(launch_set_attribute(runtime, &config->attrs[i], &kernel.configuration));
    }
    return launch_run(runtime, &kernel);
}
PER_THREAD(cudaLaunchKernelExC, ptsz);
