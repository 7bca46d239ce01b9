/* SPDX-License-Identifier: MIT */
#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

/* Keys of clocks.h: a block has one for itself, one for each warp, one for each thread, and one for
 * what each thread has sent: that comes when it comes, whatever the thread has done since. */
static uint64_t block_key(const struct order *order, uint64_t block)
{
    return block * order->keys;
}

static uint64_t warp_key(const struct order *order, uint64_t block, uint32_t warp)
{
    return block_key(order, block) + 1 + warp;
}

static uint64_t thread_key(const struct order *order, uint64_t block, uint32_t warp, int lane)
{
    return block_key(order, block) + 1 + (uint64_t)order->warp_count + warp * WARP_SIZE +
           (uint64_t)lane;
}

static uint64_t sent_key(const struct order *order, uint64_t block, uint32_t warp, int lane)
{
    return thread_key(order, block, warp, lane) + (uint64_t)order->warp_count * WARP_SIZE;
}

void order_begin(struct order *order, const struct launch *launch)
{
    order->start = ++order->latest;
    order->warp_count = (int)dim_warps(launch->block);
    order->threads = (uint32_t)dim_count(launch->block);
    order->keys = 1 + (uint64_t)order->warp_count * (1 + 2 * WARP_SIZE);
    order->wait_key = dim_count(launch->grid) * order->keys;
    order->levels = clocks_levels(order->wait_key + 1);
}

void order_end(struct order *order)
{
    clocks_release(order->waited);
    order->waited = NULL;
}

void order_block_start(struct order *order, struct block_order *block, uint64_t number)
{
    memset(block, 0, sizeof(*block));
    block->number = number;
    block->first_thread = (uint32_t)(number * (uint64_t)order->warp_count * WARP_SIZE);
    block->base = order->start;
    block->warps = observer_allocate((size_t)order->warp_count, sizeof(*block->warps));
    for (int w = 0; w < order->warp_count; w++) {
        block->warps[w].known.base = order->start;
        for (int i = 0; i < WARP_SIZE; i++)
            block->warps[w].clocks[i] = order->start;
    }
}

/* Put `clocks`, whose reference it takes, in the place of what is there. */
static void set(struct clocks **place, struct clocks *clocks)
{
    clocks_release(*place);
    *place = clocks;
}

static void add(const struct order *order, struct clocks **place, struct clocks *more)
{
    if (more && more != *place)
        set(place, clocks_join(*place, more, order->levels));
}

static void raise_key(const struct order *order, struct clocks **place, uint64_t key,
                      uint32_t clock)
{
    if (clock > order->start)
        set(place, clocks_raise(*place, order->levels, key, clock));
}

void order_barrier_reset(struct barrier_order *barrier)
{
    set(&barrier->known, NULL);
    set(&barrier->loads, NULL);
    set(&barrier->handed_on, NULL);
    for (int s = 0; s < SCOPE_COUNT; s++)
        set(&barrier->fenced[s], NULL);
    barrier->partial = false;
}

