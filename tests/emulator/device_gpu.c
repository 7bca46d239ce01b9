/* SPDX-License-Identifier: MIT */
/* The driver API, loaded when it is needed: this program builds and starts without a GPU. */
#include "device.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 77, UNUSABLE = 2, MAX_ARGUMENTS = 16, POISON = 0xCD };

const char *const device_ways[] = {"on the GPU", NULL};

/* The functions of libcuda that we call, under the names it exports. */
#define FUNCTIONS(X)                                      \
    X(cuInit, cuInit)                                     \
    X(cuDeviceGet, cuDeviceGet)                           \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute)         \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain) \
    X(cuCtxSetCurrent, cuCtxSetCurrent)                   \
    X(cuCtxSynchronize, cuCtxSynchronize)                 \
    X(cuModuleLoadDataEx, cuModuleLoadDataEx)             \
    X(cuModuleUnload, cuModuleUnload)                     \
    X(cuModuleGetFunction, cuModuleGetFunction)           \
    X(cuMemAlloc, cuMemAlloc_v2)                          \
    X(cuMemFree, cuMemFree_v2)                            \
    X(cuMemsetD8, cuMemsetD8_v2)                          \
    X(cuMemcpyHtoD, cuMemcpyHtoD_v2)                      \
    X(cuMemcpyDtoH, cuMemcpyDtoH_v2)                      \
    X(cuMemcpyHtoA, cuMemcpyHtoA_v2)                      \
    X(cuMemcpy2D, cuMemcpy2D_v2)                          \
    X(cuArray3DCreate, cuArray3DCreate_v2)                \
    X(cuTexObjectCreate, cuTexObjectCreate)               \
    X(cuSurfObjectCreate, cuSurfObjectCreate)             \
    X(cuLaunchKernel, cuLaunchKernel)                     \
    X(cuGetErrorString, cuGetErrorString)

static struct {
#define X(name, exported) __typeof__(exported) *(name);
    FUNCTIONS(X)
#undef X
} driver;

static bool load_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    if (!library)
        return false;
#define TEXT_OF(name) #name
#define X(name, exported)                                       \
    *(void **)&driver.name = dlsym(library, TEXT_OF(exported)); \
    if (!driver.name)                                           \
        return false;
    FUNCTIONS(X)
#undef X
    return true;
}

/* Anything here that fails makes the test unusable, not wrong. */
static void check(CUresult result, const char *what)
{
    const char *reason = "unknown error";

    if (result == CUDA_SUCCESS)
        return;
    driver.cuGetErrorString(result, &reason);
    fprintf(stderr, "%s: %s\n", what, reason);
    exit(UNUSABLE);
}

