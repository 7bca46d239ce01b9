/* SPDX-License-Identifier: MIT */
/* The devices, which are all alike: their properties, limits and flags. */
#include "cudart/runtime.h"

#include <stdio.h>
#include <string.h>

#include "modelled.h"

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return QUERY(runtime, cudaErrorInvalidValue);
    return QUERY(runtime, (*count = runtime->device_count, cudaSuccess));
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return QUERY(runtime, cudaErrorInvalidValue);
    *device = runtime_device();
    return QUERY(runtime, cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    TRY(QUERY(runtime, device_exists(runtime, device) ? cudaSuccess : cudaErrorInvalidDevice));
    runtime_set_device(device);
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    return ASIDE(runtime, flags                            ? cudaErrorInvalidValue
                          : device_exists(runtime, device) ? cudaSuccess
                                                           : cudaErrorInvalidDevice);
}

ENTRY(ASIDE, cudaChooseDevice, (device, properties), int *device,
      const struct cudaDeviceProp *properties)
{
    if (!device || !properties)
        return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
}

struct attribute {
    enum cudaDeviceAttr name;
    int value;
};

/* Attributes that are the same on every GPU of today: the CUDA C++ Programming Guide's technical
 * specifications for compute capability 7.5 to 9.0, and what any plain PCI card has. */
static const struct attribute constants[] = {
    {cudaDevAttrWarpSize, WARP_SIZE},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrHostRegisterSupported, 1},
};

/* What is different on the first GPUs, from the same tables for compute capability 1.x in the
 * guides from 2.2 to 6.5. */
static const struct attribute first_constants[] = {
    {cudaDevAttrMaxTexture1DWidth, 8192},          {cudaDevAttrMaxTexture1DLinearWidth, 1 << 27},
    {cudaDevAttrMaxTexture1DLayeredWidth, 8192},   {cudaDevAttrMaxTexture1DLayeredLayers, 512},
    {cudaDevAttrMaxTexture2DWidth, 65536},         {cudaDevAttrMaxTexture2DHeight, 32768},
    {cudaDevAttrMaxTexture2DLinearWidth, 65000},   {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 1048544}, {cudaDevAttrMaxTexture2DLayeredWidth, 8192},
    {cudaDevAttrMaxTexture2DLayeredHeight, 8192},  {cudaDevAttrMaxTexture2DLayeredLayers, 512},
    {cudaDevAttrMaxTexture3DWidth, 2048},          {cudaDevAttrMaxTexture3DHeight, 2048},
    {cudaDevAttrMaxTexture3DDepth, 2048},
};

static const struct attribute *find_attribute(const struct attribute *list, size_t count,
                                              enum cudaDeviceAttr name)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}
#define FIND_ATTRIBUTE(list, name) find_attribute(list, sizeof(list) / sizeof((list)[0]), name)

/* How much of the L2 cache a program may keep for itself, from compute capability 8.0 on: on an
 * A100 three quarters. */
static int persisting_l2(const struct gpu *gpu)
{
    return gpu->major >= 8 ? (int)(gpu->l2_bytes / 4 * 3) : 0;
}

