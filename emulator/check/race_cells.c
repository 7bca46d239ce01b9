/* SPDX-License-Identifier: MIT */
#include "check/race_inside.h"

/* Are both morally strong, as PTX says: strong accesses, each in the other's scope? `old` may be of
 * a launch in front. Volatile and relaxed loads that decide nothing take the word for data, not for
 * a flag: they are so with atomics only. */
static bool are_morally_strong(const struct visit *visit, const struct stamp *old)
{
    const struct check_race *race = visit->race;
    const uint32_t threads = race->order.slots;
    const uint32_t either = old->what | visit->stamp.what;

    if (!(old->what & visit->stamp.what & STAMP_STRONG))
        return false;
    if (either & STAMP_OF_BLOCK &&
        (old->clock < race->order.start || old->thread / threads != visit->stamp.thread / threads))
        return false;
    return !(either & STAMP_DATA) || race_is_atomic(visit->event->instr) ||
           race_is_atomic(race->instrs[old->what & STAMP_NUMBER]);
}

/* A strong load may count on what came through a barrier. */
__attribute__((noinline)) static bool was_handed_on(const struct visit *visit,
                                                    const struct stamp *stamp)
{
    return visit->stamp.what & STAMP_STRONG && visit->event->kind == ACCESS_LOAD &&
           order_heard(&visit->race->order, visit->warp->handed_on[visit->lane], epoch_of(stamp));
}

/* Is what `stamp` says done and known to the visitor? */
static inline bool is_behind(const struct visit *visit, const struct stamp *stamp)
{
    const struct order *order = &visit->race->order;
    const struct block_order *block = &visit->block->order;

    if (stamp->clock < visit->race->overlap.open)
        return true;
    if (stamp->clock < order->start)
        return order_behind_wait(visit->warp, visit->lane);
    if (is_sent(stamp))
        return order_knows(visit->warp, visit->lane, epoch_of(stamp));
    if (stamp->thread == visit->stamp.thread)
        return stamp->clock != CLOCK_PENDING;
    if (stamp->clock < block->base && stamp->thread - block->first_thread < order->slots)
        return true;
    if (!block->has_far && stamp->thread / WARP_SIZE != visit->stamp.thread / WARP_SIZE)
        return false;
    return order_knows(visit->warp, visit->lane, epoch_of(stamp)) || was_handed_on(visit, stamp);
}

/* Has the visitor heard that a load is done? */
static bool is_done(const struct visit *visit, const struct stamp *load)
{
    return load->clock >= visit->race->order.start &&
           order_knows_load(visit->warp, visit->lane, epoch_of(load));
}

static inline bool is_race(const struct visit *visit, const struct stamp *stamp)
{
    return !is_behind(visit, stamp) && !are_morally_strong(visit, stamp);
}

/* The byte that a lane is about to write at `address`. */
static uint8_t stored_byte(const struct access_event *event, int lane, uint64_t address)
{
    return access_stored(event, lane, (uint32_t)(address - event->addresses[lane]));
}

/* The last lane before the visitor that writes `address` in the same instruction; -1: none. */
static int earlier_lane(const struct visit *visit, uint64_t address)
{
    const struct access_event *event = visit->event;

    for (int i = visit->lane - 1; i >= 0; i--)
        if (event->lanes >> i & 1 && address - event->addresses[i] < event->bytes)
            return i;
    return -1;
}

/* Does the visitor store the value that is there already? */
static bool is_same_value(const struct visit *visit, uint64_t address, uint32_t bytes)
{
    const struct access_event *event = visit->event;

    if (event->kind != ACCESS_STORE || event->copies)
        return false;
    for (uint64_t at = address; at < address + bytes; at++) {
        const int other = earlier_lane(visit, at);
        const uint64_t offset = at - event->addresses[visit->lane];
        const uint8_t there = other >= 0 ? stored_byte(event, other, at)
                                         : (uint8_t)event->pointers[visit->lane][offset];
        if (stored_byte(event, visit->lane, at) != there)
            return false;
    }
    return true;
}

static bool is_plain(const struct stamp *stamp)
{
    return !(stamp->what & STAMP_STRONG);
}

/* May the visitor take the place of the reader `old`? Whatever is ordered behind it must be ordered
 * behind `old`, too. */
static bool replaces(const struct visit *visit, const struct stamp *old)
{
    if (old->clock < visit->race->overlap.open)
        return true;
    return is_behind(visit, old) && (is_plain(&visit->stamp) || !is_plain(old));
}

static void note_reader(const struct visit *visit, struct shadow_page *page, uint64_t cell)
{
    const struct stamp *me = &visit->stamp;
    struct stamp *reader = shadow_stamp(page, ROLE_READER, cell);

    if (replaces(visit, reader)) {
        *reader = *me;
        return;
    }
    struct stamp *other = shadow_stamp(page, ROLE_OTHER, cell);
    if (replaces(visit, other)) {
        *other = *me;
        return;
    }
    const uint32_t threads = visit->race->order.slots;
    const uint32_t a = reader->thread, b = other->thread;
    const bool one_block = a / threads == b / threads;
    const bool one_warp = a / WARP_SIZE == b / WARP_SIZE;
    if ((one_warp && me->thread / WARP_SIZE != a / WARP_SIZE) ||
        (one_block && me->thread / threads != a / threads))
        *other = *me;
}