/* Take the first GPU. Returns its compute capability, as in 90; 0 without one. */
static int open_device(void)
{
    CUdevice device;
    CUcontext context;
    int major, minor;

    if (!load_driver() || driver.cuInit(0) != CUDA_SUCCESS ||
        driver.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
        return 0;
    check(driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "capability");
    check(driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "capability");
    check(driver.cuDevicePrimaryCtxRetain(&context, device), "context");
    check(driver.cuCtxSetCurrent(context), "context");
    return 10 * major + minor;
}

static CUdeviceptr allocate(size_t size)
{
    CUdeviceptr address;

    check(driver.cuMemAlloc(&address, size), "allocation");
    check(driver.cuMemsetD8(address, POISON, size), "poison");
    return address;
}

/* As the test says it; to be freed. */
static void *values_of(const struct array *array)
{
    void *host = malloc(array->count * ptx_type_size(array->type));

    if (!host)
        abort();
    expect_store(array, host);
    return host;
}

static CUdeviceptr copy_in(const struct array *array)
{
    const size_t size = array->count * ptx_type_size(array->type);
    const CUdeviceptr address = allocate(size);
    void *host = values_of(array);

    check(driver.cuMemcpyHtoD(address, host, size), "copy to the device");
    free(host);
    return address;
}

static CUarray_format format_of(const struct array *array)
{
    return array->type == PTX_F32   ? CU_AD_FORMAT_FLOAT
           : array->type == PTX_S32 ? CU_AD_FORMAT_SIGNED_INT32
                                    : CU_AD_FORMAT_UNSIGNED_INT32;
}

/* The handle of a surface object over an array of one dimension. */
static CUsurfObject surface_of(const struct array *array)
{
    const CUDA_ARRAY3D_DESCRIPTOR line = {.Width = array->count,
                                          .Format = format_of(array),
                                          .NumChannels = 1,
                                          .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUsurfObject object;
    void *host = values_of(array);

    check(driver.cuArray3DCreate(&resource.res.array.hArray, &line), "array");
    check(driver.cuMemcpyHtoA(resource.res.array.hArray, 0, host,
                              array->count * ptx_type_size(array->type)),
          "copy to the array");
    check(driver.cuSurfObjectCreate(&object, &resource), "surface");
    free(host);
    return object;
}

/* The handle of a texture object that reads the array by index. */
static CUtexObject texture_of(const struct array *array)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    const CUDA_TEXTURE_DESC texture = {.flags =
                                           array->type == PTX_F32 ? 0 : CU_TRSF_READ_AS_INTEGER};
    CUtexObject object;

    resource.res.linear.devPtr = copy_in(array);
    resource.res.linear.format = format_of(array);
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = array->count * ptx_type_size(array->type);
    check(driver.cuTexObjectCreate(&object, &resource, &texture, NULL), "texture");
    return object;
}

/* The handle of a texture object over an array of two dimensions. */
static CUtexObject image_of(const struct array *array)
{
    const size_t row = array->width * ptx_type_size(array->type);
    const CUDA_ARRAY3D_DESCRIPTOR plane = {.Width = array->width,
                                           .Height = array->count / array->width,
                                           .Format = format_of(array),
                                           .NumChannels = 1,
                                           .Flags = CUDA_ARRAY3D_TEXTURE_GATHER};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    const CUDA_TEXTURE_DESC texture = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
        .flags = array->type == PTX_F32 ? 0 : CU_TRSF_READ_AS_INTEGER};
    CUtexObject object;
    void *host = values_of(array);

    check(driver.cuArray3DCreate(&resource.res.array.hArray, &plane), "array");
    check(driver.cuMemcpy2D(&(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                             .srcHost = host,
                                             .srcPitch = row,
                                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                             .dstArray = resource.res.array.hArray,
                                             .WidthInBytes = row,
                                             .Height = plane.Height}),
          "copy to the array");
    check(driver.cuTexObjectCreate(&object, &resource, &texture, NULL), "texture");
    free(host);
    return object;
}

static bool failed(CUresult result, enum stage stage, struct outcome *outcome)
{
    const char *reason = "unknown error";

    if (result == CUDA_SUCCESS)
        return false;
    outcome->failed = stage;
    if (!*outcome->message) {
        driver.cuGetErrorString(result, &reason);
        snprintf(outcome->message, sizeof outcome->message, "%s", reason);
    }
    return true;
}

/* Translated as it is written, or as the driver likes it best. */
enum translation { AS_WRITTEN, OPTIMISED };

static CUresult load_module(const char *text, enum translation translation, CUmodule *module,
                            char *message, size_t size)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_OPTIMIZATION_LEVEL};
    /* The driver takes this number in the place of a pointer. */
    void *const room = (void *)(size - 1); // NOLINT(performance-no-int-to-ptr)
    void *values[] = {message, room, NULL}; /* level 0 */

    return driver.cuModuleLoadDataEx(module, text, translation == AS_WRITTEN ? 3 : 2, options,
                                     values);
}

static CUresult load(const char *text, CUfunction *function, struct outcome *outcome)
{
    CUmodule module;
    const CUresult result =
        load_module(text, OPTIMISED, &module, outcome->message, sizeof outcome->message);

    return result ? result : driver.cuModuleGetFunction(function, module, "test");
}

