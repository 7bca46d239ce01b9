/* SPDX-License-Identifier: MIT */
/* Modules and libraries, which are the same here; their functions and variables; launches. A
 * CUmodule and a CUlibrary point to a struct binary, a CUfunction and a CUkernel to a struct
 * function. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "cudart/launch.h"
#include "cudart/loaded.h"

/* --- Loading ---------------------------------------------------------------------------------- */

/* The value of an option; NULL if it is not among them. */
static void **option_value(CUjit_option wanted, unsigned count, const CUjit_option *options,
                           void **values)
{
    for (unsigned i = 0; options && values && i < count; i++)
        if (options[i] == wanted)
            return &values[i];
    return NULL;
}

/* Put what was said about the failure, or nothing, into the buffer that a program gives for it. As
 * on a GPU, the size of the buffer becomes that of the text. The options that remain are hints to a
 * compiler that the emulator does not have. */
static void write_log(CUjit_option buffer_option, CUjit_option size_option, const char *text,
                      unsigned count, const CUjit_option *options, void **values)
{
    void **buffer = option_value(buffer_option, count, options, values);
    void **size = option_value(size_option, count, options, values);

    if (!buffer || !*buffer || !size || !(unsigned)(uintptr_t)*size)
        return;
    const size_t room = (unsigned)(uintptr_t)*size - 1;
    const size_t length = strlen(text) < room ? strlen(text) : room;
    memcpy(*buffer, text, length);
    ((char *)*buffer)[length] = '\0';
    *size = api_pointer(length);
}

void driver_write_logs(const char *error, unsigned count, const CUjit_option *options,
                       void **values)
{
    write_log(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, error, count, options,
              values);
    write_log(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "", count, options,
              values);
}

/* Load code from memory or, if `name` is given, from a file. */
static cudaError_t load(struct runtime *runtime, struct binary **binary, const void *image,
                        const char *name, const char *caller, unsigned count,
                        const CUjit_option *options, void **values)
{
    const cudaError_t error = name ? loaded_make_of_file(runtime, binary, name, caller)
                                   : loaded_make(runtime, binary, image, 0, caller);

    driver_write_logs(error ? runtime->complaint : "", count, options, values);
    return error;
}

FRONT(cuModuleLoad,
      ASIDE(runtime, name ? load(runtime, (struct binary **)module, NULL, name, "cuModuleLoad", 0,
                                 NULL, NULL)
                          : cudaErrorInvalidValue),
      CUmodule *module, const char *name)
FRONT(cuModuleLoadData,
      ASIDE(runtime, load(runtime, (struct binary **)module, image, NULL, "cuModuleLoadData", 0,
                          NULL, NULL)),
      CUmodule *module, const void *image)
FRONT(cuModuleLoadDataEx,
      ASIDE(runtime, load(runtime, (struct binary **)module, image, NULL, "cuModuleLoadDataEx",
                          count, options, values)),
      CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
FRONT(cuModuleLoadFatBinary,
      ASIDE(runtime, load(runtime, (struct binary **)module, image, NULL, "cuModuleLoadFatBinary",
                          0, NULL, NULL)),
      CUmodule *module, const void *image)
FRONT(cuModuleUnload, API(runtime, loaded_unload(runtime, (struct binary *)module)),
      CUmodule module)

static cudaError_t get_loading_mode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return cudaErrorInvalidValue;
    *mode = CU_MODULE_LAZY_LOADING;
    return cudaSuccess;
}
FRONT_ANYWHERE(cuModuleGetLoadingMode, get_loading_mode(mode), CUmoduleLoadingMode *mode)

static cudaError_t get_function(struct runtime *runtime, void *function, const void *binary,
                                const char *name)
{
    if (!function || !name || !*name)
        return cudaErrorInvalidValue;
    return loaded_function(runtime, (struct binary *)binary, name, function);
}

static cudaError_t get_variable(struct runtime *runtime, CUdeviceptr *address, size_t *size,
                                const void *binary, const char *name)
{
    const struct allocation *variable;

    if (!name)
        return cudaErrorInvalidValue;
    TRY(loaded_variable(runtime, (struct binary *)binary, name, &variable));
    if (address)
        *address = variable->address;
    if (size)
        *size = variable->size;
    return cudaSuccess;
}

