/* SPDX-License-Identifier: MIT */
#include "check/proxy.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

/* One fence of a thread. */
struct proxy_fence {
    struct fenced known; /* what the thread knew */
    struct proxy_fence *before; /* its own, earlier one */
};

static void forget_from(struct proxy_fence *fence)
{
    while (fence) {
        struct proxy_fence *before = fence->before;
        clocks_release(fence->known.far);
        free(fence);
        fence = before;
    }
}

/* Of the fences that all threads of the block know of, the last one says it all. */
static void forget_old(struct proxy_fence *fence, const struct block_order *block)
{
    while (fence && fence->known.clock > block->base)
        fence = fence->before;
    if (fence) {
        forget_from(fence->before);
        fence->before = NULL;
    }
}

void proxy_fence(struct proxy_fences *fences, const struct order *order,
                 const struct block_order *block, uint32_t warp, uint32_t lanes)
{
    if (!fences->latest) {
        fences->threads = (uint32_t)order->warp_count * WARP_SIZE;
        fences->latest = observer_allocate(fences->threads, sizeof(*fences->latest));
    }
    EACH_LANE(lane, lanes) {
        struct proxy_fence **latest = &fences->latest[warp * WARP_SIZE + (uint32_t)lane];
        struct proxy_fence *fence = observer_allocate(1, sizeof(*fence));
        fence->known = block->warps[warp].fenced[SCOPE_BLOCK][lane];
        clocks_keep(fence->known.far);
        fence->before = *latest;
        *latest = fence;
        forget_old(fence->before, block);
    }
}

/* Did thread `by` of the block, at its fence, know of the access of `thread`? */
static bool covers(const struct proxy_fence *fence, const struct order *order, uint32_t by,
                   uint32_t thread, uint32_t clock, const struct block_order *block)
{
    const uint32_t local = thread - block->first_thread;

    return clock < fence->known.base || (by == local && clock < fence->known.clock) ||
           (by / WARP_SIZE == local / WARP_SIZE && clock < fence->known.warp_base) ||
           order_heard(order, fence->known.far, thread, clock, false);
}

bool proxy_is_fenced(const struct proxy_fences *fences, const struct order *order,
                     const struct block_order *block, uint32_t warp, int lane, uint32_t thread,
                     uint32_t clock)
{
    const uint32_t me = warp * WARP_SIZE + (uint32_t)lane, local = thread - block->first_thread;

    for (uint32_t i = 0; fences->latest && i < fences->threads; i++) {
        const uint32_t by = (local + i) % fences->threads; /* as a rule it is that thread's own */
        for (const struct proxy_fence *f = fences->latest[by]; f; f = f->before)
            if (covers(f, order, by, thread, clock, block) &&
                (by == me || order_knows(order, block, warp, lane, block->first_thread + by,
                                         f->known.clock - 1, false)))
                return true;
    }
    return false;
}

void proxy_barrier_init(struct proxy_fences *fences, uint64_t address, const struct stamp *init)
{
    size_t i = 0;

    while (i < fences->barrier_count && fences->barriers[i].address != address)
        i++;
    if (i == fences->barrier_count)
        fences->barriers =
            observer_grow(fences->barriers, ++fences->barrier_count, sizeof(*fences->barriers));
    fences->barriers[i] = (struct proxy_barrier){address, *init};
}

void proxy_barriers_fence(struct proxy_fences *fences, uint32_t first, uint32_t lanes)
{
    for (size_t i = 0; i < fences->barrier_count; i++) {
        struct stamp *init = &fences->barriers[i].init;
        if (init->thread - first < WARP_SIZE && lanes >> (init->thread - first) & 1)
            init->clock = 0;
    }
}

bool proxy_barrier_unseen(struct proxy_fences *fences, const struct order *order,
                          const struct block_order *block, uint32_t warp, int lane,
                          uint64_t address, struct stamp *init)
{
    for (size_t i = 0; i < fences->barrier_count; i++) {
        struct stamp *found = &fences->barriers[i].init;
        if (fences->barriers[i].address != address || found->clock == 0)
            continue;
        *init = *found;
        found->clock = 0;
        return !proxy_is_fenced(fences, order, block, warp, lane, init->thread, init->clock);
    }
    return false;
}

void proxy_forget(struct proxy_fences *fences)
{
    for (uint32_t i = 0; fences->latest && i < fences->threads; i++)
        forget_from(fences->latest[i]);
    free(fences->latest);
    free(fences->barriers);
    *fences = (struct proxy_fences){0};
}
