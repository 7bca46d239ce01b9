/* SPDX-License-Identifier: MIT */
#include "fake_cudart.h"

#include "modelled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake fake;

void fake_reset(void)
{
    fake = (struct fake){
        .devices = {{
            .name = "NVIDIA H100 80GB HBM3",
            .major = 9,
            .multiprocessors = 132,
            .clock_khz = 1980000,
            .memory_khz = 2619000,
            .bus_bits = 5120,
            .l2_bytes = 1 << 20,
            .memory = (size_t)80 << 30,
        }},
        .device_count = 1,
        .current = -1,
        .driver = 13000,
        .runtime = 13000,
        .free_bytes = (size_t)79 << 30,
    };
}

void fake_note(char letter)
{
    if (fake.logged < FAKE_LOG - 1)
        fake.log[fake.logged++] = letter;
}

/* Note the call; its error, if it is the one to fail. */
static cudaError_t begin(char letter)
{
    fake_note(letter);
    if (fake.fails != letter)
        return cudaSuccess;
    fake.fails = 0;
    return fake.error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = fake.device_count;
    return begin('N');
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    const struct fake_device *known = &fake.devices[device];

    memset(prop, 0, sizeof(*prop));
    snprintf(prop->name, sizeof(prop->name), "%s", known->name);
    prop->major = known->major;
    prop->minor = known->minor;
    prop->multiProcessorCount = known->multiprocessors;
    prop->maxThreadsPerBlock = 1024;
    prop->maxGridSize[0] = 2147483647;
    prop->totalGlobalMem = known->memory;
    prop->sharedMemPerBlock = 49152;
    return begin('P');
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    const struct fake_device *known = &fake.devices[device];

    if (attr == cudaDevAttrComputeCapabilityMajor)
        *value = known->major;
    else if (attr == cudaDevAttrClockRate)
        *value = known->clock_khz;
    else if (attr == cudaDevAttrMemoryClockRate)
        *value = known->memory_khz;
    else if (attr == cudaDevAttrGlobalMemoryBusWidth)
        *value = known->bus_bits;
    else if (attr == cudaDevAttrL2CacheSize)
        *value = known->l2_bytes;
    else if (((int)attr == ATTRIBUTE_MODELLED && known->modelled) ||
             ((int)attr == ATTRIBUTE_SAMPLED && known->sampled))
        *value = 1;
    else
        return cudaErrorInvalidValue;
    return begin('T');
}

cudaError_t cudaGetDevice(int *device)
{
    *device = fake.current < 0 ? 0 : fake.current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    const cudaError_t error = begin('D');

    if (!error)
        fake.current = device;
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = fake.driver;
    return begin('V');
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = fake.runtime;
    return begin('U');
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    const cudaError_t error = begin('A');

    if (error)
        return error;
    *devPtr = malloc(size);
    fake.live++;
    return *devPtr ? cudaSuccess : cudaErrorMemoryAllocation;
}

enum { FAKE_PITCH = 512 };

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + FAKE_PITCH - 1) / FAKE_PITCH * FAKE_PITCH;
    return cudaMalloc(devPtr, *pitch * height);
}

cudaError_t cudaFree(void *devPtr)
{
    if (devPtr)
        fake.live--;
    free(devPtr);
    return begin('F');
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    const cudaError_t error = begin('C');

    (void)kind;
    if (!error && count)
        memcpy(dst, src, count);
    return error;
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    const cudaError_t error = begin('S');

    if (!error)
        memset(devPtr, value, count);
    return error;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *free = fake.free_bytes;
    *total = fake.devices[0].memory;
    return begin('M');
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = malloc(1);
    fake.live++;
    return begin('E');
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    fake.live--;
    return begin('X');
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event;
    (void)stream;
    return begin('R');
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return begin('Y');
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    (void)start;
    (void)end;
    *ms = fake.ms ? fake.ms[fake.elapsed] : 1;
    fake.elapsed++;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return begin('L');
}
