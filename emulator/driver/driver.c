/* SPDX-License-Identifier: MIT */
/* Errors and devices. */
#include "driver/driver.h"

#include <stdio.h>

#include "cudart/registration.h"

/* All errors of the driver. CMake makes the list from the toolkit's cuda.h. */
static const struct {
    CUresult error;
    const char *name;
} names[] = {
#define ERROR(error) {error, #error},
#include "driver_errors.inc"
#undef ERROR
};

static const char *name_of(CUresult error)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].error == error)
            return names[i].name;
    return NULL;
}

CUresult driver_error(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    default:
        return name_of((CUresult)error) ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = name_of(error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? cudaGetErrorString((cudaError_t)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    const struct runtime_thread before = runtime_aside();
    struct runtime *runtime = runtime_enter();
    runtime->driver.initialised = !runtime->broken;
    const CUresult result = driver_error(runtime_leave(runtime, runtime->broken));
    runtime_resume(before);
    return result;
}

/* That of the toolkit, as cudaDriverGetVersion(). */
CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* What a call about a device returns, if there is such a device. */
static cudaError_t of_device(CUdevice device, cudaError_t otherwise)
{
    return ASIDE(runtime, device_about(runtime, device)) ?: otherwise;
}

static cudaError_t give_int(int *result, int value)
{
    if (!result)
        return cudaErrorInvalidValue;
    *result = value;
    return cudaSuccess;
}

FRONT_ANYWHERE(cuDeviceGet, give_int(device, number) ?: of_device(number, cudaSuccess),
               CUdevice *device, int number)
FRONT_ANYWHERE(cuDeviceGetCount, cudaGetDeviceCount(count), int *count)
FRONT_ANYWHERE(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId(text, length, device), char *text,
               int length, CUdevice device)
FRONT_ANYWHERE(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId(device, text), CUdevice *device,
               const char *text)
FRONT_ANYWHERE(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer(can, device, peer), int *can,
               CUdevice device, CUdevice peer)
FRONT_ANYWHERE(cuDeviceGetP2PAttribute,
               cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, source, target),
               int *value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice target)
FRONT_ANYWHERE(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool(pool, device),
               CUmemoryPool *pool, CUdevice device)
FRONT_ANYWHERE(cuDeviceGetMemPool, cudaDeviceGetMemPool(pool, device), CUmemoryPool *pool,
               CUdevice device)
FRONT_ANYWHERE(cuDeviceSetMemPool, cudaDeviceSetMemPool(device, pool), CUdevice device,
               CUmemoryPool pool)
FRONT_ANYWHERE(cuDeviceGetGraphMemAttribute,
               cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute,
                                              value),
               CUdevice device, CUgraphMem_attribute attribute, void *value)
FRONT_ANYWHERE(cuDeviceSetGraphMemAttribute,
               cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute,
                                              value),
               CUdevice device, CUgraphMem_attribute attribute, void *value)
FRONT_ANYWHERE(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim(device), CUdevice device)

/* Those that the runtime has have the same number. What else the driver knows, this device lacks,
 * except for virtual memory, which came with Pascal. */
static cudaError_t get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
        TRY(cudaDeviceGetAttribute(value, cudaDevAttrComputeCapabilityMajor, device));
        return give_int(value, *value >= 6);
    }
    if (value && attribute >= (int)cudaDevAttrMax && attribute < CU_DEVICE_ATTRIBUTE_MAX)
        return of_device(device, give_int(value, 0));
    return cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
}

FRONT_ANYWHERE(cuDeviceGetAttribute, get_attribute(value, attribute, device), int *value,
               CUdevice_attribute attribute, CUdevice device)
FRONT_ANYWHERE(cuDeviceComputeCapability,
               get_attribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
                   ?: get_attribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
               int *major, int *minor, CUdevice device)

static cudaError_t get_name(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp properties;

    if (!name || length <= 0)
        return cudaErrorInvalidValue;
    TRY(cudaGetDeviceProperties(&properties, device));
    snprintf(name, (size_t)length, "%s", properties.name);
    return cudaSuccess;
}

static cudaError_t get_memory(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;

    if (!bytes)
        return cudaErrorInvalidValue;
    TRY(cudaGetDeviceProperties(&properties, device));
    *bytes = properties.totalGlobalMem;
    return cudaSuccess;
}

/* As in its properties. */
static cudaError_t get_uuid(CUuuid *uuid, CUdevice device)
{
    if (!uuid)
        return cudaErrorInvalidValue;
    *uuid = (CUuuid){{(char)device}};
    return of_device(device, cudaSuccess);
}

FRONT_ANYWHERE(cuDeviceGetName, get_name(name, length, device), char *name, int length,
               CUdevice device)
FRONT_ANYWHERE(cuDeviceTotalMem_v2, get_memory(bytes, device), size_t *bytes, CUdevice device)
FRONT_ANYWHERE(cuDeviceGetUuid, get_uuid(uuid, device), CUuuid *uuid, CUdevice device)
FRONT_ANYWHERE(cuDeviceGetUuid_v2, get_uuid(uuid, device), CUuuid *uuid, CUdevice device)

/* The profiler's switches are declared in a header of their own. */
#pragma GCC visibility push(default)
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#pragma GCC visibility pop
FRONT(cuProfilerStart, cudaProfilerStart(), void)
FRONT(cuProfilerStop, cudaProfilerStop(), void)