FRONT(cuModuleGetFunction, ASIDE(runtime, get_function(runtime, function, module, name)),
      CUfunction *function, CUmodule module, const char *name)
FRONT(cuModuleGetGlobal_v2, ASIDE(runtime, get_variable(runtime, address, size, module, name)),
      CUdeviceptr *address, size_t *size, CUmodule module, const char *name)

/* The number of its functions, or some of them. */
static cudaError_t list_functions(struct runtime *runtime, const void *binary, void *functions,
                                  unsigned most, unsigned *count)
{
    if (!count || (most && !functions))
        return cudaErrorInvalidValue;
    return loaded_functions(runtime, (struct binary *)binary, functions, most, count);
}

#if CUDA_VERSION >= 12040
FRONT(cuModuleGetFunctionCount, ASIDE(runtime, list_functions(runtime, module, NULL, 0, count)),
      unsigned *count, CUmodule module)
FRONT(cuModuleEnumerateFunctions,
      ASIDE(runtime, list_functions(runtime, module, functions, most, &(unsigned){0})),
      CUfunction *functions, unsigned most, CUmodule module)
FRONT(cuLibraryGetKernelCount, ASIDE(runtime, list_functions(runtime, library, NULL, 0, count)),
      unsigned *count, CUlibrary library)
FRONT(cuLibraryEnumerateKernels,
      ASIDE(runtime, list_functions(runtime, library, kernels, most, &(unsigned){0})),
      CUkernel *kernels, unsigned most, CUlibrary library)
#endif

#if CUDA_VERSION >= 12000
/* The options of a library are about what else may refer to it. */
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options,
                           void **jit_values, unsigned jit_count, CUlibraryOption *options,
                           void **values, unsigned count)
{
    (void)options, (void)values, (void)count;
    return DRIVER(false,
                  ASIDE(runtime, load(runtime, (struct binary **)library, image, NULL,
                                      "cuLibraryLoadData", jit_count, jit_options, jit_values)));
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *name, CUjit_option *jit_options,
                               void **jit_values, unsigned jit_count, CUlibraryOption *options,
                               void **values, unsigned count)
{
    (void)options, (void)values, (void)count;
    return DRIVER(false, ASIDE(runtime, name ? load(runtime, (struct binary **)library, NULL, name,
                                                    "cuLibraryLoadFromFile", jit_count, jit_options,
                                                    jit_values)
                                             : cudaErrorInvalidValue));
}

static cudaError_t get_module(struct runtime *runtime, void *module, const void *binary)
{
    if (!module)
        return cudaErrorInvalidValue;
    TRY(loaded_check(runtime, binary));
    memcpy(module, &binary, sizeof(binary));
    return cudaSuccess;
}

/* A kernel is the function, in whichever context. */
static cudaError_t same_function(struct runtime *runtime, void *result, const void *handle)
{
    struct function *function;

    if (!result)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, handle, &function));
    memcpy(result, &handle, sizeof(handle));
    return cudaSuccess;
}

FRONT_ANYWHERE(cuLibraryUnload, API(runtime, loaded_unload(runtime, (struct binary *)library)),
               CUlibrary library)
FRONT_ANYWHERE(cuLibraryGetKernel, ASIDE(runtime, get_function(runtime, kernel, library, name)),
               CUkernel *kernel, CUlibrary library, const char *name)
FRONT(cuLibraryGetModule, ASIDE(runtime, get_module(runtime, module, library)), CUmodule *module,
      CUlibrary library)
FRONT(cuLibraryGetGlobal, ASIDE(runtime, get_variable(runtime, address, size, library, name)),
      CUdeviceptr *address, size_t *size, CUlibrary library, const char *name)
FRONT(cuLibraryGetManaged, ASIDE(runtime, get_variable(runtime, address, size, library, name)),
      CUdeviceptr *address, size_t *size, CUlibrary library, const char *name)
FRONT(cuKernelGetFunction, ASIDE(runtime, same_function(runtime, function, kernel)),
      CUfunction *function, CUkernel kernel)
#endif

/* --- Attributes ------------------------------------------------------------------------------- */

