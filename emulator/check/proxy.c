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

void proxy_fence(struct proxy_fences *fences, const struct warp_order *warp, uint32_t lanes)
{
    const struct block_order *block = warp->block;
    const uint32_t first = warp->first_thread - block->first_thread;

    if (!fences->latest) {
        fences->threads = block->order->slots;
        fences->latest = observer_allocate(fences->threads, sizeof(*fences->latest));
    }
    EACH_LANE(lane, lanes) {
        struct proxy_fence **latest = &fences->latest[first + (uint32_t)lane];
        struct proxy_fence *fence = observer_allocate(1, sizeof(*fence));
        fence->known = warp->fenced[SCOPE_BLOCK][lane];
        clocks_keep(fence->known.far);
        fence->before = *latest;
        *latest = fence;
        forget_old(fence->before, block);
    }
}

/* Did thread `by` of the launch, at its fence, know of the access? */
static bool covers(const struct proxy_fence *fence, const struct order *order, uint32_t by,
                   struct epoch access)
{
    return access.clock < fence->known.base ||
           (by == access.thread && access.clock < fence->known.clock) ||
           (by / WARP_SIZE == access.thread / WARP_SIZE && access.clock < fence->known.warp_base) ||
           order_heard(order, fence->known.far, access);
}

bool proxy_is_fenced(const struct proxy_fences *fences, const struct warp_order *warp, int lane,
                     struct epoch access)
{
    const struct block_order *block = warp->block;
    const uint32_t local = access.thread - block->first_thread;

    for (uint32_t i = 0; fences->latest && i < fences->threads; i++) {
        const uint32_t n = (local + i) % fences->threads; /* as a rule it is that thread's own */
        const uint32_t by = block->first_thread + n;
        for (const struct proxy_fence *f = fences->latest[n]; f; f = f->before)
            if (covers(f, block->order, by, access) &&
                (by == order_thread(warp, lane) ||
                 order_knows(warp, lane, (struct epoch){by, f->known.clock - 1, false})))
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

bool proxy_barrier_unseen(struct proxy_fences *fences, const struct warp_order *warp, int lane,
                          uint64_t address, struct stamp *init)
{
    for (size_t i = 0; i < fences->barrier_count; i++) {
        struct stamp *found = &fences->barriers[i].init;
        if (fences->barriers[i].address != address || found->clock == 0)
            continue;
        *init = *found;
        found->clock = 0;
        return !proxy_is_fenced(fences, warp, lane,
                                (struct epoch){init->thread, init->clock, false});
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
