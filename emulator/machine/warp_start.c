/* SPDX-License-Identifier: MIT */
/* The start of a warp: special registers, its first path, the kernel's frame. */
#include "warp_start.h"

#include "frames.h"
#include "launch.h"
#include "paths.h"

static void set_special(struct warp *warp, int sreg, uint32_t value)
{
    lane_u32 *lanes = (lane_u32 *)(warp->specials + special_offset(sreg, false));
    for (int i = 0; i < WARP_SIZE; i++)
        lanes[i] = value;
}

static void set_threads(struct warp *warp)
{
    lane_u32 *x = (lane_u32 *)(warp->specials + special_offset(SREG_TID_X, false));
    lane_u32 *y = (lane_u32 *)(warp->specials + special_offset(SREG_TID_Y, false));
    lane_u32 *z = (lane_u32 *)(warp->specials + special_offset(SREG_TID_Z, false));
    struct dim thread = warp_thread(warp, 0);
    const struct dim block = warp->block->launch->launch.block;
    for (int i = 0; i < WARP_SIZE; i++) {
        x[i] = thread.x;
        y[i] = thread.y;
        z[i] = thread.z;
        if (++thread.x < block.x)
            continue;
        thread.x = 0;
        if (++thread.y < block.y)
            continue;
        thread.y = 0;
        thread.z++;
    }
}

static void set_lanes(struct warp *warp)
{
    static const struct {
        int sreg;
        bool below, self, above;
    } masks[] = {{SREG_LANEMASK_EQ, false, true, false},
                 {SREG_LANEMASK_LE, true, true, false},
                 {SREG_LANEMASK_LT, true, false, false},
                 {SREG_LANEMASK_GE, false, true, true},
                 {SREG_LANEMASK_GT, false, false, true}};
    lane_u32 *lane = (lane_u32 *)(warp->specials + special_offset(SREG_LANEID, false));
    for (uint32_t i = 0; i < WARP_SIZE; i++)
        lane[i] = i;
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        lane_u32 *mask = (lane_u32 *)(warp->specials + special_offset(masks[k].sreg, false));
        for (uint32_t i = 0; i < WARP_SIZE; i++) {
            const uint32_t self = 1u << i, below = self - 1;
            mask[i] = (masks[k].below ? below : 0) | (masks[k].self ? self : 0) |
                      (masks[k].above ? ~(self | below) : 0);
        }
    }
}

void warp_start_once(struct warp *warp)
{
    const struct launch_state *state = warp->block->launch;
    const struct launch *launch = &state->launch;
    lane_u64 *grid_id = (lane_u64 *)(warp->specials + special_offset(SREG_GRIDID, true));
    for (int i = 0; i < WARP_SIZE; i++)
        warp->paths[i].state = PATH_FREE;
    for (int i = 0; i < WARP_SIZE; i++)
        grid_id[i] = launch->number;
    set_special(warp, SREG_GRIDID, (uint32_t)launch->number);
    set_special(warp, SREG_NTID_X, launch->block.x);
    set_special(warp, SREG_NTID_Y, launch->block.y);
    set_special(warp, SREG_NTID_Z, launch->block.z);
    set_special(warp, SREG_NCTAID_X, launch->grid.x);
    set_special(warp, SREG_NCTAID_Y, launch->grid.y);
    set_special(warp, SREG_NCTAID_Z, launch->grid.z);
    set_special(warp, SREG_WARPID, warp->index);
    set_special(warp, SREG_NWARPID, (uint32_t)state->machine->gpu.max_threads_per_sm / WARP_SIZE);
    set_special(warp, SREG_NSMID, (uint32_t)state->machine->gpu.multiprocessors);
    /* Where CUDA's cooperative groups look for the grid's barrier. */
    set_special(warp, SREG_ENVREG1, (uint32_t)(launch->workspace >> 32));
    set_special(warp, SREG_ENVREG2, (uint32_t)launch->workspace);
    set_special(warp, SREG_DYNAMIC_SMEM_SIZE, (uint32_t)launch->dynamic_shared);
    set_special(warp, SREG_TOTAL_SMEM_SIZE, (uint32_t)launch->shared_bytes);
    set_lanes(warp);
    set_threads(warp);
}

static void set_cluster(struct warp *warp)
{
    const struct block *block = warp->block;
    const struct launch *launch = &block->launch->launch;
    const struct dim grid = launch->grid, size = launch->cluster, at = block->index;
    const struct {
        int first; /* of x, y, z */
        struct dim value;
    } values[] = {
        {SREG_CLUSTERID_X, block->cluster->index},
        {SREG_NCLUSTERID_X, {grid.x / size.x, grid.y / size.y, grid.z / size.z}},
        {SREG_CLUSTER_CTAID_X, {at.x % size.x, at.y % size.y, at.z % size.z}},
        {SREG_CLUSTER_NCTAID_X, size},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        set_special(warp, values[i].first, values[i].value.x);
        set_special(warp, values[i].first + 1, values[i].value.y);
        set_special(warp, values[i].first + 2, values[i].value.z);
    }
    set_special(warp, SREG_CLUSTER_CTARANK, block->rank);
    set_special(warp, SREG_CLUSTER_NCTARANK, block->launch->cluster_size);
}

void warp_start(struct warp *warp)
{
    const struct block *block = warp->block;
    const uint64_t first = (uint64_t)warp->index * WARP_SIZE;
    const uint64_t threads = block->launch->threads;
    const uint32_t lanes =
        threads - first >= WARP_SIZE ? (uint32_t)FULL_WARP : (1u << (threads - first)) - 1;
    set_special(warp, SREG_CTAID_X, block->index.x);
    set_special(warp, SREG_CTAID_Y, block->index.y);
    set_special(warp, SREG_CTAID_Z, block->index.z);
    set_special(warp, SREG_SMID, (uint32_t)warp_multiprocessor(warp));
    if (block->cluster)
        set_cluster(warp);

    memset(warp->scratch, 0, sizeof warp->scratch);
    for (int i = 0; i < warp->path_limit; i++)
        warp->paths[i].state = PATH_FREE;
    warp->records_used = 0;
    for (int i = 0; warp->watches && i < WARP_SIZE; i++)
        warp->watches[i].count = 0;
    warp->path_limit = 0;
    warp->path = NULL;
    warp->threads = lanes;
    warp->live = lanes;
    warp->carry = 0;
    warp->arrived = warp->passable = 0;
    warp->registers = warp->wanted = 0;
    warp->awaited = NULL;
    warp->issued = 0;
    warp->progress = NULL;
    warp->turning = false;
    warp->writes = warp->clocks = 0;
    warp->polled_again = false;
    warp->state = WARP_READY;
    warp->last_allocation = NULL;
    warp->base[FILE_SPECIALS] = warp->specials;
    frame_reset(warp->frame);
    warp->frame->record = (struct record){.pc = NO_PC, .expected = lanes};
    path_new(warp, lanes, 0, &warp->frame->record, warp->frame, (struct spun){0});
}
