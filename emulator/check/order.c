/* SPDX-License-Identifier: MIT */
#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

#define EACH_WARP(warp, block)                     \
    for (struct warp_order *warp = (block)->warps; \
         warp < (block)->warps + (block)->order->warp_count; warp++)
/* Each slot for a thread, too: the last warp may have more than it has threads. */
#define EACH_SLOT(warp, lane, block) \
    EACH_WARP(warp, block)           \
        for (int lane = 0; lane < WARP_SIZE; lane++)

/* Keys of clocks.h: a block has one for itself, one for each warp, one for each thread, and one for
 * what each thread has sent: that arrives when it will, whatever the thread has done since. */
static uint64_t block_key(const struct order *order, uint32_t thread)
{
    return thread / order->slots * order->keys;
}

static uint64_t warp_key(const struct order *order, uint32_t thread)
{
    return block_key(order, thread) + 1 + thread % order->slots / WARP_SIZE;
}

static uint64_t thread_key(const struct order *order, uint32_t thread)
{
    return block_key(order, thread) + 1 + (uint64_t)order->warp_count + thread % order->slots;
}

static uint64_t sent_key(const struct order *order, uint32_t thread)
{
    return thread_key(order, thread) + order->slots;
}

void order_begin(struct order *order, const struct launch *launch)
{
    order->start = ++order->latest;
    order->warp_count = (int)dim_warps(launch->block);
    order->slots = (uint32_t)order->warp_count * WARP_SIZE;
    order->threads = (uint32_t)dim_count(launch->block);
    order->keys = 1 + (uint64_t)order->warp_count * (1 + 2 * WARP_SIZE);
    order->wait_key = dim_count(launch->grid) * order->keys;
    order->levels = clocks_levels(order->wait_key + 1);
}

void order_end(struct order *order)
{
    clocks_set(&order->waited, NULL);
}

void order_block_start(struct order *order, struct block_order *block, uint64_t number)
{
    *block = (struct block_order){.order = order,
                                  .number = number,
                                  .first_thread = (uint32_t)(number * order->slots),
                                  .base = order->start};
    block->warps = observer_allocate((size_t)order->warp_count, sizeof(*block->warps));
    EACH_WARP(warp, block) {
        warp->block = block;
        warp->first_thread = block->first_thread + (uint32_t)(warp - block->warps) * WARP_SIZE;
        warp->known.base = order->start;
        for (int i = 0; i < WARP_SIZE; i++)
            warp->clocks[i] = order->start;
    }
}

static void add(const struct order *order, struct clocks **target, struct clocks *more)
{
    clocks_add(target, more, order->levels);
}

/* Add `more`, and give its reference back. */
static void take(const struct order *order, struct clocks **target, struct clocks *more)
{
    add(order, target, more);
    clocks_release(more);
}

static void raise_key(const struct order *order, struct clocks **target, uint64_t key,
                      uint32_t clock)
{
    if (clock > order->start)
        clocks_set(target, clocks_raise(*target, order->levels, key, clock));
}

void order_barrier_reset(struct barrier_order *barrier)
{
    clocks_set(&barrier->known, NULL);
    clocks_set(&barrier->loads, NULL);
    clocks_set(&barrier->handed_on, NULL);
    for (int s = 0; s < SCOPE_COUNT; s++)
        clocks_set(&barrier->fenced[s], NULL);
    barrier->partial = false;
}

void order_block_free(struct block_order *block)
{
    EACH_WARP(warp, block) {
        for (int i = 0; i < WARP_SIZE; i++) {
            clocks_release(warp->known.far[i]);
            clocks_release(warp->loads.far[i]);
            clocks_release(warp->pending[i]);
            clocks_release(warp->handed_on[i]);
            for (int s = 0; s < SCOPE_COUNT; s++)
                clocks_release(warp->fenced[s][i].far);
        }
        free(warp->known.lanes);
        free(warp->loads.lanes);
    }
    for (int i = 0; i < ORDER_BARRIERS; i++)
        order_barrier_reset(&block->barriers[i]);
    free(block->warps);
}

/* What threads know. */

static void step_on(struct order *order, uint32_t *clock)
{
    if (++*clock > order->latest)
        order->latest = *clock;
}

