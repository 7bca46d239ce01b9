/* A small GPU that runs PTX under observers, for the tests of emulator/observe/. */
#ifndef OBSERVED_H
#define OBSERVED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/machine.h"
#include "observe/profile.h"
#include "observe/timing.h"

enum { OBSERVED_MULTIPROCESSORS = 4, OBSERVED_GLOBAL_LATENCY = 400 };

/* A machine with one module, and both observers. */
struct observed {
    struct machine *machine;
    struct program *program;
    struct profile *profile;
    struct timing *timing;
};

static inline struct gpu observed_gpu(void)
{
    return (struct gpu){
        .name = "emulated for tests",
        .major = 7,
        .minor = 5,
        .multiprocessors = OBSERVED_MULTIPROCESSORS,
        .max_threads_per_block = 1024,
        .max_threads_per_sm = 1024,
        .max_blocks_per_sm = 16,
        .max_block = {1024, 1024, 64},
        .max_grid = {2147483647, 65535, 65535},
        .memory = 64 << 20,
        .constant_memory = 64 << 10,
        .shared_per_block = 48 << 10,
        .shared_per_block_optin = 64 << 10,
        .shared_per_sm = 64 << 10,
        .registers_per_block = 65536,
        .registers_per_sm = 65536,
        .max_registers = 255,
        .shared_unit = 256,
        .register_unit = 256,
        .warp_unit = 4,
        .coalescing = COALESCE_SECTORS,
        .banks = 32,
        .bank_lanes = 32,
        .clock_khz = 1000000,
        .memory_clock_khz = 1000000,
        .memory_bus_bits = 64, /* 16 GB/s: 16 bytes a clock */
        .l2_bytes = 4 << 20,
        .schedulers = 4,
        .arithmetic_latency = 4,
        .shared_latency = 20,
        .global_latency = OBSERVED_GLOBAL_LATENCY,
        .launch_us = 1,
    };
}

static inline struct observed observe_ptx(const struct gpu *gpu, int workers, const char *ptx)
{
    struct observed observed = {.machine = machine_new(gpu, workers)};
    char error[256] = "";

    assert_non_null(observed.machine);
    struct ptx_module *module = ptx_parse(ptx, error, sizeof(error));
    if (!module)
        fail_msg("%s", error);
    observed.program = machine_load(observed.machine, module, error, sizeof(error));
    if (!observed.program)
        fail_msg("%s", error);
    observed.profile = profile_new(observed.machine);
    observed.timing = timing_new(observed.machine);
    machine_observe(observed.machine, timing_observer(observed.timing));
    machine_observe(observed.machine, profile_observer(observed.profile));
    return observed;
}

static inline void observed_free(struct observed *observed)
{
    machine_unload(observed->machine, observed->program);
    machine_free(observed->machine);
    profile_free(observed->profile);
    timing_free(observed->timing);
}

/* Device addresses are host addresses. */
static inline void *observed_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static inline uint64_t observed_memory(const struct observed *observed, size_t size)
{
    const uint64_t address = memory_allocate(observed->machine, size, MEMORY_DEVICE, NULL);

    assert_int_not_equal(address, 0);
    memset(observed_pointer(address), 0, size);
    return address;
}

/* Launch `name` with arguments that each fill 8 bytes; the kernel reads as much of one as it wants. */
static inline void observed_launch(const struct observed *observed, const char *name,
                                   uint32_t blocks, uint32_t threads, uint64_t *arguments,
                                   int count)
{
    const struct kernel *kernel = program_kernel(observed->program, name);
    struct fault fault = {.kind = FAULT_NONE};
    void *pointers[8];

    assert_non_null(kernel);
    for (int i = 0; i < count; i++)
        pointers[i] = &arguments[i];
    machine_launch(observed->machine, kernel, (struct dim){blocks, 1, 1},
                   (struct dim){threads, 1, 1}, 0, pointers, &fault);
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault.message);
}

#endif
