#include "fake_cudart.h"

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

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int index)
{
    const struct fake_device *device = &fake.devices[index];

    memset(prop, 0, sizeof(*prop));
    snprintf(prop->name, sizeof(prop->name), "%s", device->name);
    prop->major = device->major;
    prop->minor = device->minor;
    prop->multiProcessorCount = device->multiprocessors;
    prop->maxThreadsPerBlock = 1024;
    prop->maxGridSize[0] = 2147483647;
    prop->totalGlobalMem = device->memory;
    prop->sharedMemPerBlock = 49152;
    return begin('P');
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int index)
{
    const struct fake_device *device = &fake.devices[index];

    if (attribute == cudaDevAttrClockRate)
        *value = device->clock_khz;
    else if (attribute == cudaDevAttrMemoryClockRate)
        *value = device->memory_khz;
    else if (attribute == cudaDevAttrGlobalMemoryBusWidth)
        *value = device->bus_bits;
    else if (attribute == cudaDevAttrL2CacheSize)
        *value = device->l2_bytes;
    else
        return cudaErrorInvalidValue;
    return begin('T');
}

cudaError_t cudaSetDevice(int index)
{
    const cudaError_t error = begin('D');

    if (!error)
        fake.current = index;
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

cudaError_t cudaMalloc(void **address, size_t bytes)
{
    const cudaError_t error = begin('A');

    if (error)
        return error;
    *address = malloc(bytes);
    fake.live++;
    return *address ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *address)
{
    if (address)
        fake.live--;
    free(address);
    return begin('F');
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaError_t error = begin('C');

    (void)kind;
    if (!error && bytes)
        memcpy(to, from, bytes);
    return error;
}

cudaError_t cudaMemset(void *address, int value, size_t bytes)
{
    const cudaError_t error = begin('S');

    if (!error)
        memset(address, value, bytes);
    return error;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = fake.free_bytes;
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

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t first, cudaEvent_t last)
{
    (void)first;
    (void)last;
    *ms = fake.ms ? fake.ms[fake.elapsed] : 1;
    fake.elapsed++;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return begin('L');
}