bool order_heard(const struct order *order, const struct clocks *known, struct epoch epoch)
{
    if (!known)
        return false;
    if (epoch.sent)
        return epoch.clock < clocks_get(known, order->levels, sent_key(order, epoch.thread));
    return epoch.clock < clocks_get(known, order->levels, block_key(order, epoch.thread)) ||
           epoch.clock < clocks_get(known, order->levels, warp_key(order, epoch.thread)) ||
           epoch.clock < clocks_get(known, order->levels, thread_key(order, epoch.thread));
}

static bool knows(const struct warp_order *warp, int lane, const struct knowledge *known,
                  struct epoch epoch)
{
    const uint32_t other_lane = epoch.thread - warp->first_thread;

    return (!epoch.sent && other_lane < WARP_SIZE &&
            (epoch.clock < known->base ||
             (known->lanes && epoch.clock < known->lanes[lane][other_lane]))) ||
           order_heard(warp->block->order, known->far[lane], epoch);
}

bool order_knows(const struct warp_order *warp, int lane, struct epoch epoch)
{
    return (!epoch.sent && epoch.clock < warp->block->base &&
            epoch.thread - warp->block->first_thread < warp->block->order->slots) ||
           knows(warp, lane, &warp->known, epoch);
}

bool order_knows_load(const struct warp_order *warp, int lane, struct epoch epoch)
{
    return knows(warp, lane, &warp->loads, epoch);
}

struct clocks *order_all_known(const struct block_order *block)
{
    struct clocks *all = NULL;

    EACH_SLOT(warp, i, block)
        add(block->order, &all, warp->known.far[i]);
    return all;
}

/* All that the lane has fenced, written as clocks. */
static struct clocks *spell_fenced(const struct warp_order *warp, int lane, int scope)
{
    const struct order *order = warp->block->order;
    const uint32_t thread = order_thread(warp, lane);
    const struct fenced *fenced = &warp->fenced[scope][lane];
    struct clocks *all = clocks_keep(fenced->far);

    raise_key(order, &all, block_key(order, thread), fenced->base);
    raise_key(order, &all, warp_key(order, thread), fenced->warp_base);
    raise_key(order, &all, thread_key(order, thread), fenced->clock);
    return all;
}

/* Add what a lane knows of its warp beyond the clock that all its lanes share. */
static void add_lanes(const struct warp_order *warp, int lane, const struct knowledge *known,
                      struct clocks **clocks)
{
    const struct order *order = warp->block->order;

    for (int i = 0; known->lanes && i < WARP_SIZE; i++)
        if (known->lanes[lane][i] > known->base)
            raise_key(order, clocks, thread_key(order, order_thread(warp, i)),
                      known->lanes[lane][i]);
}

/* All that the lane knows of others, written as clocks. */
static struct clocks *spell(const struct warp_order *warp, int lane, const struct knowledge *known)
{
    const struct order *order = warp->block->order;
    struct clocks *all = clocks_keep(known->far[lane]);

    if (known->base > warp->block->base)
        raise_key(order, &all, warp_key(order, warp->first_thread), known->base);
    add_lanes(warp, lane, known, &all);
    return all;
}

/* The same with the lane's own past, which ends here: its clock steps on. */
static struct clocks *spell_past(struct warp_order *warp, int lane)
{
    struct order *order = warp->block->order;
    struct clocks *all = spell(warp, lane, &warp->known);

    step_on(order, &warp->clocks[lane]);
    raise_key(order, &all, thread_key(order, order_thread(warp, lane)), warp->clocks[lane]);
    return all;
}

/* The same with what all threads of its block know of each other. */
static struct clocks *spell_all(struct warp_order *warp, int lane)
{
    const struct block_order *block = warp->block;
    struct clocks *all = spell_past(warp, lane);

    raise_key(block->order, &all, block_key(block->order, block->first_thread), block->base);
    return all;
}

static void add_fenced(const struct warp_order *warp, int lane, struct barrier_order *barrier)
{
    for (int s = 0; s < SCOPE_COUNT && warp->block->has_fenced; s++)
        take(warp->block->order, &barrier->fenced[s], spell_fenced(warp, lane, s));
}

