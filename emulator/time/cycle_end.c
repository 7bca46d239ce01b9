/* SPDX-License-Identifier: MIT */
/* The launch has ended: what was noted of it goes through L2, the logged blocks through the
 * modelled SM, and their clocks become those of the kernel. Steps 3 to 5 of cycle.c. */
#include "time/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "gpus/coalesce.h"

/* Of the `blocks` of a launch, those of one SM, of `sms`, that come after its first `first`: to how
 * many of the first ones they are equal, by the number of their requests. The ended blocks are
 * sorted by number. */
static double blocks_to_come(const struct ended_block *ended, size_t count, uint64_t blocks,
                             uint64_t sms, uint64_t first)
{
    const uint64_t others = blocks > first * sms ? blocks - first * sms : 0;
    /* Every SM has a block of each full row, and some SMs have one of the row that is left. */
    const uint64_t full = others / sms, left = others % sms;
    double in_first = 0, in_full = 0, in_left = 0; /* whole numbers, which add up in any order */

    for (size_t i = 0; i < count; i++) {
        const uint64_t row = ended[i].number / sms;
        *(row < first          ? &in_first
          : row < first + full ? &in_full
                               : &in_left) += (double)ended[i].requests * ended[i].weight;
    }
    if (others == 0 || in_first == 0)
        return (double)(full + (left > 0));
    in_full /= (double)sms;
    in_left /= left ? (double)left : 1;
    return (in_full + in_left) / (in_first / (double)(first * sms));
}

static struct cycle_moved replay(struct cycle *cycle, int resident, struct cycle_misses *misses)
{
    const size_t sms = cycle->sms;
    size_t count = 0;

    for (int i = 0; i < cycle->worker_count; i++)
        count += cycle->workers[i].count;
    struct ended_block *all = observer_allocate(count + 1, sizeof(*all));
    count = 0;
    for (int i = 0; i < cycle->worker_count; i++) {
        if (cycle->workers[i].count)
            memcpy(&all[count], cycle->workers[i].ended, cycle->workers[i].count * sizeof(*all));
        count += cycle->workers[i].count;
    }
    for (size_t i = 0; i < count; i++)
        all[i].weight = waves_weight(&cycle->waves, all[i].number);
    const struct cycle_moved moved = l2_replay(&cycle->l2, all, count, sms, sms * (size_t)resident,
                                               misses, (size_t)cycle->code->op_count + 1);
    cycle->to_come = blocks_to_come(all, count, cycle->blocks, sms, (uint64_t)cycle->logged_blocks);
    for (size_t i = 0; i < count; i++)
        free(all[i].all);
    free(all);
    return moved;
}

/* How many times as many instructions the busiest SM issues as SM 0. That counts only where all
 * blocks run at once: of others, the later ones go to the SMs that have less to do. Nor does it
 * count where blocks wait for each other: the longer they wait, the more they issue. */
static double unevenness(const struct cycle *cycle, int resident)
{
    const uint64_t sms = cycle->sms;
    uint64_t first = 0, most = 0;

    if (cycle->blocks > sms * (uint64_t)resident)
        return 1;
    for (uint64_t sm = 0; sm < sms; sm++) {
        uint64_t issued = 0;
        for (int i = 0; i < cycle->worker_count; i++)
            issued += cycle->workers[i].issued[sm];
        first = sm == 0 ? issued : first;
        most = issued > most ? issued : most;
    }
    return first ? (double)most / (double)first : 1;
}

/* From the clocks of the logged blocks to those of all blocks of this SM. Each further wave takes
 * as long as a logged wave after the first one, and keeps the busiest unit on the way to memory
 * busy for as long; less if its blocks make fewer requests. */
static double all_clocks(struct cycle *cycle, const double *ends, double drained, int resident,
                         const struct cycle_sums *sums)
{
    const int logged = cycle->logged_blocks;
    double last = 0, first = 0, instructions = 0, kept = 0;

    for (int i = 0; i < logged; i++)
        last = later(last, ends[i]);
    for (int i = 0; i < resident && i < logged; i++)
        first = later(first, ends[i]);
    cycle->wave_clocks = logged > resident ? (last - first) * resident / (logged - resident) : last;
    /* If fewer blocks are logged than LOGGED_WAVES hold, they are all that this SM has. */
    last += cycle->to_come * cycle->wave_clocks / resident;
    drained += cycle->to_come / logged * later(sums->load_store, sums->memory);
    last = later(last, drained);
    for (int i = 0; i < logged * cycle->warps; i++) {
        const struct warp_log *log = &cycle->logs[i];
        instructions += (double)log->instructions;
        kept += (double)(log->full ? log->kept : log->instructions);
    }
    last = cycle->work.waits ? last + cycle->waits.excess : last * unevenness(cycle, resident);
    return kept > 0 ? last * instructions / kept : last;
}

/* The size of L1: what the shared memory of the resident blocks leaves of it, and an eighth at
 * least. */
static size_t l1_bytes(const struct cycle *cycle, const struct launch *launch, int resident)
{
    const struct gpu *gpu = &cycle->gpu;
    const size_t block = cycle->function->shared_bytes + launch->dynamic_shared;
    const size_t shared = (size_t)resident * (block ? block + gpu->shared_reserved : 0);
    const size_t left = shared < gpu->l1_bytes ? gpu->l1_bytes - shared : 0;

    return left > gpu->l1_bytes / 8 ? left : gpu->l1_bytes / 8;
}