void order_block_free(struct order *order, struct block_order *block)
{
    for (int w = 0; w < order->warp_count; w++) {
        struct warp_order *warp = &block->warps[w];
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
    block->warps = NULL;
}

bool order_heard(const struct order *order, const struct clocks *known, uint32_t thread,
                 uint32_t clock, bool sent)
{
    const uint32_t threads = (uint32_t)order->warp_count * WARP_SIZE;
    const uint64_t block = thread / threads;
    const uint32_t warp = thread % threads / WARP_SIZE;
    const int lane = (int)(thread % WARP_SIZE);

    if (sent)
        return known &&
               clock < clocks_get(known, order->levels, sent_key(order, block, warp, lane));
    return known &&
           (clock < clocks_get(known, order->levels, block_key(order, block)) ||
            clock < clocks_get(known, order->levels, warp_key(order, block, warp)) ||
            clock < clocks_get(known, order->levels, thread_key(order, block, warp, lane)));
}

static bool knows(const struct order *order, const struct block_order *block, uint32_t warp,
                  int lane, const struct knowledge *known, uint32_t thread, uint32_t clock,
                  bool sent)
{
    const uint32_t threads = (uint32_t)order->warp_count * WARP_SIZE;
    const uint64_t other_block = thread / threads;
    const uint32_t other_warp = thread % threads / WARP_SIZE;
    const int other_lane = (int)(thread % WARP_SIZE);

    if (!sent && other_block == block->number && other_warp == warp &&
        (clock < known->base || (known->lanes && clock < known->lanes[lane][other_lane])))
        return true;
    return order_heard(order, known->far[lane], thread, clock, sent);
}

bool order_knows(const struct order *order, const struct block_order *block, uint32_t warp,
                 int lane, uint32_t thread, uint32_t clock, bool sent)
{
    const uint32_t threads = (uint32_t)order->warp_count * WARP_SIZE;

    if (!sent && clock < block->base && thread / threads == block->number)
        return true;
    return knows(order, block, warp, lane, &block->warps[warp].known, thread, clock, sent);
}

bool order_knows_load(const struct order *order, const struct block_order *block, uint32_t warp,
                      int lane, uint32_t thread, uint32_t clock, bool sent)
{
    return knows(order, block, warp, lane, &block->warps[warp].loads, thread, clock, sent);
}

/* What was read from flags is known from here on. */
static void take_pending(struct order *order, struct block_order *block, struct warp_order *warp,
                         uint32_t lanes)
{
    if (!block->has_far)
        return;
    EACH_LANE(i, lanes) {
        add(order, &warp->known.far[i], warp->pending[i]);
        add(order, &warp->known.far[i], warp->handed_on[i]);
        set(&warp->pending[i], NULL);
        set(&warp->handed_on[i], NULL);
    }
}

/* The lanes come to a barrier with what they have read from flags: `handed_on` gathers it. */
static void hand_on_pending(const struct order *order, struct warp_order *warp, uint32_t lanes,
                            struct clocks **handed_on)
{
    EACH_LANE(i, lanes) {
        add(order, &warp->handed_on[i], warp->pending[i]);
        add(order, handed_on, warp->handed_on[i]);
        set(&warp->pending[i], NULL);
    }
}

/* And leave it with what all have brought. */
static void take_handed_on(const struct order *order, struct warp_order *warp, uint32_t lanes,
                           struct clocks *handed_on)
{
    EACH_LANE(lane, handed_on ? lanes : 0) {
        struct clocks **place = &warp->handed_on[lane];
        if (clocks_cover(handed_on, *place))
            set(place, clocks_keep(handed_on));
        else
            add(order, place, handed_on);
    }
}

/* All that a lane has fenced, as clocks of their own. */
static struct clocks *spell_fenced(const struct order *order, const struct block_order *block,
                                   uint32_t warp, int lane, const struct fenced *fenced)
{
    struct clocks *all = clocks_keep(fenced->far);

    raise_key(order, &all, block_key(order, block->number), fenced->base);
    raise_key(order, &all, warp_key(order, block->number, warp), fenced->warp_base);
    raise_key(order, &all, thread_key(order, block->number, warp, lane), fenced->clock);
    return all;
}

/* What a lane knows of its warp beyond the clock that all its lanes share. */
static void add_lanes(const struct order *order, const struct block_order *block, uint32_t warp,
                      int lane, const struct knowledge *known, struct clocks **clocks)
{
    for (int i = 0; known->lanes && i < WARP_SIZE; i++)
        if (known->lanes[lane][i] > known->base)
            raise_key(order, clocks, thread_key(order, block->number, warp, i),
                      known->lanes[lane][i]);
}

/* All that a lane knows of others and its own past below `clock`, as clocks of their own. */
static struct clocks *spell_known(const struct order *order, const struct block_order *block,
                                  uint32_t warp, int lane, const struct knowledge *known,
                                  uint32_t clock)
{
    struct clocks *all = clocks_keep(known->far[lane]);

    if (known->base > block->base)
        raise_key(order, &all, warp_key(order, block->number, warp), known->base);
    add_lanes(order, block, warp, lane, known, &all);
    raise_key(order, &all, thread_key(order, block->number, warp, lane), clock);
    return all;
}

static void step_on(struct order *order, uint32_t *clock)
{
    if (++*clock > order->latest)
        order->latest = *clock;
}

void order_fence(struct order *order, struct block_order *block, uint32_t warp, uint32_t lanes,
                 enum scope scope)
{
    struct warp_order *own = &block->warps[warp];

    take_pending(order, block, own, lanes);
    block->has_fenced = true;
    EACH_LANE(i, lanes) {
        step_on(order, &own->clocks[i]);
        struct clocks *far = clocks_keep(own->known.far[i]);
        add_lanes(order, block, warp, i, &own->known, &far);
        for (int s = 0; s <= (int)scope; s++) {
            struct fenced *fenced = &own->fenced[s][i];
            set(&fenced->far, clocks_keep(far));
            fenced->base = block->base;
            fenced->warp_base = own->known.base;
            fenced->clock = own->clocks[i];
        }
        clocks_release(far);
    }
}

void order_wait(struct order *order, struct block_order *block, uint32_t warp, uint32_t lanes)
{
    if (!order->waited)
        raise_key(order, &order->waited, order->wait_key, order->start + 1);
    block->has_far = true;
    EACH_LANE(i, lanes)
        add(order, &block->warps[warp].known.far[i], order->waited);
}

bool order_behind_wait(const struct order *order, const struct block_order *block, uint32_t warp,
                       int lane)
{
    const struct clocks *far = block->warps[warp].known.far[lane];

    return far && clocks_get(far, order->levels, order->wait_key);
}

/* Barriers of all threads. */

/* All threads have fenced what any of them has. */
static void spread_fenced(struct order *order, struct block_order *block, int scope)
{
    struct clocks *far = NULL;
    uint32_t base = 0, least = UINT32_MAX;

    for (int n = 0; n < order->warp_count * WARP_SIZE; n++) {
        const struct fenced *fenced = &block->warps[n / WARP_SIZE].fenced[scope][n % WARP_SIZE];
        add(order, &far, fenced->far);
        base = fenced->base > base ? fenced->base : base;
        least = fenced->clock < least ? fenced->clock : least;
    }
    base = least > base ? least : base;
    for (int n = 0; n < order->warp_count * WARP_SIZE; n++) {
        const uint32_t w = (uint32_t)(n / WARP_SIZE);
        const struct fenced *fenced = &block->warps[w].fenced[scope][n % WARP_SIZE];
        if (fenced->warp_base > base)
            raise_key(order, &far, warp_key(order, block->number, w), fenced->warp_base);
        if (fenced->clock > base)
            raise_key(order, &far, thread_key(order, block->number, w, n % WARP_SIZE),
                      fenced->clock);
    }
    for (int n = 0; n < order->warp_count * WARP_SIZE; n++) {
        struct fenced *fenced = &block->warps[n / WARP_SIZE].fenced[scope][n % WARP_SIZE];
        set(&fenced->far, clocks_keep(far));
        *fenced = (struct fenced){.far = fenced->far, .base = base};
    }
    clocks_release(far);
}

/* All know of others what any of them does. */
static void spread_far(struct order *order, struct block_order *block)
{
    struct clocks *far = NULL, *handed_on = NULL;

    for (int w = 0; w < order->warp_count; w++) {
        hand_on_pending(order, &block->warps[w], UINT32_MAX, &handed_on);
        for (int i = 0; i < WARP_SIZE; i++)
            add(order, &far, block->warps[w].known.far[i]);
    }
    for (int n = 0; n < order->warp_count * WARP_SIZE; n++)
        set(&block->warps[n / WARP_SIZE].known.far[n % WARP_SIZE], clocks_keep(far));
    for (int w = 0; w < order->warp_count; w++)
        take_handed_on(order, &block->warps[w], UINT32_MAX, handed_on);
    clocks_release(far);
    clocks_release(handed_on);
}

static void spread_far_loads(struct order *order, struct block_order *block)
{
    struct clocks *far = NULL;

    for (int n = 0; n < order->warp_count * WARP_SIZE; n++)
        add(order, &far, block->warps[n / WARP_SIZE].loads.far[n % WARP_SIZE]);
    for (int n = 0; n < order->warp_count * WARP_SIZE; n++)
        set(&block->warps[n / WARP_SIZE].loads.far[n % WARP_SIZE], clocks_keep(far));
    clocks_release(far);
}

static void forget_lanes(struct knowledge *known)
{
    free(known->lanes);
    known->lanes = NULL;
}

static void open_for_all(struct order *order, struct block_order *block)
{
    uint32_t latest = 0;

    if (block->has_far)
        spread_far(order, block);
    if (block->has_far_loads)
        spread_far_loads(order, block);
    for (int s = 0; s < SCOPE_COUNT && block->has_fenced; s++)
        spread_fenced(order, block, s);
    for (int w = 0; w < order->warp_count; w++)
        for (int i = 0; i < WARP_SIZE; i++)
            if (block->warps[w].clocks[i] > latest)
                latest = block->warps[w].clocks[i];
    step_on(order, &latest);
    block->base = latest;
    for (int w = 0; w < order->warp_count; w++) {
        struct warp_order *warp = &block->warps[w];
        warp->known.base = latest;
        if (warp->known.lanes)
            forget_lanes(&warp->known);
        if (warp->loads.lanes)
            forget_lanes(&warp->loads);
        for (int i = 0; i < WARP_SIZE; i++)
            warp->clocks[i] = latest;
    }
}

/* Barriers of some threads: what is known is gathered as they come. */

void order_arrive(struct order *order, struct block_order *block, uint32_t warp,
                  const struct barrier_event *event)
{
    struct warp_order *own = &block->warps[warp];
    struct barrier_order *barrier = &block->barriers[event->number];

    hand_on_pending(order, own, block->has_far ? event->lanes : 0, &barrier->handed_on);
    barrier->partial = barrier->partial || !event->waits;
    if (event->waits)
        block->waiting[event->number][warp] |= event->lanes;
    if (event->expected == 0)
        return;
    block->has_far = true;
    EACH_LANE(i, event->lanes) {
        step_on(order, &own->clocks[i]);
        struct clocks *known = spell_known(order, block, warp, i, &own->known, own->clocks[i]);
        add(order, &barrier->known, known);
        clocks_release(known);
        struct clocks *loads = spell_known(order, block, warp, i, &own->loads, 0);
        add(order, &barrier->loads, loads);
        clocks_release(loads);
        for (int s = 0; s < SCOPE_COUNT && block->has_fenced; s++) {
            struct clocks *fenced = spell_fenced(order, block, warp, i, &own->fenced[s][i]);
            add(order, &barrier->fenced[s], fenced);
            clocks_release(fenced);
        }
    }
}

static void open_for_some(struct order *order, struct block_order *block, int number)
{
    struct barrier_order *barrier = &block->barriers[number];

    block->has_far_loads |= barrier->loads != NULL;
    for (int n = 0; n < order->warp_count * WARP_SIZE; n++) {
        struct warp_order *warp = &block->warps[n / WARP_SIZE];
        const int lane = n % WARP_SIZE;
        if (!(block->waiting[number][n / WARP_SIZE] >> lane & 1))
            continue;
        add(order, &warp->known.far[lane], barrier->known);
        add(order, &warp->loads.far[lane], barrier->loads);
        add(order, &warp->handed_on[lane], barrier->handed_on);
        for (int s = 0; s < SCOPE_COUNT; s++)
            add(order, &warp->fenced[s][lane].far, barrier->fenced[s]);
    }
}

void order_open(struct order *order, struct block_order *block,
                const struct barrier_open_event *event)
{
    const int number = event->number;
    const bool all = event->expected == 0 ||
                     (!block->barriers[number].partial && event->expected >= order->threads);

    if (all)
        open_for_all(order, block);
    else
        open_for_some(order, block, number);
    order_barrier_reset(&block->barriers[number]);
    memset(block->waiting[number], 0, sizeof(block->waiting[number]));
}

/* Barriers of a cluster. */

/* What one of the lanes of a warp knows, and what all of them do: as a rule it is the same. */
static struct clocks *gather(const struct order *order, const struct block_order *block,
                             uint32_t warp, uint32_t lanes, const struct knowledge *known)
{
    struct clocks *all = NULL;

    EACH_LANE(lane, lanes) {
        add(order, &all, known->far[lane]);
        add_lanes(order, block, warp, lane, known, &all);
    }
    raise_key(order, &all, warp_key(order, block->number, warp), known->base);
    return all;
}

void order_cluster_arrive(struct order *order, struct block_order *block, uint32_t warp,
                          uint32_t lanes, uint32_t live, struct barrier_order *barrier)
{
    struct warp_order *own = &block->warps[warp];
    uint32_t latest = 0;

    hand_on_pending(order, own, block->has_far ? lanes : 0, &barrier->handed_on);
    EACH_LANE(lane, lanes) {
        const uint32_t clock = own->clocks[lane];
        latest = clock > latest ? clock : latest;
    }
    step_on(order, &latest);
    struct clocks *known = gather(order, block, warp, lanes, &own->known);
    raise_key(order, &known, block_key(order, block->number), block->base);
    if ((live & ~lanes) == 0) /* those that have ended count as having come */
        raise_key(order, &known, warp_key(order, block->number, warp), latest);
    EACH_LANE(lane, lanes) {
        own->clocks[lane] = latest;
        if (live & ~lanes)
            raise_key(order, &known, thread_key(order, block->number, warp, lane), latest);
        for (int s = 0; s < SCOPE_COUNT && block->has_fenced; s++) {
            struct clocks *fenced = spell_fenced(order, block, warp, lane, &own->fenced[s][lane]);
            add(order, &barrier->fenced[s], fenced);
            clocks_release(fenced);
        }
    }
    add(order, &barrier->known, known);
    clocks_release(known);
    struct clocks *loads = gather(order, block, warp, lanes, &own->loads);
    add(order, &barrier->loads, loads);
    clocks_release(loads);
}

void order_cluster_publish(struct order *order, struct block_order *block, uint32_t warp,
                           uint32_t lanes, struct barrier_order *barrier)
{
    EACH_LANE(lane, block->has_fenced ? lanes : 0) {
        struct clocks *fenced =
            spell_fenced(order, block, warp, lane, &block->warps[warp].fenced[SCOPE_GRID][lane]);
        add(order, &barrier->known, fenced);
        clocks_release(fenced);
    }
}

/* Each of the lanes knows `more`. Those that knew the same as the lane before do so again. */
static void hand_out(const struct order *order, struct clocks **far, uint32_t lanes,
                     struct clocks *more)
{
    struct clocks *before = NULL, *after = NULL;

    EACH_LANE(lane, more ? lanes : 0) {
        struct clocks **place = &far[lane];
        struct clocks *old = clocks_keep(*place);
        if (after && old == before)
            set(place, clocks_keep(after));
        else
            add(order, place, more);
        clocks_release(before);
        before = old;
        after = *place;
    }
    clocks_release(before);
}

void order_cluster_pass(struct order *order, struct block_order *block, uint32_t warp,
                        uint32_t lanes, const struct barrier_order *barrier)
{
    struct warp_order *own = &block->warps[warp];

    block->has_far |= barrier->known || barrier->handed_on;
    block->has_far_loads |= barrier->loads != NULL;
    block->has_fenced |= barrier->fenced[SCOPE_BLOCK] != NULL;
    hand_out(order, own->known.far, lanes, barrier->known);
    hand_out(order, own->loads.far, lanes, barrier->loads);
    take_handed_on(order, own, lanes, barrier->handed_on);
    for (int s = 0; s < SCOPE_COUNT && barrier->fenced[s]; s++)
        EACH_LANE(lane, lanes)
            add(order, &own->fenced[s][lane].far, barrier->fenced[s]);
}

struct clocks *order_all_known(const struct order *order, const struct block_order *block)
{
    struct clocks *all = NULL;

    for (int w = 0; w < order->warp_count; w++)
        for (int i = 0; i < WARP_SIZE; i++)
            add(order, &all, block->warps[w].known.far[i]);
    return all;
}

/* Barriers of a warp. */

/* All lanes of the warp know `known` of each other. */
static void join_all_lanes(struct order *order, struct warp_order *warp, struct knowledge *known)
{
    uint32_t latest = warp->clocks[0];

    for (int i = 1; i < WARP_SIZE; i++)
        latest = warp->clocks[i] > latest ? warp->clocks[i] : latest;
    step_on(order, &latest);
    if (known->lanes)
        forget_lanes(known);
    known->base = latest;
    for (int i = 0; i < WARP_SIZE; i++)
        warp->clocks[i] = latest;
}

static void join_some_lanes(struct order *order, struct warp_order *warp, struct knowledge *known,
                            uint32_t lanes)
{
    uint32_t row[WARP_SIZE] = {0};

    if (!known->lanes) {
        known->lanes = observer_allocate(WARP_SIZE, sizeof(*known->lanes));
        for (int n = 0; n < WARP_SIZE * WARP_SIZE; n++)
            known->lanes[n / WARP_SIZE][n % WARP_SIZE] = known->base;
    }
    EACH_LANE(i, lanes) {
        step_on(order, &warp->clocks[i]);
        known->lanes[i][i] = warp->clocks[i];
        for (int k = 0; k < WARP_SIZE; k++)
            row[k] = known->lanes[i][k] > row[k] ? known->lanes[i][k] : row[k];
    }
    EACH_LANE(i, lanes)
        memcpy(known->lanes[i], row, sizeof(row));
}

static void join_lanes(struct order *order, struct warp_order *warp, struct knowledge *known,
                       uint32_t lanes, uint32_t live)
{
    if ((live & ~lanes) == 0)
        join_all_lanes(order, warp, known);
    else
        join_some_lanes(order, warp, known, lanes);
}

static bool is_one_version(struct clocks *const *clocks, uint32_t lanes)
{
    const struct clocks *first = clocks[__builtin_ctz(lanes)];

    EACH_LANE(i, lanes)
        if (clocks[i] != first)
            return false;
    return true;
}

/* What one of the lanes has, all have; as a rule nothing is new since they last joined. */
static void join_clocks(const struct order *order, struct clocks **clocks, uint32_t lanes)
{
    struct clocks *all = NULL;

    if (is_one_version(clocks, lanes))
        return;
    EACH_LANE(i, lanes)
        add(order, &all, clocks[i]);
    EACH_LANE(i, lanes)
        set(&clocks[i], clocks_keep(all));
    clocks_release(all);
}

/* Have the lanes fenced the same, as lanes in step do? */
static bool is_one_fence(const struct fenced *fenced, uint32_t lanes)
{
    const struct fenced *first = &fenced[__builtin_ctz(lanes)];

    EACH_LANE(i, lanes)
        if ((fenced[i].far != first->far || fenced[i].base != first->base ||
             fenced[i].warp_base != first->warp_base || fenced[i].clock != first->clock))
            return false;
    return true;
}

/* All lanes of the warp below the clock of each. */
static void join_one_fence(struct fenced *fenced)
{
    for (int i = 0; i < WARP_SIZE; i++) {
        if (fenced[i].clock > fenced[i].warp_base)
            fenced[i].warp_base = fenced[i].clock;
        fenced[i].clock = 0;
    }
}

static void join_fenced(struct order *order, struct block_order *block, uint32_t warp,
                        uint32_t lanes, int scope)
{
    struct fenced *fenced = block->warps[warp].fenced[scope];
    struct clocks *all = NULL;

    const bool same = is_one_fence(fenced, lanes);
    if (same && lanes == UINT32_MAX)
        join_one_fence(fenced);
    if (same && fenced[__builtin_ctz(lanes)].clock == 0)
        return;
    EACH_LANE(i, lanes) {
        struct clocks *one = spell_fenced(order, block, warp, i, &fenced[i]);
        add(order, &all, one);
        clocks_release(one);
    }
    EACH_LANE(i, lanes) {
        set(&fenced[i].far, clocks_keep(all));
        fenced[i] = (struct fenced){.far = fenced[i].far};
    }
    clocks_release(all);
}

/* What has come from others, and what goes to them. */
static void join_others(struct order *order, struct block_order *block, uint32_t warp,
                        uint32_t lanes)
{
    struct warp_order *own = &block->warps[warp];

    if (block->has_far)
        join_clocks(order, own->known.far, lanes);
    if (block->has_far_loads)
        join_clocks(order, own->loads.far, lanes);
    for (int s = 0; s < SCOPE_COUNT && block->has_fenced; s++)
        join_fenced(order, block, warp, lanes, s);
}

void order_warp_barrier(struct order *order, struct block_order *block, uint32_t warp,
                        uint32_t lanes, uint32_t live)
{
    struct warp_order *own = &block->warps[warp];
    struct clocks *handed_on = NULL;

    hand_on_pending(order, own, block->has_far ? lanes : 0, &handed_on);
    take_handed_on(order, own, lanes, handed_on);
    clocks_release(handed_on);
    join_others(order, block, warp, lanes);
    join_lanes(order, own, &own->known, lanes, live);
}

void order_collective(struct order *order, struct block_order *block, uint32_t warp, uint32_t lanes,
                      uint32_t live)
{
    struct warp_order *own = &block->warps[warp];

    if (block->has_far)
        join_clocks(order, own->pending, lanes);
    join_others(order, block, warp, lanes);
    join_lanes(order, own, &own->loads, lanes, live);
}

/* Flags. */

bool order_has_fenced(const struct block_order *block, uint32_t warp, int lane)
{
    const struct fenced *fenced = &block->warps[warp].fenced[SCOPE_BLOCK][lane];

    return block->has_fenced && (fenced->far || fenced->base || fenced->clock);
}

void order_publish(struct order *order, struct block_order *block, uint32_t warp, int lane,
                   struct flag *flag, bool adds)
{
    for (int s = 0; s < SCOPE_COUNT; s++) {
        struct clocks *fenced =
            spell_fenced(order, block, warp, lane, &block->warps[warp].fenced[s][lane]);
        if (!adds || (s == SCOPE_BLOCK && flag->block != block->number))
            set(&flag->carried[s], NULL);
        add(order, &flag->carried[s], fenced);
        clocks_release(fenced);
    }
    flag->block = block->number;
}

void order_publish_loads(struct order *order, struct block_order *block, uint32_t warp, int lane,
                         struct flag *flag)
{
    struct warp_order *own = &block->warps[warp];

    step_on(order, &own->clocks[lane]);
    struct clocks *known = spell_known(order, block, warp, lane, &own->known, own->clocks[lane]);
    raise_key(order, &known, block_key(order, block->number), block->base);
    struct clocks *loads = spell_known(order, block, warp, lane, &own->loads, 0);
    add(order, &known, loads);
    clocks_release(loads);
    set(&flag->loads, known);
}

void order_mbarrier_arrive(struct order *order, struct block_order *block, uint32_t warp, int lane,
                           struct flag *flag, bool releases)
{
    struct warp_order *own = &block->warps[warp];

    step_on(order, &own->clocks[lane]);
    struct clocks *known = spell_known(order, block, warp, lane, &own->known, own->clocks[lane]);
    raise_key(order, &known, block_key(order, block->number), block->base);
    add(order, &flag->loads, known);
    if (releases)
        add(order, &flag->carried[SCOPE_GRID], known);
    clocks_release(known);
    struct clocks *loads = spell_known(order, block, warp, lane, &own->loads, 0);
    add(order, &flag->loads, loads);
    clocks_release(loads);
}

uint32_t order_land(struct order *order, struct flag *flag, uint32_t sender)
{
    const uint32_t threads = (uint32_t)order->warp_count * WARP_SIZE;
    const uint32_t clock = ++order->latest;

    raise_key(
        order, &flag->carried[SCOPE_GRID],
        sent_key(order, sender / threads, sender % threads / WARP_SIZE, (int)(sender % WARP_SIZE)),
        ++order->latest);
    return clock;
}

void order_flag_reset(struct flag *flag)
{
    for (int s = 0; s < SCOPE_COUNT; s++)
        set(&flag->carried[s], NULL);
    set(&flag->loads, NULL);
}

void order_acquire(struct order *order, struct block_order *block, uint32_t warp, int lane,
                   const struct flag *flag, bool acquires)
{
    struct warp_order *own = &block->warps[warp];
    struct clocks **place = acquires ? &own->known.far[lane] : &own->pending[lane];

    for (int s = 0; s < SCOPE_COUNT; s++) {
        if ((s == SCOPE_BLOCK && flag->block != block->number) ||
            clocks_cover(own->known.far[lane], flag->carried[s]))
            continue;
        block->has_far = true;
        add(order, place, flag->carried[s]);
    }
    block->has_far_loads |= flag->loads != NULL;
    if (!clocks_cover(own->loads.far[lane], flag->loads))
        add(order, &own->loads.far[lane], flag->loads);
}