/* What was read from flags is known from here on. */
static void take_pending(struct warp_order *warp, uint32_t lanes)
{
    const struct order *order = warp->block->order;

    EACH_LANE(i, warp->block->has_far ? lanes : 0) {
        add(order, &warp->known.far[i], warp->pending[i]);
        add(order, &warp->known.far[i], warp->handed_on[i]);
        clocks_set(&warp->pending[i], NULL);
        clocks_set(&warp->handed_on[i], NULL);
    }
}

/* The lanes arrive at a barrier: `handed_on` gathers what they have read from flags. */
static void hand_on_pending(struct warp_order *warp, uint32_t lanes, struct clocks **handed_on)
{
    const struct order *order = warp->block->order;

    EACH_LANE(i, warp->block->has_far ? lanes : 0) {
        add(order, &warp->handed_on[i], warp->pending[i]);
        add(order, handed_on, warp->handed_on[i]);
        clocks_set(&warp->pending[i], NULL);
    }
}

/* The lanes leave the barrier, and what it gathered is handed on to each. */
static void take_handed_on(struct warp_order *warp, uint32_t lanes, struct clocks *handed_on)
{
    EACH_LANE(lane, handed_on ? lanes : 0) {
        struct clocks **target = &warp->handed_on[lane];
        if (clocks_cover(handed_on, *target))
            clocks_set(target, clocks_keep(handed_on));
        else
            add(warp->block->order, target, handed_on);
    }
}

void order_fence(struct warp_order *warp, uint32_t lanes, enum scope scope)
{
    struct block_order *block = warp->block;

    take_pending(warp, lanes);
    block->has_fenced = true;
    EACH_LANE(i, lanes) {
        step_on(block->order, &warp->clocks[i]);
        struct clocks *far = clocks_keep(warp->known.far[i]);
        add_lanes(warp, i, &warp->known, &far);
        for (int s = 0; s <= (int)scope; s++) {
            clocks_release(warp->fenced[s][i].far);
            warp->fenced[s][i] = (struct fenced){.far = clocks_keep(far),
                                                 .base = block->base,
                                                 .warp_base = warp->known.base,
                                                 .clock = warp->clocks[i]};
        }
        clocks_release(far);
    }
}

void order_wait(struct warp_order *warp, uint32_t lanes)
{
    struct order *order = warp->block->order;

    if (!order->waited)
        raise_key(order, &order->waited, order->wait_key, order->start + 1);
    warp->block->has_far = true;
    EACH_LANE(i, lanes)
        add(order, &warp->known.far[i], order->waited);
}

bool order_behind_wait(const struct warp_order *warp, int lane)
{
    const struct order *order = warp->block->order;
    const struct clocks *far = warp->known.far[lane];

    return far && clocks_get(far, order->levels, order->wait_key);
}

/* Barriers of all threads. */

/* Everything that one of the threads has fenced, all have. */
static void spread_fenced(struct block_order *block, int scope)
{
    const struct order *order = block->order;
    struct clocks *far = NULL;
    uint32_t base = 0, least = UINT32_MAX;

    EACH_SLOT(warp, i, block) {
        const struct fenced *fenced = &warp->fenced[scope][i];
        add(order, &far, fenced->far);
        base = fenced->base > base ? fenced->base : base;
        least = fenced->clock < least ? fenced->clock : least;
    }
    base = least > base ? least : base;
    EACH_SLOT(warp, i, block) {
        const struct fenced *fenced = &warp->fenced[scope][i];
        const uint32_t thread = order_thread(warp, i);
        if (fenced->warp_base > base)
            raise_key(order, &far, warp_key(order, thread), fenced->warp_base);
        if (fenced->clock > base)
            raise_key(order, &far, thread_key(order, thread), fenced->clock);
    }
    EACH_SLOT(warp, i, block) {
        clocks_release(warp->fenced[scope][i].far);
        warp->fenced[scope][i] = (struct fenced){.far = clocks_keep(far), .base = base};
    }
    clocks_release(far);
}

/* Everything that one of the threads knows of other blocks, all know. */
static void spread_far(struct block_order *block)
{
    struct clocks *far = order_all_known(block), *handed_on = NULL;

    EACH_WARP(warp, block)
        hand_on_pending(warp, UINT32_MAX, &handed_on);
    EACH_WARP(warp, block) {
        for (int i = 0; i < WARP_SIZE; i++)
            clocks_set(&warp->known.far[i], clocks_keep(far));
        take_handed_on(warp, UINT32_MAX, handed_on);
    }
    clocks_release(far);
    clocks_release(handed_on);
}

