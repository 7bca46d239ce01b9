/* SPDX-License-Identifier: MIT */
/* A small GPU that runs PTX under observers, for the tests of profile/, time/ and check/. */
#ifndef OBSERVED_H
#define OBSERVED_H

#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "profile/profile.h"
#include "time/timing.h"
#include "parse_ptx.h"
#include "test_gpu.h"

/* A machine with one module, and both observers. */
struct observed {
    struct machine *machine;
    struct program *program;
    struct profile *profile;
    struct timing *timing;
};

static inline struct observed observe_ptx_by(const struct gpu *gpu, int workers, const char *ptx,
                                             enum timing_model model)
{
    struct observed observed = {.machine = machine_new(gpu, workers)};
    char error[256] = "";

    assert_non_null(observed.machine);
    struct ptx_module *module = parse_ptx(ptx, error, sizeof(error));
    if (!module)
        fail_msg("%s", error);
    observed.program = machine_load(observed.machine, module, error, sizeof(error));
    if (!observed.program)
        fail_msg("%s", error);
    observed.profile = profile_new(observed.machine);
    observed.timing = timing_new(observed.machine, model);
    machine_observe(observed.machine, timing_observer(observed.timing));
    machine_observe(observed.machine, profile_observer(observed.profile));
    return observed;
}

static inline struct observed observe_ptx(const struct gpu *gpu, int workers, const char *ptx)
{
    return observe_ptx_by(gpu, workers, ptx, TIMING_BEST);
}

/* An H200 with so much device memory. */
static inline struct gpu observed_h200(size_t memory)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    if (!gpu_read(EMU_GPUS, "h200", &gpu, error))
        fail_msg("%s", error);
    gpu.memory = memory;
    return gpu;
}

static inline void observed_free(struct observed *observed)
{
    machine_unload(observed->machine, observed->program);
    machine_free(observed->machine);
    profile_free(observed->profile);
    timing_free(observed->timing);
}

static inline uint64_t observed_memory(const struct observed *observed, size_t size)
{
    const uint64_t address = memory_allocate(observed->machine, size, MEMORY_DEVICE, NULL);

    assert_int_not_equal(address, 0);
    memset(memory_host(observed->machine, address), 0, size);
    return address;
}

/* Launch `name` with arguments of 8 bytes each; the kernel reads as much of one as it wants. */
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
    const struct launch_request request = {
        kernel, {blocks, 1, 1}, {threads, 1, 1}, 0, pointers, {0, 0, 0}, 0};
    timing_launch(observed->timing, &request, &fault);
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault.message);
}

#endif
