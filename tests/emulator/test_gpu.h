/* SPDX-License-Identifier: MIT */
/* The GPU that tests of the emulator run on, with the limits of today's, and what they all do with
 * its memory. No figure is any card's. */
#ifndef TEST_GPU_H
#define TEST_GPU_H

#include "machine/machine.h"

enum { TEST_GPU_MULTIPROCESSORS = 4, TEST_GPU_GLOBAL_LATENCY = 400 };

/* A GPU of `capability`, as in 75. Device memory gives 16 bytes a clock. */
static inline struct gpu test_gpu(int capability)
{
    return (struct gpu){
        .name = "emulated for tests",
        .major = capability / 10,
        .minor = capability % 10,
        .own_features = capability == 90,
        .multiprocessors = TEST_GPU_MULTIPROCESSORS,
        .max_threads_per_block = 1024,
        .max_threads_per_sm = 1024,
        .max_blocks_per_sm = 16,
        .max_cluster = capability >= 90 ? 16 : 1,
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
        .max_pitch = 2147483647,
        .texture_alignment = 512,
        .texture_pitch_alignment = 32,
        .texture_cache = 32 << 10,
        .copy_engines = 1,
        .shared_unit = 256,
        .register_unit = 256,
        .warp_unit = 4,
        .coalescing = COALESCE_SECTORS,
        .banks = 32,
        .bank_lanes = 32,
        .clock_khz = 1000000,
        .memory_clock_khz = 1000000,
        .memory_bus_bits = 64, /* 16 GB/s */
        .l2_bytes = 4 << 20,
        .schedulers = 4,
        .arithmetic_latency = 4,
        .shared_latency = 20,
        .cluster_latency = 100,
        .global_latency = TEST_GPU_GLOBAL_LATENCY,
        .launch_us = 1,
    };
}

#endif