/* Find out when blocks go on that wait for others: first as if none had to (cycle_waits.h). */
static void solve_waits(struct cycle *cycle)
{
    const int rows = cycle->logged_blocks;
    const uint64_t sms = cycle->sms;
    const uint64_t early = (uint64_t)rows * sms;
    double *ends = observer_allocate(WAITS_SMS * (size_t)rows + 1, sizeof(*ends));
    struct cycle_sums sums;

    waits_prepare(&cycle->waits, (size_t)rows);
    for (int sm = 0; sm < cycle->logged_sms; sm++) {
        struct sm_waits waits = cycle->waits.times;
        struct sm_work work = cycle->work;
        waits.begins += sm * rows;
        work.waits = &waits;
        work.paths = NULL;
        work.logs += sm * rows * cycle->warps;
        sums = (struct cycle_sums){0};
        cycle_sm_run(&work, &ends[sm * rows], &sums);
    }
    waits_solve(&cycle->waits,
                &(struct waits_launch){
                    .gpu = &cycle->gpu,
                    .blocks = early < cycle->blocks ? early : cycle->blocks,
                    .sms = sms,
                    .ranks = cycle->ranks,
                    .warps = (uint32_t)cycle->warps,
                    .resident = (uint32_t)cycle->work.resident,
                    .instrs = cycle->code->op_count,
                    .block_clocks = cycle->work.block_clocks,
                    .poll_clocks = cycle->work.l2_latency + cycle_poll_clocks(&cycle->gpu),
                    .ends = ends,
                });
    cycle->work.waits = &cycle->waits.times;
    free(ends);
}

/* Run the logged blocks. Returns the clocks of all blocks of the SM. */
static double run_sm(struct cycle *cycle, struct cycle_sums *sums)
{
    double *ends = observer_allocate((size_t)cycle->logged_blocks + 1, sizeof(*ends));

    const double drained = cycle_sm_run_again(&cycle->runs, &cycle->work, ends, sums);
    const double clocks = all_clocks(cycle, ends, drained, cycle->work.resident, sums);
    free(ends);
    return clocks;
}

/* Clocks between the starts of two blocks; a cluster's blocks start together. */
static double block_clocks(const struct gpu *gpu, struct dim cluster)
{
    const double size = (double)cluster.x * cluster.y * cluster.z;

    return gpu->block_clocks + (size > 1 ? gpu->cluster_clocks / size : 0);
}

/* All that cycle_sm_run() needs: the code, the logs, and this SM's part of L2 and device memory. */
static struct sm_work work_of(struct cycle *cycle, const struct launch *launch,
                              struct timing_launch *last)
{
    const struct gpu *gpu = &cycle->gpu;
    const int resident = cycle_resident_blocks(cycle, launch);
    const uint64_t sms = cycle->sms;
    struct cycle_misses *misses =
        observer_allocate((size_t)cycle->code->op_count + 1, sizeof(*misses));
    const struct cycle_moved moved = replay(cycle, resident, misses);
    const double peak = /* bytes a clock */
        2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8 / gpu->clock_khz;
    struct sm_work work = {
        .gpu = gpu,
        .code = cycle->code,
        .logs = cycle->logs,
        .blocks = cycle->logged_blocks,
        .sms = sms,
        .ranks = cycle->ranks,
        .warps = cycle->warps,
        .resident = resident,
        .sm_fraction = (double)((cycle->blocks + sms - 1) / sms) / (double)cycle->blocks,
        .misses = misses,
        .l2_latency = l2_is_far(&cycle->l2) ? gpu->l2_far_latency : gpu->l2_latency,
        .l1_bytes = l1_bytes(cycle, launch, resident),
        .block_clocks = block_clocks(gpu, launch->cluster),
    };

    work.read_clocks = SECTOR_BYTES / (peak * gpu->memory_share) / work.sm_fraction;
    work.write_clocks = SECTOR_BYTES / (peak * gpu->memory_write_share) / work.sm_fraction;
    last->memory_bytes = (uint64_t)((moved.read + moved.written) * SECTOR_BYTES);
    last->memory_ms = (moved.read * work.read_clocks + moved.written * work.write_clocks) *
                      work.sm_fraction / gpu->clock_khz;
    return work;
}

struct timing_launch cycle_conclude(struct cycle *cycle, const struct launch *launch)
{
    const struct gpu *gpu = &cycle->gpu;
    const double overhead = gpu->launch_us * 1e-3 * gpu->clock_khz;
    const int resident = cycle_resident_blocks(cycle, launch);
    struct timing_launch last = {
        .resident_blocks = resident,
        .registers = registers_of(gpu, cycle->function),
        .occupancy = (double)resident * cycle->warps * WARP_SIZE / gpu->max_threads_per_sm,
    };
    struct cycle_sums sums = {0};

    cycle->work = work_of(cycle, launch, &last);
    if (cycle->dry)
        cycle->work.paths = cycle->paths = observer_allocate(
            (size_t)cycle->logged_blocks * cycle->warps + 1, sizeof(*cycle->paths));
    if (cycle->waits.source_count)
        solve_waits(cycle);
    const double clocks = run_sm(cycle, &sums);
    last.ms = gpu->launch_us / 1000 + clocks / gpu->clock_khz;
    last.before_ms = sums.waits / gpu->clock_khz;
    last.after_ms = (sums.end - sums.allows) / gpu->clock_khz;
    cycle_split_time(&last, overhead, clocks, &sums);
    return last;
}

void cycle_draw(struct cycle *cycle)
{
    struct cycle_sums sums;

    cycle->work.paths = NULL;
    cycle->work.timeline = cycle->clock->timeline;
    run_sm(cycle, &sums);
}