/* The value of one attribute, which is 0 for what the device does not have. */
static int attribute_value(const struct gpu *gpu, enum cudaDeviceAttr name)
{
    const struct attribute described[] = {
        {cudaDevAttrMaxThreadsPerBlock, gpu->max_threads_per_block},
        {cudaDevAttrMaxBlockDimX, (int)gpu->max_block[0]},
        {cudaDevAttrMaxBlockDimY, (int)gpu->max_block[1]},
        {cudaDevAttrMaxBlockDimZ, (int)gpu->max_block[2]},
        {cudaDevAttrMaxGridDimX, (int)gpu->max_grid[0]},
        {cudaDevAttrMaxGridDimY, (int)gpu->max_grid[1]},
        {cudaDevAttrMaxGridDimZ, (int)gpu->max_grid[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)gpu->shared_per_block},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)gpu->shared_per_block_optin},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)gpu->shared_per_sm},
        {cudaDevAttrReservedSharedMemoryPerBlock, (int)gpu->shared_reserved},
        {cudaDevAttrTotalConstantMemory, (int)gpu->constant_memory},
        {cudaDevAttrMaxRegistersPerBlock, gpu->registers_per_block},
        {cudaDevAttrMaxRegistersPerMultiprocessor, gpu->registers_per_sm},
        {cudaDevAttrMaxThreadsPerMultiProcessor, gpu->max_threads_per_sm},
        {cudaDevAttrClusterLaunch, gpu->max_cluster > 1},
        {cudaDevAttrMaxBlocksPerMultiprocessor, gpu->max_blocks_per_sm},
        {cudaDevAttrMultiProcessorCount, gpu->multiprocessors},
        {cudaDevAttrMaxPitch, gpu->max_pitch},
        {cudaDevAttrTexturePitchAlignment, gpu->texture_pitch_alignment},
        {cudaDevAttrTextureAlignment, gpu->texture_alignment},
        {cudaDevAttrAsyncEngineCount, gpu->copy_engines},
        {cudaDevAttrGpuOverlap, gpu->copy_engines > 0},
        {cudaDevAttrClockRate, gpu->clock_khz},
        {cudaDevAttrMemoryClockRate, gpu->memory_clock_khz},
        {cudaDevAttrGlobalMemoryBusWidth, gpu->memory_bus_bits},
        {cudaDevAttrL2CacheSize, (int)gpu->l2_bytes},
        {cudaDevAttrMaxPersistingL2CacheSize, persisting_l2(gpu)},
        {cudaDevAttrMaxAccessPolicyWindowSize, gpu->major >= 8 ? 128 << 20 : 0},
        {cudaDevAttrMemoryPoolsSupported, gpu->major > 1},
        {cudaDevAttrCooperativeLaunch, gpu->major > 1},
        {cudaDevAttrComputeCapabilityMajor, gpu->major},
        {cudaDevAttrComputeCapabilityMinor, gpu->minor},
    };
    const struct attribute *found = FIND_ATTRIBUTE(described, name);

    if (!found && gpu->major == 1)
        found = FIND_ATTRIBUTE(first_constants, name);
    if (!found)
        found = FIND_ATTRIBUTE(constants, name);
    return found ? found->value : 0;
}

int device_attribute(const struct runtime *runtime, enum cudaDeviceAttr attribute)
{
    return attribute_value(machine_gpu(runtime->machine), attribute);
}

cudaError_t device_find_attribute(const struct runtime *runtime, enum cudaDeviceAttr attribute,
                                  int *value)
{
    const bool modelled = (int)attribute == ATTRIBUTE_MODELLED;
    const bool sampled = (int)attribute == ATTRIBUTE_SAMPLED;
    const bool known = attribute >= cudaDevAttrMaxThreadsPerBlock && attribute < cudaDevAttrMax;

    *value = modelled  ? 1
             : sampled ? runtime->settings.sampling
                       : attribute_value(machine_gpu(runtime->machine), attribute);
    return known || modelled || sampled ? cudaSuccess : cudaErrorInvalidValue;
}

ENTRY(QUERY, cudaDeviceGetAttribute, (value, attribute, device), int *value,
      enum cudaDeviceAttr attribute, int device)
{
    int found;

    if (!value)
        return cudaErrorInvalidValue;
    TRY(device_find_attribute(runtime, attribute, &found));
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    *value = attribute == cudaDevAttrPciBusId ? device : found;
    return cudaSuccess;
}

