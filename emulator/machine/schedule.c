/* SPDX-License-Identifier: MIT */
/* In which order the blocks of a launch start, and the warps of a block take turns. */
#include "launch.h"
#include "paths.h"

/* SplitMix64. */
uint64_t schedule_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* A sequence of the block's own, the same on whatever worker it runs. */
uint64_t block_random(struct block *block)
{
    return schedule_random(&block->random);
}

uint64_t launch_cluster_at(const struct launch_state *launch, uint64_t n)
{
    const struct schedule *schedule = &launch->machine->schedule;
    const uint64_t clusters = launch->block_count / launch->cluster_size;
    const uint64_t start = n - n % launch->group, left = clusters - start;
    const uint64_t count = left < launch->group ? left : launch->group, k = n - start;
    if (schedule->kind == SCHEDULE_REVERSE)
        return start + count - 1 - k;
    if (schedule->kind == SCHEDULE_FORWARD)
        return n;
    return start + (uint64_t)(((unsigned __int128)launch->stride * k + launch->first) % count);
}

uint32_t launch_rank_at(const struct launch_state *launch, uint32_t n)
{
    switch (launch->machine->schedule.kind) {
    case SCHEDULE_REVERSE:
        return launch->cluster_size - 1 - n;
    case SCHEDULE_RANDOM:
        return (uint32_t)((n + launch->first) % launch->cluster_size);
    default:
        return n;
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void launch_choose_stride(struct launch_state *launch)
{
    if (launch->machine->schedule.kind != SCHEDULE_RANDOM)
        return;
    struct block dice = {.random = launch->machine->schedule.seed};
    const uint64_t clusters = launch->block_count / launch->cluster_size;
    const uint64_t group = launch->group < clusters ? launch->group : clusters;
    const uint64_t last = clusters % group ? clusters % group : group;
    launch->first = block_random(&dice) % group;
    launch->stride = block_random(&dice) % group + 1;
    while (common_divisor(launch->stride, group) != 1 || common_divisor(launch->stride, last) != 1)
        launch->stride++;
}

int block_warp_at(struct block *block, int turn, int *order)
{
    switch (block->launch->machine->schedule.kind) {
    case SCHEDULE_REVERSE:
        return block->warp_count - 1 - turn;
    case SCHEDULE_RANDOM: {
        for (int i = 0; turn == 0 && i < block->warp_count; i++)
            order[i] = i;
        const int left = block->warp_count - turn;
        const int pick = turn + (int)(block_random(block) % (uint64_t)left);
        const int chosen = order[pick];
        order[pick] = order[turn];
        order[turn] = chosen;
        return chosen;
    }
    default:
        return turn;
    }
}

static bool any_is(const struct block *block, enum warp_state state)
{
    for (int i = 0; i < block->warp_count; i++)
        if (block->warps[i].state == state)
            return true;
    return false;
}

static bool is_stuck(const struct block *block)
{
    for (int i = 0; i < block->warp_count; i++)
        if (block->warps[i].state == WARP_READY && !warp_is_stuck(&block->warps[i]))
            return false;
    return true;
}

/* Before a deadlock is reported: lanes that others wait for may wait for them in turn. */
static bool release(struct block *block)
{
    bool any = false;
    for (int i = 0; i < block->warp_count; i++)
        any |= warp_release(&block->warps[i]);
    return any;
}

static bool is_interrupted(struct block *block)
{
    for (int n = 0; n < block->warp_count * WARP_SIZE; n++) {
        struct warp *warp = &block->warps[n / WARP_SIZE];
        if (n % WARP_SIZE < warp->path_limit && warp_interrupted(warp, &warp->paths[n % WARP_SIZE]))
            return true;
    }
    return false;
}

enum block_status block_turn(struct block *block)
{
    const struct machine *machine = block->launch->machine;
    if (block->cluster && block->cluster->failed)
        return BLOCK_DONE;
    if (machine->signal && *machine->signal && is_interrupted(block))
        return BLOCK_DONE;
    int order[MAX_BLOCK_WARPS];
    for (int turn = 0; turn < block->warp_count; turn++) {
        struct warp *warp = &block->warps[block_warp_at(block, turn, order)];
        if (warp->state == WARP_READY)
            warp_run(warp);
        if (block->failed)
            return BLOCK_DONE;
    }
    if (block->live == 0)
        return BLOCK_DONE;
    if (!any_is(block, WARP_READY)) {
        if (any_is(block, WARP_HELD) || any_is(block, WARP_ASLEEP))
            return BLOCK_HELD;
        if (cluster_may_open(block))
            return block->launch->lockstep ? BLOCK_HELD : BLOCK_STUCK;
        if (release(block))
            return BLOCK_RUNNING;
        block_deadlock(block);
        return BLOCK_DONE;
    }
    return is_stuck(block) ? BLOCK_STUCK : BLOCK_RUNNING;
}