static void launch(CUfunction function, const struct expectation *expectation,
                   struct outcome *outcome)
{
    uint64_t values[MAX_ARGUMENTS];
    void *pointers[MAX_ARGUMENTS];
    const struct dim grid = expectation->grid, block = expectation->block;
    CUdeviceptr out = 0;
    int count = 0;
    CUresult result;

    if (expectation->out_bytes)
        values[count++] = out = allocate(expectation->out_bytes);
    for (size_t i = 0; i < expectation->array_count && count < MAX_ARGUMENTS; i++) {
        const struct array *array = &expectation->arrays[i];
        if (array->role == ROLE_IN)
            values[count++] = copy_in(array);
        else if (array->role == ROLE_TEXTURE)
            values[count++] = texture_of(array);
        else if (array->role == ROLE_IMAGE)
            values[count++] = image_of(array);
        else if (array->role == ROLE_SURFACE)
            values[count++] = surface_of(array);
        else if (array->role == ROLE_VALUE)
            values[count++] = array->values[0].bits;
    }
    for (int i = 0; i < count; i++)
        pointers[i] = &values[i];
    result = driver.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                   (unsigned)expectation->shared, NULL, pointers, NULL);
    if (result == CUDA_SUCCESS)
        result = driver.cuCtxSynchronize();
    if (failed(result, STAGE_LAUNCH, outcome))
        return;
    outcome->out = malloc(expectation->out_bytes + 1);
    if (!outcome->out)
        abort();
    if (out)
        check(driver.cuMemcpyDtoH(outcome->out, out, expectation->out_bytes), "copy back");
}

int device_run(const char *text, const struct expectation *expectation, int way,
               struct outcome *outcome)
{
    const int capability = open_device();
    CUfunction function;

    (void)way;
    memset(outcome, 0, sizeof *outcome);
    if (capability < expectation->capability ||
        (expectation->only && capability != expectation->capability)) {
        fprintf(stderr, "no GPU of compute capability %d.%d\n", expectation->capability / 10,
                expectation->capability % 10);
        return NO_DEVICE;
    }
    if (!failed(load(text, &function, outcome), STAGE_LOAD, outcome))
        launch(function, expectation, outcome);
    return 0;
}

const char *const batch_ways[] = {"on the GPU", NULL};

int device_run_batch(const struct batch *batch, int way, uint8_t *logs)
{
    static int capability;
    const size_t log_bytes = batch->count * batch->log_bytes;
    char message[1024] = "";
    CUmodule module;

    (void)way;
    if (!capability)
        capability = open_device();
    if (capability < (batch->old ? 75 : 90)) {
        fprintf(stderr, "no GPU for these kernels\n");
        return NO_DEVICE;
    }
    if (load_module(batch->text, AS_WRITTEN, &module, message, sizeof message) != CUDA_SUCCESS) {
        fprintf(stderr, "kernels from %u on: %s\n", batch->first, message);
        return 1;
    }
    CUdeviceptr input = allocate(batch->input_bytes), out = allocate(log_bytes), log = out;
    void *arguments[] = {&log, &input};
    check(driver.cuMemcpyHtoD(input, batch->input, batch->input_bytes), "copy to the device");
    check(driver.cuMemcpyHtoD(out, logs, log_bytes), "copy to the device");
    for (uint32_t i = 0; i < batch->count; i++, log += batch->log_bytes) {
        CUfunction function;
        snprintf(message, sizeof message, "k%u", batch->first + i);
        check(driver.cuModuleGetFunction(&function, module, message), message);
        check(driver.cuLaunchKernel(function, batch->grid.x, batch->grid.y, batch->grid.z,
                                    batch->block.x, batch->block.y, batch->block.z, 0, NULL,
                                    arguments, NULL),
              message);
    }
    check(driver.cuCtxSynchronize(), "kernels of a module");
    check(driver.cuMemcpyDtoH(logs, out, log_bytes), "copy back");
    check(driver.cuMemFree(input), "free");
    check(driver.cuMemFree(out), "free");
    check(driver.cuModuleUnload(module), "unload");
    return 0;
}