static void spread_far_loads(struct block_order *block)
{
    struct clocks *far = NULL;

    EACH_SLOT(warp, i, block)
        add(block->order, &far, warp->loads.far[i]);
    EACH_SLOT(warp, i, block)
        clocks_set(&warp->loads.far[i], clocks_keep(far));
    clocks_release(far);
}

static void forget_lanes(struct knowledge *known)
{
    free(known->lanes);
    known->lanes = NULL;
}

static void open_for_all(struct block_order *block)
{
    uint32_t latest = 0;

    if (block->has_far)
        spread_far(block);
    if (block->has_far_loads)
        spread_far_loads(block);
    for (int s = 0; s < SCOPE_COUNT && block->has_fenced; s++)
        spread_fenced(block, s);
    EACH_SLOT(warp, i, block)
        latest = warp->clocks[i] > latest ? warp->clocks[i] : latest;
    step_on(block->order, &latest);
    block->base = latest;
    EACH_WARP(warp, block) {
        warp->known.base = latest;
        forget_lanes(&warp->known);
        forget_lanes(&warp->loads);
        for (int i = 0; i < WARP_SIZE; i++)
            warp->clocks[i] = latest;
    }
}

/* Barriers of some threads: what they know is gathered as they arrive. */

void order_arrive(struct warp_order *warp, const struct barrier_event *event)
{
    struct block_order *block = warp->block;
    const struct order *order = block->order;
    struct barrier_order *barrier = &block->barriers[event->number];

    hand_on_pending(warp, event->lanes, &barrier->handed_on);
    barrier->partial = barrier->partial || !event->waits;
    if (event->waits)
        block->waiting[event->number][warp - block->warps] |= event->lanes;
    if (event->expected == 0)
        return;
    block->has_far = true;
    EACH_LANE(i, event->lanes) {
        take(order, &barrier->known, spell_past(warp, i));
        take(order, &barrier->loads, spell(warp, i, &warp->loads));
        add_fenced(warp, i, barrier);
    }
}

static void open_for_some(struct block_order *block, int number)
{
    const struct order *order = block->order;
    struct barrier_order *barrier = &block->barriers[number];

    block->has_far_loads |= barrier->loads != NULL;
    EACH_WARP(warp, block)
        EACH_LANE(lane, block->waiting[number][warp - block->warps]) {
            add(order, &warp->known.far[lane], barrier->known);
            add(order, &warp->loads.far[lane], barrier->loads);
            add(order, &warp->handed_on[lane], barrier->handed_on);
            for (int s = 0; s < SCOPE_COUNT; s++)
                add(order, &warp->fenced[s][lane].far, barrier->fenced[s]);
        }
}

void order_open(struct block_order *block, const struct barrier_open_event *event)
{
    struct barrier_order *barrier = &block->barriers[event->number];

    if (event->expected == 0 || (!barrier->partial && event->expected >= block->order->threads))
        open_for_all(block);
    else
        open_for_some(block, event->number);
    order_barrier_reset(barrier);
    memset(block->waiting[event->number], 0, sizeof(block->waiting[event->number]));
}

/* Barriers of a cluster. */

/* What the lanes of a warp know, all together. */
static struct clocks *gather(const struct warp_order *warp, uint32_t lanes,
                             const struct knowledge *known)
{
    const struct order *order = warp->block->order;
    struct clocks *all = NULL;

    EACH_LANE(lane, lanes) {
        add(order, &all, known->far[lane]);
        add_lanes(warp, lane, known, &all);
    }
    raise_key(order, &all, warp_key(order, warp->first_thread), known->base);
    return all;
}

void order_cluster_arrive(struct warp_order *warp, uint32_t lanes, uint32_t live,
                          struct barrier_order *barrier)
{
    const struct block_order *block = warp->block;
    struct order *order = block->order;
    uint32_t latest = 0;