/* The int fields of cudaDeviceProp that are attributes as well. */
static const struct {
    size_t offset;
    enum cudaDeviceAttr attribute;
} int_properties[] = {
#define PROPERTY(field, attribute)                                     \
    {                                                                  \
        offsetof(struct cudaDeviceProp, field), cudaDevAttr##attribute \
    }
    PROPERTY(regsPerBlock, MaxRegistersPerBlock),
    PROPERTY(warpSize, WarpSize),
    PROPERTY(maxThreadsPerBlock, MaxThreadsPerBlock),
    PROPERTY(maxThreadsDim[0], MaxBlockDimX),
    PROPERTY(maxThreadsDim[1], MaxBlockDimY),
    PROPERTY(maxThreadsDim[2], MaxBlockDimZ),
    PROPERTY(maxGridSize[0], MaxGridDimX),
    PROPERTY(maxGridSize[1], MaxGridDimY),
    PROPERTY(maxGridSize[2], MaxGridDimZ),
    PROPERTY(major, ComputeCapabilityMajor),
    PROPERTY(minor, ComputeCapabilityMinor),
    PROPERTY(multiProcessorCount, MultiProcessorCount),
    PROPERTY(canMapHostMemory, CanMapHostMemory),
    PROPERTY(maxTexture1D, MaxTexture1DWidth),
    PROPERTY(maxTexture2D[0], MaxTexture2DWidth),
    PROPERTY(maxTexture2D[1], MaxTexture2DHeight),
    PROPERTY(maxTexture3D[0], MaxTexture3DWidth),
    PROPERTY(maxTexture3D[1], MaxTexture3DHeight),
    PROPERTY(maxTexture3D[2], MaxTexture3DDepth),
    PROPERTY(maxTexture1DMipmap, MaxTexture1DMipmappedWidth),
    PROPERTY(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth),
    PROPERTY(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight),
    PROPERTY(maxTexture2DLinear[0], MaxTexture2DLinearWidth),
    PROPERTY(maxTexture2DLinear[1], MaxTexture2DLinearHeight),
    PROPERTY(maxTexture2DLinear[2], MaxTexture2DLinearPitch),
    PROPERTY(maxTexture2DGather[0], MaxTexture2DGatherWidth),
    PROPERTY(maxTexture2DGather[1], MaxTexture2DGatherHeight),
    PROPERTY(maxTexture1DLayered[0], MaxTexture1DLayeredWidth),
    PROPERTY(maxTexture1DLayered[1], MaxTexture1DLayeredLayers),
    PROPERTY(maxTexture2DLayered[0], MaxTexture2DLayeredWidth),
    PROPERTY(maxTexture2DLayered[1], MaxTexture2DLayeredHeight),
    PROPERTY(maxTexture2DLayered[2], MaxTexture2DLayeredLayers),
    PROPERTY(maxTextureCubemap, MaxTextureCubemapWidth),
    PROPERTY(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth),
    PROPERTY(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers),
    PROPERTY(concurrentKernels, ConcurrentKernels),
    PROPERTY(asyncEngineCount, AsyncEngineCount),
    PROPERTY(unifiedAddressing, UnifiedAddressing),
    PROPERTY(memoryBusWidth, GlobalMemoryBusWidth),
    PROPERTY(l2CacheSize, L2CacheSize),
    PROPERTY(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
    PROPERTY(streamPrioritiesSupported, StreamPrioritiesSupported),
    PROPERTY(globalL1CacheSupported, GlobalL1CacheSupported),
    PROPERTY(localL1CacheSupported, LocalL1CacheSupported),
    PROPERTY(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
    PROPERTY(managedMemory, ManagedMemory),
    PROPERTY(concurrentManagedAccess, ConcurrentManagedAccess),
    PROPERTY(computePreemptionSupported, ComputePreemptionSupported),
    PROPERTY(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem),
    PROPERTY(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor),
    PROPERTY(hostRegisterSupported, HostRegisterSupported),
    PROPERTY(persistingL2CacheMaxSize, MaxPersistingL2CacheSize),
    PROPERTY(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize),
    PROPERTY(memoryPoolsSupported, MemoryPoolsSupported),
    PROPERTY(cooperativeLaunch, CooperativeLaunch),
#if CUDART_VERSION < 13000
    PROPERTY(clockRate, ClockRate),
    PROPERTY(memoryClockRate, MemoryClockRate),
    PROPERTY(deviceOverlap, GpuOverlap),
#endif
#undef PROPERTY
};

ENTRY(QUERY, cudaGetDeviceProperties, (properties, device), struct cudaDeviceProp *properties,
      int device)
{
    const struct gpu *gpu = machine_gpu(runtime->machine);

    if (!properties)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    memset(properties, 0, sizeof(*properties));
    snprintf(properties->name, sizeof(properties->name), "%s", gpu->name);
    properties->pciBusID = device;
    properties->uuid.bytes[0] = (char)device;
    properties->totalGlobalMem = gpu->memory;
    properties->sharedMemPerBlock = gpu->shared_per_block;
    properties->sharedMemPerBlockOptin = gpu->shared_per_block_optin;
    properties->sharedMemPerMultiprocessor = gpu->shared_per_sm;
    properties->reservedSharedMemPerBlock = gpu->shared_reserved;
    properties->totalConstMem = gpu->constant_memory;
    properties->memPitch = attribute_value(gpu, cudaDevAttrMaxPitch);
    properties->textureAlignment = attribute_value(gpu, cudaDevAttrTextureAlignment);
    properties->texturePitchAlignment = attribute_value(gpu, cudaDevAttrTexturePitchAlignment);
    properties->surfaceAlignment = attribute_value(gpu, cudaDevAttrSurfaceAlignment);
    for (size_t i = 0; i < sizeof(int_properties) / sizeof(int_properties[0]); i++)
        memcpy((char *)properties + int_properties[i].offset,
               &(int){attribute_value(gpu, int_properties[i].attribute)}, sizeof(int));
    return cudaSuccess;
}

/* The error of a kernel that faulted is returned, as by every call. */
cudaError_t cudaDeviceSynchronize(void)
{
    return QUEUED(runtime, capture_forbids_all(runtime)
                               ?: queue_settle_device(runtime)
                               ?: (stream_wait_all(runtime), cudaSuccess));
}

/* Graphs are of no one device: they stay while there are several. */
void device_clear(struct runtime *runtime)
{
    if (runtime->device_count == 1)
        graph_clear(runtime);
    texture_clear(runtime);
    mipmap_clear(runtime);
    array_clear(runtime);
    allocation_clear(runtime);
    pool_clear(runtime);
    stream_clear(runtime);
    module_clear(runtime);
    peer_clear(runtime);
}

/* Free everything that the program has on the device. A pending error is cleared, too. */
cudaError_t cudaDeviceReset(void)
{
    struct runtime *runtime = runtime_enter();

    if (!runtime->broken) {
        queue_settle(runtime);
        device_clear(runtime);
        runtime->device->sticky = cudaSuccess;
        runtime->device->failures = 0;
    }
    return runtime_leave(runtime, runtime->broken);
}

static cudaError_t get_version(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = CUDART_VERSION;
    return cudaSuccess;
}

/* The version of the driver that comes with this runtime. */
cudaError_t cudaDriverGetVersion(int *version)
{
    return QUERY(runtime, get_version(version));
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return QUERY(runtime, get_version(version));
}

/* The limits that a program may set. Their effects inside a kernel are not modelled. */
static const struct {
    enum cudaLimit limit;
    size_t otherwise;
} limits[LIMIT_COUNT] = {
    {cudaLimitStackSize, 1024},
    {cudaLimitPrintfFifoSize, 1 << 20},
    {cudaLimitMallocHeapSize, 8 << 20},
    {cudaLimitMaxL2FetchGranularity, 64},
    {cudaLimitPersistingL2CacheSize, 0},
    {cudaLimitDevRuntimeSyncDepth, 2},
    {cudaLimitDevRuntimePendingLaunchCount, 2048},
};

static bool has_limit(const struct gpu *gpu, enum cudaLimit limit)
{
    switch (limit) {
    case cudaLimitMaxL2FetchGranularity:
    case cudaLimitPersistingL2CacheSize:
        return persisting_l2(gpu);
    case cudaLimitDevRuntimeSyncDepth: /* from 9.0 on kernels cannot wait for their children */
        return gpu->major >= 4 && gpu->major < 9;
    case cudaLimitDevRuntimePendingLaunchCount:
        return gpu->major >= 4;
    default:
        return true;
    }
}

/* Where `limit` is kept, or NULL if the device does not have it. */
static size_t *find_limit(struct runtime *runtime, enum cudaLimit limit)
{
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (limits[i].limit != limit || !has_limit(machine_gpu(runtime->machine), limit))
            continue;
        if (!runtime->device->limits[i])
            runtime->device->limits[i] = limits[i].otherwise;
        return &runtime->device->limits[i];
    }
    return NULL;
}

static bool is_limit(enum cudaLimit limit)
{
    return (unsigned)limit <= cudaLimitPersistingL2CacheSize;
}

ENTRY(ASIDE, cudaDeviceGetLimit, (value, limit), size_t *value, enum cudaLimit limit)
{
    const size_t *kept = find_limit(runtime, limit);

    if (!value || !is_limit(limit))
        return cudaErrorInvalidValue;
    if (!kept)
        return cudaErrorUnsupportedLimit;
    *value = *kept;
    return cudaSuccess;
}

ENTRY(API, cudaDeviceSetLimit, (limit, value), enum cudaLimit limit, size_t value)
{
    size_t *kept = find_limit(runtime, limit);

    if (!is_limit(limit) || value > machine_gpu(runtime->machine)->memory)
        return cudaErrorInvalidValue;
    if (!kept)
        return cudaErrorUnsupportedLimit;
    if ((limit == cudaLimitPersistingL2CacheSize &&
         value > (size_t)persisting_l2(machine_gpu(runtime->machine))) ||
        (limit == cudaLimitMaxL2FetchGranularity && value > 128))
        return cudaErrorInvalidValue;
    *kept = value;
    if (limit == cudaLimitMallocHeapSize)
        machine_set_heap(runtime->machine, value);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaSetDeviceFlags, (flags), unsigned flags)
{
    if (flags & ~cudaDeviceMask)
        return cudaErrorInvalidValue;
    runtime->device->flags = flags;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaGetDeviceFlags, (flags), unsigned *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = runtime->device->flags | cudaDeviceMapHost;
    return cudaSuccess;
}

/* A hint about the first-level cache, which is not modelled. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    return API(runtime,
               (unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : cudaSuccess);
}

ENTRY(ASIDE, cudaDeviceGetCacheConfig, (config), enum cudaFuncCache *config)
{
    if (!config)
        return cudaErrorInvalidValue;
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

/* Shared memory has had banks of four bytes alone since compute capability 5.0; other GPUs take the
 * wish and do nothing. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static cudaError_t check_banks(enum cudaSharedMemConfig config)
{
    return (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return ASIDE(runtime, check_banks(config));
}

ENTRY(ASIDE, cudaDeviceGetSharedMemConfig, (config), enum cudaSharedMemConfig *config)
{
    if (!config)
        return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config)
{
    struct function *function;

    return ASIDE(runtime, check_banks(config) ?: module_function(runtime, host, &function));
}
#pragma GCC diagnostic pop

ENTRY(ASIDE, cudaDeviceGetPCIBusId, (text, length, device), char *text, int length, int device)
{
    static const char id[] = "0000:00:00.0";

    if (!text || length < (int)sizeof(id))
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, device))
        return cudaErrorInvalidDevice;
    snprintf(text, sizeof(id), "0000:%02x:00.0", (unsigned)device & 0xff);
    return cudaSuccess;
}

ENTRY(ASIDE, cudaDeviceGetByPCIBusId, (device, text), int *device, const char *text)
{
    unsigned domain = 0, bus, slot, function = 0;

    if (!device || !text)
        return cudaErrorInvalidValue;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
            return cudaErrorInvalidValue;
    }
    if (domain || !device_exists(runtime, (int)bus) || slot || function)
        return cudaErrorInvalidDevice;
    *device = (int)bus;
    return cudaSuccess;
}

ENTRY(ASIDE, cudaSetValidDevices, (devices, count), int *devices, int count)
{
    if (count < 0 || (count && !devices))
        return cudaErrorInvalidValue;
    for (int i = 0; i < count; i++)
        if (!device_exists(runtime, devices[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

/* What would persist in the L2 cache is not modelled. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return ASIDE(runtime, cudaSuccess);
}

#if CUDART_VERSION < 13000
/* The names these had until CUDA 4. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}
#pragma GCC diagnostic pop
#endif
