/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* program_invocation_name */
#include "common.h"

#include <errno.h>
#include <stdio.h>

#include "modelled.h"

/* Floats a multiprocessor multiplies and adds in one clock, by compute capability: CUDA C++
 * Programming Guide, "Throughput of native arithmetic instructions", row "32-bit floating-point
 * add, multiply, multiply-add" (for 1.x and 2.x the guide of CUDA 4.0, for 3.x that of 8.0). A row
 * serves up to the next; what is newer than the last is not known. */
static const struct {
    int capability, lanes;
} float_lanes[] = {
    {10, 8},   {20, 32}, {21, 48}, {30, 192}, {50, 128}, {60, 64},
    {61, 128}, {70, 64}, {80, 64}, {86, 128}, {90, 128}, {122, 0},
};

static int lanes_of(int capability)
{
    int lanes = 0;

    for (size_t i = 0; i < sizeof(float_lanes) / sizeof(float_lanes[0]); i++) {
        if (capability >= float_lanes[i].capability)
            lanes = float_lanes[i].lanes;
    }
    return lanes;
}

/* No device at all: neither one that CUDA may show us nor a driver to ask. A runtime without any
 * driver speaks of one that is too old; the driver's version is 0 then. */
static bool no_device(cudaError_t error, int count)
{
    int driver = 0;

    if (error == cudaErrorInsufficientDriver)
        return cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
    return error == cudaErrorNoDevice || (error == cudaSuccess && count == 0);
}

/* Whether device `index` is what an attribute of modelled.h says. */
static cudaError_t ask_whether(int attribute, int index, bool *is)
{
    int value = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)attribute, index);

    *is = !error && value;
    if (error != cudaErrorInvalidValue)
        return error;
    (void)cudaGetLastError(); /* a GPU's answer, which no later call is to find */
    return cudaSuccess;
}

/* Fill in what the properties and attributes of device `index` say. */
static cudaError_t describe(int index, struct device *device)
{
    struct cudaDeviceProp prop;
    int clock_khz, memory_khz, bus_bits;
    bool modelled = false, sampled = false;
    const struct {
        int *value;
        enum cudaDeviceAttr attribute;
    } attributes[] = {
        /* No longer among the properties since CUDA 13. */
        {&clock_khz, cudaDevAttrClockRate},
        {&memory_khz, cudaDevAttrMemoryClockRate},
        {&bus_bits, cudaDevAttrGlobalMemoryBusWidth},
    };
    cudaError_t error = cudaGetDeviceProperties(&prop, index);

    for (size_t i = 0; !error && i < sizeof(attributes) / sizeof(attributes[0]); i++)
        error = cudaDeviceGetAttribute(attributes[i].value, attributes[i].attribute, index);
    if (!error)
        error = ask_whether(ATTRIBUTE_MODELLED, index, &modelled);
    if (!error)
        error = ask_whether(ATTRIBUTE_SAMPLED, index, &sampled);
    if (error)
        return error;

    *device = (struct device){
        .index = index,
        .modelled = modelled,
        .sampled = sampled,
        .major = prop.major,
        .minor = prop.minor,
        .multiprocessors = prop.multiProcessorCount,
        .max_threads = prop.maxThreadsPerBlock,
        .max_grid_x = prop.maxGridSize[0],
        .memory = prop.totalGlobalMem,
        .shared_per_block = prop.sharedMemPerBlock,
        .clock_hz = clock_khz * 1e3,
        /* Two transfers a clock (double data rate). */
        .peak_bytes = memory_khz * 1e3 * 2 * bus_bits / 8,
        /* A fused multiply-add is two operations. */
        .peak_flops =
            clock_khz * 1e3 * 2 * prop.multiProcessorCount * lanes_of(prop.major * 10 + prop.minor),
    };
    snprintf(device->name, sizeof(device->name), "%s", prop.name);
    return cudaSuccess;
}

/* The lowest compute capability that today's toolkit compiles for, whatever a step needs. */
enum { TOOLKIT_MINIMUM = 75 };

/* A modelled device may be older than any toolkit of today allows: what it lacks is refused when it
 * comes to it. */
static bool serves(const struct device *device, int minimum)
{
    const int capability = device->major * 10 + device->minor;

    if (minimum > ALONE)
        return capability == minimum - ALONE;
    return capability >= minimum || (device->modelled && minimum <= TOOLKIT_MINIMUM);
}

/* Find the first device from `first` to `last` that serves. Returns EXIT_MATCH, or prints one line
 * and returns what to exit with. */
static int find_device(int first, int last, int minimum, struct device *device)
{
    for (int index = first; index <= last; index++) {
        const cudaError_t error = describe(index, device);

        if (error)
            return check_report(error, "asking a device's properties", __FILE__, __LINE__);
        if (serves(device, minimum))
            return EXIT_MATCH;
    }
    minimum %= ALONE;
    check_say("needs compute capability %d.%d; device %d, %s, has %d.%d%s", minimum / 10,
              minimum % 10, last, device->name, device->major, device->minor,
              first == last ? "" : "; no other serves either");
    return EXIT_SKIP;
}

/* Make `device` the current one and ask for the versions it runs under. */
static int take_device(struct device *device)
{
    cudaError_t error = cudaSetDevice(device->index);

    if (error)
        return check_report(error, "cudaSetDevice", __FILE__, __LINE__);
    error = cudaDriverGetVersion(&device->driver);
    if (!error)
        error = cudaRuntimeGetVersion(&device->runtime);
    if (error)
        return check_report(error, "asking for the versions", __FILE__, __LINE__);
    return EXIT_MATCH;
}

int InitCUDA(int wanted, int minimum, struct device *device)
{
    int count = 0, code;
    const cudaError_t error = cudaGetDeviceCount(&count);

    if (no_device(error, count)) {
        check_say("no CUDA device; run it on the emulator: " EMULATOR " %s",
                  program_invocation_name);
        return EXIT_SKIP;
    }
    if (error)
        return check_report(error, "cudaGetDeviceCount", __FILE__, __LINE__);
    if (wanted >= count)
        return options_refuse("--device %d: no such device; allowed is 0 to %d", wanted, count - 1);

    code = find_device(wanted < 0 ? 0 : wanted, wanted < 0 ? count - 1 : wanted, minimum, device);
    return code ? code : take_device(device);
}
