/* SPDX-License-Identifier: MIT */
#include "time/registers.h"

#include "time/g80_code.h"

int registers_launch_bounds(const struct gpu *gpu, const struct ptx_function *function)
{
    uint64_t threads = function->max_threads[0];

    for (int i = 1; i < 3; i++)
        if (function->max_threads[i])
            threads *= function->max_threads[i];
    return threads < (uint64_t)gpu->max_threads_per_block ? (int)threads
                                                          : gpu->max_threads_per_block;
}

/* The most that leave room for the blocks which the launch bounds promise. */
static int bound(const struct gpu *gpu, const struct ptx_function *function)
{
    const int threads = registers_launch_bounds(gpu, function);
    int most = gpu->max_registers;

    if (function->max_registers)
        most = least(most, function->max_registers);
    if (!threads)
        return most;
    const int room = gpu_blocks_per_multiprocessor(gpu, threads, 0, 0);
    const int wanted = function->min_blocks ? least(function->min_blocks, room) : least(1, room);
    while (most > 1 && gpu_blocks_per_multiprocessor(gpu, threads, most, 0) < wanted)
        most--;
    return most;
}

struct registers registers_of(const struct gpu *gpu, const struct ptx_function *function)
{
    if (function->ptxas_registers)
        return (struct registers){least(function->ptxas_registers, gpu->max_registers),
                                  !function->ptxas_runs_here};
    const int live = gpu->issue_clocks ? g80_registers(gpu, function) : function->live_registers;
    return (struct registers){least(live, bound(gpu, function)), true};
}