/* The stamp of the cell in `role`; NULL: the page has none yet. */
static inline struct stamp *held(const struct shadow_page *page, enum role role, uint64_t cell)
{
    return page->stamps[role] ? &page->stamps[role][cell] : NULL;
}

/* Does fence.proxy.async order the ordinary access `old` with the visitor, a copy or a
 * product? */
static bool is_fenced(const struct visit *visit, const struct stamp *old)
{
    return old->clock < visit->race->order.start || is_sent(old) ||
           race_reads_behind(visit->race->instrs[old->what & STAMP_NUMBER]) ||
           !is_behind(visit, old) ||
           proxy_is_fenced(&visit->block->proxies, visit->warp, visit->lane, epoch_of(old));
}

static inline void visit_load(struct visit *visit, struct shadow_page *page, uint64_t cell)
{
    const struct stamp *writer = held(page, ROLE_WRITER, cell);
    const struct stamp *reader = held(page, ROLE_READER, cell);

    if (writer && is_race(visit, writer))
        race_report(visit, writer, LACKS_ORDER);
    if (visit->of_engine && writer && writer->clock && !is_fenced(visit, writer))
        race_report(visit, writer,
                    race_multiplies(visit->event->instr) ? LACKS_FENCE_OF_PRODUCT : LACKS_FENCE);
    if (reader && reader->thread == visit->stamp.thread && reader->clock == visit->stamp.clock &&
        (reader->clock != CLOCK_PENDING || reader->what == visit->stamp.what))
        return; /* but two copies that are under way end apart */
    note_reader(visit, page, cell);
}

/* Is the last store to the cell done, because a load that is known to be done has seen it? Not so
 * in global memory: the load may have been served by the cache of its own SM. */
static bool was_seen(const struct visit *visit, const struct shadow_page *page, uint64_t cell)
{
    for (int role = ROLE_READER; role <= ROLE_OTHER && visit->event->space == PTX_SHARED; role++) {
        const struct stamp *reader = held(page, role, cell);
        if (reader && reader->clock && (is_behind(visit, reader) || is_done(visit, reader)))
            return true;
    }
    return false;
}

/* Whoever arrives at a barrier reads it as well: others know that it is done, as with loads. */
static bool is_arrival(const struct visit *visit, const struct stamp *stamp)
{
    return stamp->clock && ptx_arrives(visit->race->instrs[stamp->what & STAMP_NUMBER]);
}

/* The copy engine is about to overwrite the cell. A fence behind a reader of the cell is also
 * behind its writer. */
static void check_proxy(struct visit *visit, struct shadow_page *page, uint64_t cell)
{
    bool has_readers = false;

    for (int role = ROLE_OTHER; role >= ROLE_WRITER; role--) {
        const struct stamp *old = held(page, role, cell);
        if (!old || old->clock == 0 || (role == ROLE_WRITER && has_readers))
            continue;
        has_readers = true;
        if (!is_fenced(visit, old))
            race_report(visit, old, LACKS_FENCE);
    }
}

static inline void visit_store(struct visit *visit, struct shadow_page *page, uint64_t cell,
                               uint64_t address)
{
    struct stamp *writer = shadow_stamp(page, ROLE_WRITER, cell);

    if (is_race(visit, writer) && !(is_arrival(visit, writer) && is_done(visit, writer)) &&
        (writer->clock == CLOCK_PENDING ||
         (!is_same_value(visit, address, 1u << page->shift) && !was_seen(visit, page, cell))))
        race_report(visit, writer, LACKS_ORDER);
    if (visit->of_engine)
        check_proxy(visit, page, cell);
    *writer = visit->stamp;
    for (int role = ROLE_READER; role <= ROLE_OTHER; role++) {
        struct stamp *reader = held(page, role, cell);
        if (reader && is_race(visit, reader) && !is_done(visit, reader))
            race_report(visit, reader, LACKS_ORDER);
        if (reader)
            reader->clock = 0;
    }
}

void race_visit_cells(struct visit *visit, struct shadow_page *page, uint64_t offset)
{
    const uint32_t size = 1u << page->shift;
    uint64_t cell = offset >> page->shift;

    for (uint32_t at = 0; at < visit->bytes; at += size, cell++) {
        if (visit->event->kind == ACCESS_LOAD)
            visit_load(visit, page, cell);
        else
            visit_store(visit, page, cell, visit->address + at);
    }
}

void race_settle(struct shadow_page *page, uint64_t offset, uint32_t bytes,
                 const struct stamp *copy, uint32_t now)
{
    const uint64_t last = (offset + bytes - 1) >> page->shift;

    for (uint64_t cell = offset >> page->shift; cell <= last; cell++)
        for (int role = 0; role < ROLE_COUNT; role++) {
            struct stamp *stamp = held(page, role, cell);
            if (stamp && stamp->clock == CLOCK_PENDING && stamp->thread == copy->thread &&
                stamp->what == copy->what)
                stamp->clock = now;
        }
}