    hand_on_pending(warp, lanes, &barrier->handed_on);
    EACH_LANE(lane, lanes)
        latest = warp->clocks[lane] > latest ? warp->clocks[lane] : latest;
    step_on(order, &latest);
    struct clocks *known = gather(warp, lanes, &warp->known);
    raise_key(order, &known, block_key(order, block->first_thread), block->base);
    if ((live & ~lanes) == 0) /* those that have ended count as having arrived */
        raise_key(order, &known, warp_key(order, warp->first_thread), latest);
    EACH_LANE(lane, lanes) {
        warp->clocks[lane] = latest;
        if (live & ~lanes)
            raise_key(order, &known, thread_key(order, order_thread(warp, lane)), latest);
        add_fenced(warp, lane, barrier);
    }
    take(order, &barrier->known, known);
    take(order, &barrier->loads, gather(warp, lanes, &warp->loads));
}

void order_cluster_publish(struct warp_order *warp, uint32_t lanes, struct barrier_order *barrier)
{
    EACH_LANE(lane, warp->block->has_fenced ? lanes : 0)
        take(warp->block->order, &barrier->known, spell_fenced(warp, lane, SCOPE_GRID));
}

void order_cluster_pass(struct warp_order *warp, uint32_t lanes,
                        const struct barrier_order *barrier)
{
    struct block_order *block = warp->block;

    block->has_far |= barrier->known || barrier->handed_on;
    block->has_far_loads |= barrier->loads != NULL;
    block->has_fenced |= barrier->fenced[SCOPE_BLOCK] != NULL;
    clocks_hand_out(warp->known.far, lanes, barrier->known, block->order->levels);
    clocks_hand_out(warp->loads.far, lanes, barrier->loads, block->order->levels);
    take_handed_on(warp, lanes, barrier->handed_on);
    for (int s = 0; s < SCOPE_COUNT && barrier->fenced[s]; s++)
        EACH_LANE(lane, lanes)
            add(block->order, &warp->fenced[s][lane].far, barrier->fenced[s]);
}

/* Barriers of a warp. */

/* All lanes of the warp know `known` of each other. */
static void join_all_lanes(struct warp_order *warp, struct knowledge *known)
{
    uint32_t latest = warp->clocks[0];

    for (int i = 1; i < WARP_SIZE; i++)
        latest = warp->clocks[i] > latest ? warp->clocks[i] : latest;
    step_on(warp->block->order, &latest);
    forget_lanes(known);
    known->base = latest;
    for (int i = 0; i < WARP_SIZE; i++)
        warp->clocks[i] = latest;
}

static void join_some_lanes(struct warp_order *warp, struct knowledge *known, uint32_t lanes)
{
    uint32_t row[WARP_SIZE] = {0};

    if (!known->lanes) {
        known->lanes = observer_allocate(WARP_SIZE, sizeof(*known->lanes));
        for (int n = 0; n < WARP_SIZE * WARP_SIZE; n++)
            known->lanes[n / WARP_SIZE][n % WARP_SIZE] = known->base;
    }
    EACH_LANE(i, lanes) {
        step_on(warp->block->order, &warp->clocks[i]);
        known->lanes[i][i] = warp->clocks[i];
        for (int k = 0; k < WARP_SIZE; k++)
            row[k] = known->lanes[i][k] > row[k] ? known->lanes[i][k] : row[k];
    }
    EACH_LANE(i, lanes)
        memcpy(known->lanes[i], row, sizeof(row));
}

static void join_lanes(struct warp_order *warp, struct knowledge *known, uint32_t lanes,
                       uint32_t live)
{
    if ((live & ~lanes) == 0)
        join_all_lanes(warp, known);
    else
        join_some_lanes(warp, known, lanes);
}

/* Have the lanes fenced the same? Lanes in step have. */
static bool is_one_fence(const struct fenced *fenced, uint32_t lanes)
{
    const struct fenced *first = &fenced[__builtin_ctz(lanes)];

    EACH_LANE(i, lanes)
        if (fenced[i].far != first->far || fenced[i].base != first->base ||
            fenced[i].warp_base != first->warp_base || fenced[i].clock != first->clock)
            return false;
    return true;
}

/* All lanes of the warp have fenced what is below the clock of each. */
static void join_one_fence(struct fenced *fenced)
{
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint32_t clock = fenced[i].clock, base = fenced[i].warp_base;
        fenced[i].warp_base = clock > base ? clock : base;
        fenced[i].clock = 0;
    }
}