static cudaError_t get_attribute(int *value, CUfunction_attribute attribute, const void *function)
{
    struct cudaFuncAttributes all;

    if (!value)
        return cudaErrorInvalidValue;
    TRY(cudaFuncGetAttributes(&all, function));
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = all.clusterDimMustBeSet,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = all.requiredClusterWidth,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = all.requiredClusterHeight,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = all.requiredClusterDepth,
        [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = all.nonPortableClusterSizeAllowed,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] =
            all.clusterSchedulingPolicyPreference,
    };
    if ((unsigned)attribute >= sizeof(values) / sizeof(values[0]))
        return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}

FRONT(cuFuncGetAttribute, get_attribute(value, attribute, function), int *value,
      CUfunction_attribute attribute, CUfunction function)
FRONT(cuFuncSetAttribute, cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value),
      CUfunction function, CUfunction_attribute attribute, int value)
FRONT(cuFuncSetCacheConfig, cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config),
      CUfunction function, CUfunc_cache config)

static cudaError_t get_module_of(struct runtime *runtime, CUmodule *module, const void *handle)
{
    struct function *function;

    if (!module)
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, handle, &function));
    *module = (CUmodule)function->binary;
    return cudaSuccess;
}
FRONT(cuFuncGetModule, ASIDE(runtime, get_module_of(runtime, module, function)), CUmodule *module,
      CUfunction function)

#if CUDA_VERSION >= 12000
FRONT(cuKernelGetAttribute,
      device ? cudaErrorInvalidDevice : get_attribute(value, attribute, kernel), int *value,
      CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
FRONT(cuKernelSetAttribute,
      device ? cudaErrorInvalidDevice
             : cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)attribute, value),
      CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
#endif
#if CUDA_VERSION >= 12030
FRONT(cuFuncGetName, cudaFuncGetName(name, function), const char **name, CUfunction function)
FRONT(cuKernelGetName, cudaFuncGetName(name, kernel), const char **name, CUkernel kernel)
#endif
#if CUDA_VERSION >= 12040
FRONT(cuFuncGetParamInfo, cudaFuncGetParamInfo(function, index, offset, size), CUfunction function,
      size_t index, size_t *offset, size_t *size)
FRONT(cuKernelGetParamInfo, cudaFuncGetParamInfo(kernel, index, offset, size), CUkernel kernel,
      size_t index, size_t *offset, size_t *size)
#endif

/* --- Launches --------------------------------------------------------------------------------- */

/* The arguments of a launch, laid out as the kernel has its parameters. */
struct buffer {
    char *start;
    size_t size;
};

/* Read the list of options that may take the place of arguments; false if one is unknown. */
static bool read_extra(void **extra, struct buffer *buffer)
{
    for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer->start = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            buffer->size = *(const size_t *)extra[1];
        else
            return false;
    }
    return buffer->start != NULL;
}

/* As on a GPU, which launches and goes on, a kernel's fault is an error of the calls after. */
static cudaError_t launch_alone(struct runtime *runtime, const struct kernel_operation *kernel)
{
    const cudaError_t error = launch_run(runtime, kernel);

    return runtime_failure(runtime) ? cudaSuccess : error;
}

static cudaError_t launch(struct runtime *runtime, struct kernel_operation kernel, void **extra)
{
    struct buffer buffer = {0};
    struct function *function;

    if (!extra)
        return launch_alone(runtime, &kernel);
    if (kernel.arguments || !read_extra(extra, &buffer))
        return cudaErrorInvalidValue;
    TRY(module_function(runtime, kernel.host, &function));
    const struct ptx_function *code = kernel_info(function->kernel)->function;
    if (buffer.size != code->param_bytes)
        return buffer.size < code->param_bytes ? cudaErrorInvalidValue
                                               : cudaErrorLaunchOutOfResources;
    kernel.arguments = calloc((size_t)code->param_count + 1, sizeof(void *));
    if (!kernel.arguments)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < code->param_count; i++)
        kernel.arguments[i] = buffer.start + code->params[i].offset;
    const cudaError_t error = launch_alone(runtime, &kernel);
    free(kernel.arguments);
    return error;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra)
{
    const struct kernel_operation kernel = {.host = function,
                                            .configuration = {.grid = {grid_x, grid_y, grid_z},
                                                              .block = {block_x, block_y, block_z},
                                                              .shared = shared,
                                                              .stream = stream},
                                            .arguments = arguments};

    return DRIVER(true, QUEUED(runtime, launch(runtime, kernel, extra)));
}
PER_THREAD(cuLaunchKernel, ptsz);

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **arguments)
{
    const struct kernel_operation kernel = {.host = function,
                                            .configuration = {.grid = {grid_x, grid_y, grid_z},
                                                              .block = {block_x, block_y, block_z},
                                                              .shared = shared,
                                                              .stream = stream,
                                                              .cooperative = true},
                                            .arguments = arguments};

    return DRIVER(true, QUEUED(runtime, launch(runtime, kernel, NULL)));
}
PER_THREAD(cuLaunchCooperativeKernel, ptsz);

