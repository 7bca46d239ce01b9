/* SPDX-License-Identifier: MIT */
/* Our occupancy against the calculator that comes with the toolkit. */
#include <cuda_occupancy.h>

#include "../../cmocka_main.h"
#include "gpus/gpu.h"

static cudaOccDeviceProp device_of(const struct gpu *gpu)
{
    return (cudaOccDeviceProp){
        .computeMajor = gpu->major,
        .computeMinor = gpu->minor,
        .maxThreadsPerBlock = gpu->max_threads_per_block,
        .maxThreadsPerMultiprocessor = gpu->max_threads_per_sm,
        .regsPerBlock = gpu->registers_per_block,
        .regsPerMultiprocessor = gpu->registers_per_sm,
        .warpSize = 32,
        .sharedMemPerBlock = gpu->shared_per_block,
        .sharedMemPerMultiprocessor = gpu->shared_per_sm,
        .numSms = gpu->multiprocessors,
        .sharedMemPerBlockOptin = gpu->shared_per_block_optin,
        .reservedSharedMemPerBlock = gpu->shared_reserved,
    };
}

static int toolkit_blocks(const cudaOccDeviceProp *device, int threads, int registers,
                          size_t shared)
{
    const cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = device->maxThreadsPerBlock,
        .numRegs = registers,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = device->sharedMemPerBlockOptin,
    };
    const cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult result = {.activeBlocksPerMultiprocessor = 0};

    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, device, &function, &state,
                                                             threads, shared),
                     CUDA_OCC_SUCCESS);
    return result.activeBlocksPerMultiprocessor;
}

static void compare(const char *name)
{
    char error[GPU_ERROR_SIZE];
    struct gpu gpu;

    assert_true(gpu_read(EMU_GPUS, name, &gpu, error));
    const cudaOccDeviceProp device = device_of(&gpu);
    for (int threads = 1; threads <= 1024; threads += threads < 64 ? 1 : 37)
        for (int registers = 1; registers <= 255; registers += 3)
            for (size_t shared = 0; shared <= gpu.shared_per_block_optin; shared += 5113) {
                const int expected = toolkit_blocks(&device, threads, registers, shared);
                const int blocks = gpu_blocks_per_multiprocessor(&gpu, threads, registers, shared);
                if (blocks != expected)
                    fail_msg("%s: %d threads, %d registers, %zu bytes: %d blocks, not %d", name,
                             threads, registers, shared, blocks, expected);
            }
}

TEST(default_agrees)
{
    compare("default");
}

TEST(h100_agrees)
{
    compare("h100");
}

TEST_MAIN()