static void join_fenced(struct warp_order *warp, uint32_t lanes, int scope)
{
    struct fenced *fenced = warp->fenced[scope];
    struct clocks *all = NULL;

    const bool same = is_one_fence(fenced, lanes);
    if (same && lanes == UINT32_MAX)
        join_one_fence(fenced);
    if (same && fenced[__builtin_ctz(lanes)].clock == 0)
        return;
    EACH_LANE(i, lanes)
        take(warp->block->order, &all, spell_fenced(warp, i, scope));
    EACH_LANE(i, lanes) {
        clocks_release(fenced[i].far);
        fenced[i] = (struct fenced){.far = clocks_keep(all)};
    }
    clocks_release(all);
}

/* What one of the lanes knows of other warps, or has fenced, all know and have fenced. */
static void join_others(struct warp_order *warp, uint32_t lanes)
{
    const struct block_order *block = warp->block;

    if (block->has_far)
        clocks_share(warp->known.far, lanes, block->order->levels);
    if (block->has_far_loads)
        clocks_share(warp->loads.far, lanes, block->order->levels);
    for (int s = 0; s < SCOPE_COUNT && block->has_fenced; s++)
        join_fenced(warp, lanes, s);
}

void order_warp_barrier(struct warp_order *warp, uint32_t lanes, uint32_t live)
{
    struct clocks *handed_on = NULL;

    hand_on_pending(warp, lanes, &handed_on);
    take_handed_on(warp, lanes, handed_on);
    clocks_release(handed_on);
    join_others(warp, lanes);
    join_lanes(warp, &warp->known, lanes, live);
}

void order_collective(struct warp_order *warp, uint32_t lanes, uint32_t live)
{
    if (warp->block->has_far)
        clocks_share(warp->pending, lanes, warp->block->order->levels);
    join_others(warp, lanes);
    join_lanes(warp, &warp->loads, lanes, live);
}

/* Flags. */

bool order_has_fenced(const struct warp_order *warp, int lane)
{
    const struct fenced *fenced = &warp->fenced[SCOPE_BLOCK][lane];

    return warp->block->has_fenced && (fenced->far || fenced->base || fenced->clock);
}

void order_publish(struct warp_order *warp, int lane, struct flag *flag, bool adds)
{
    const struct block_order *block = warp->block;

    for (int s = 0; s < SCOPE_COUNT; s++) {
        if (!adds || (s == SCOPE_BLOCK && flag->block != block->number))
            clocks_set(&flag->carried[s], NULL);
        take(block->order, &flag->carried[s], spell_fenced(warp, lane, s));
    }
    flag->block = block->number;
}

void order_publish_loads(struct warp_order *warp, int lane, struct flag *flag, bool adds)
{
    if (!adds)
        clocks_set(&flag->loads, NULL);
    take(warp->block->order, &flag->loads, spell_all(warp, lane));
    take(warp->block->order, &flag->loads, spell(warp, lane, &warp->loads));
}

void order_mbarrier_arrive(struct warp_order *warp, int lane, struct flag *flag, bool releases)
{
    const struct order *order = warp->block->order;
    struct clocks *known = spell_all(warp, lane);

    if (releases)
        add(order, &flag->carried[SCOPE_GRID], known);
    take(order, &flag->loads, known);
    take(order, &flag->loads, spell(warp, lane, &warp->loads));
}

uint32_t order_land(struct order *order, struct flag *flag, uint32_t sender)
{
    const uint32_t clock = ++order->latest;

    raise_key(order, &flag->carried[SCOPE_GRID], sent_key(order, sender), ++order->latest);
    return clock;
}

void order_flag_reset(struct flag *flag)
{
    for (int s = 0; s < SCOPE_COUNT; s++)
        clocks_set(&flag->carried[s], NULL);
    clocks_set(&flag->loads, NULL);
}

void order_acquire(struct warp_order *warp, int lane, const struct flag *flag, bool acquires)
{
    struct block_order *block = warp->block;
    struct clocks **target = acquires ? &warp->known.far[lane] : &warp->pending[lane];

    for (int s = 0; s < SCOPE_COUNT; s++) {
        if ((s == SCOPE_BLOCK && flag->block != block->number) ||
            clocks_cover(warp->known.far[lane], flag->carried[s]))
            continue;
        block->has_far = true;
        add(block->order, target, flag->carried[s]);
    }
    block->has_far_loads |= flag->loads != NULL;
    if (!clocks_cover(warp->loads.far[lane], flag->loads))
        add(block->order, &warp->loads.far[lane], flag->loads);
}