#if CUDA_VERSION >= 11080
static cudaError_t launch_with(struct runtime *runtime, const CUlaunchConfig *config,
                               CUfunction function, void **arguments, void **extra)
{
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    struct kernel_operation kernel = {
        .host = function,
        .configuration = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                          .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                          .shared = config->sharedMemBytes,
                          .stream = config->hStream},
        .arguments = arguments};
    for (unsigned i = 0; i < config->numAttrs; i++)
        TRY(launch_set_attribute(runtime, (const cudaLaunchAttribute *)&config->attrs[i],
                                 &kernel.configuration));
    return launch(runtime, kernel, extra);
}
FRONT_IN(ptsz, cuLaunchKernelEx,
         QUEUED(runtime, launch_with(runtime, config, function, arguments, extra)),
         const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)

/* --- Occupancy -------------------------------------------------------------------------------- */

typedef cudaError_t question(int *answer, const void *function, const cudaLaunchConfig_t *config);

/* Ask the runtime about a launch, which it describes in its own way. */
static cudaError_t ask(question *ask_runtime, int *answer, CUfunction function,
                       const CUlaunchConfig *config)
{
    if (!config)
        return cudaErrorInvalidValue;
    const cudaLaunchConfig_t same = {
        .gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .dynamicSmemBytes = config->sharedMemBytes,
        .stream = config->hStream,
        .attrs = (cudaLaunchAttribute *)config->attrs,
        .numAttrs = config->numAttrs,
    };
    return ask_runtime(answer, function, &same);
}

FRONT(cuOccupancyMaxPotentialClusterSize,
      ask(cudaOccupancyMaxPotentialClusterSize, size, function, config), int *size,
      CUfunction function, const CUlaunchConfig *config)
FRONT(cuOccupancyMaxActiveClusters, ask(cudaOccupancyMaxActiveClusters, clusters, function, config),
      int *clusters, CUfunction function, const CUlaunchConfig *config)
#endif

FRONT(cuOccupancyMaxActiveBlocksPerMultiprocessor,
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared), int *blocks,
      CUfunction function, int threads, size_t shared)
FRONT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
      cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                             flags),
      int *blocks, CUfunction function, int threads, size_t shared, unsigned flags)
FRONT(cuOccupancyAvailableDynamicSMemPerBlock,
      cudaOccupancyAvailableDynamicSMemPerBlock(size, function, blocks, threads), size_t *size,
      CUfunction function, int blocks, int threads)

/* The block, in whole warps, with which most threads are resident; of two such the larger. */
static cudaError_t best_block(int *grid, int *block, CUfunction function,
                              CUoccupancyB2DSize shared_for, size_t shared, int limit)
{
    struct cudaFuncAttributes attributes;
    int multiprocessors, best = 0;

    if (!grid || !block || limit < 0)
        return cudaErrorInvalidValue;
    TRY(cudaFuncGetAttributes(&attributes, function));
    TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    const int most =
        limit && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
    *grid = *block = 0;
    /* The largest block may be no whole number of warps. */
    const int up = (most + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;
    for (int rounded = up; rounded > 0; rounded -= WARP_SIZE) {
        const int threads = rounded < most ? rounded : most;
        int blocks;
        TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, threads, shared_for ? shared_for(threads) : shared));
        if (blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * multiprocessors;
    }
    return cudaSuccess;
}

FRONT(cuOccupancyMaxPotentialBlockSize,
      best_block(grid, block, function, shared_for, shared, limit), int *grid, int *block,
      CUfunction function, CUoccupancyB2DSize shared_for, size_t shared, int limit)
FRONT(cuOccupancyMaxPotentialBlockSizeWithFlags,
      flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE
          ? cudaErrorInvalidValue
          : best_block(grid, block, function, shared_for, shared, limit),
      int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_for, size_t shared,
      int limit, unsigned flags)
