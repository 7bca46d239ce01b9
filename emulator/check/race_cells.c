/* SPDX-License-Identifier: MIT */
#include "check/race_inside.h"

/* Are both morally strong, as PTX says: strong accesses, each in the other's scope? `old` may be of
 * a launch in front. A volatile or relaxed load that decides nothing reads data, not a flag: it is
 * morally strong with atomics only. */
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

/* May the visitor replace the reader `old`? Whatever is ordered after the visitor must be ordered
 * after `old`, too. */
static bool replaces(const struct visit *visit, const struct stamp *old)
{
    if (old->clock < visit->race->overlap.open)
        return true;
    return is_behind(visit, old) && (is_plain(&visit->stamp) || !is_plain(old));
}

/* Of two readers that the visitor is not after: does it replace the second? It does where both are
 * of one warp and it is of another, or both of one block and it is of another. */
static bool is_farther(const struct visit *visit, const struct stamp *reader,
                       const struct stamp *other)
{
    const uint32_t threads = visit->race->order.slots;
    const uint32_t a = reader->thread, b = other->thread;

    if (a / WARP_SIZE == b / WARP_SIZE && a / WARP_SIZE != visit->stamp.thread / WARP_SIZE)
        return true;
    return a - visit->block->order.first_thread >= threads && a / threads == b / threads;
}

static void note_reader(const struct visit *visit, struct stamp *cell)
{
    if (replaces(visit, &cell[ROLE_READER]))
        cell[ROLE_READER] = visit->stamp;
    else if (replaces(visit, &cell[ROLE_OTHER]) ||
             is_farther(visit, &cell[ROLE_READER], &cell[ROLE_OTHER]))
        cell[ROLE_OTHER] = visit->stamp;
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

static inline void visit_load(struct visit *visit, struct stamp *cell)
{
    const struct stamp *writer = &cell[ROLE_WRITER], *reader = &cell[ROLE_READER];

    if (is_race(visit, writer))
        race_report(visit, writer, LACKS_ORDER);
    if (visit->of_engine && writer->clock && !is_fenced(visit, writer))
        race_report(visit, writer,
                    race_multiplies(visit->event->instr) ? LACKS_FENCE_OF_PRODUCT : LACKS_FENCE);
    if (reader->thread == visit->stamp.thread && reader->clock == visit->stamp.clock &&
        (reader->clock != CLOCK_PENDING || reader->what == visit->stamp.what))
        return; /* it is there already; two copies under way are two, for they end apart */
    note_reader(visit, cell);
}

/* Is the last store to the cell done, because a load that is known to be done has seen it? In
 * global memory that says nothing: the cache of the load's own SM may have served it. */
static bool was_seen(const struct visit *visit, const struct stamp *cell)
{
    for (int role = ROLE_READER; role <= ROLE_OTHER && visit->event->space == PTX_SHARED; role++)
        if (cell[role].clock && (is_behind(visit, &cell[role]) || is_done(visit, &cell[role])))
            return true;
    return false;
}

/* Whoever arrives at a barrier reads it as well: others know that it is done, as with loads. */
static bool is_arrival(const struct visit *visit, const struct stamp *stamp)
{
    return stamp->clock && ptx_arrives(visit->race->instrs[stamp->what & STAMP_NUMBER]);
}

/* The copy engine is about to overwrite the cell. A fence after a reader of the cell is also
 * after its writer. */
static void check_proxy(struct visit *visit, const struct stamp *cell)
{
    bool has_readers = false;

    for (int role = ROLE_OTHER; role >= ROLE_WRITER; role--) {
        if (cell[role].clock == 0 || (role == ROLE_WRITER && has_readers))
            continue;
        has_readers = true;
        if (!is_fenced(visit, &cell[role]))
            race_report(visit, &cell[role], LACKS_FENCE);
    }
}

static inline void visit_store(struct visit *visit, struct stamp *cell, uint64_t address,
                               uint32_t bytes)
{
    struct stamp *writer = &cell[ROLE_WRITER];

    if (is_race(visit, writer) && !(is_arrival(visit, writer) && is_done(visit, writer)) &&
        (writer->clock == CLOCK_PENDING ||
         (!is_same_value(visit, address, bytes) && !was_seen(visit, cell))))
        race_report(visit, writer, LACKS_ORDER);
    if (visit->of_engine)
        check_proxy(visit, cell);
    *writer = visit->stamp;
    for (int role = ROLE_READER; role <= ROLE_OTHER; role++) {
        if (is_race(visit, &cell[role]) && !is_done(visit, &cell[role]))
            race_report(visit, &cell[role], LACKS_ORDER);
        cell[role].clock = 0;
    }
}

void race_visit_cells(struct visit *visit, struct shadow_page *page, uint64_t offset)
{
    const uint32_t size = 1u << page->shift;
    uint64_t cell = offset >> page->shift;

    for (uint32_t at = 0; at < visit->bytes; at += size, cell++) {
        if (visit->event->kind == ACCESS_LOAD)
            visit_load(visit, shadow_cell(page, cell));
        else
            visit_store(visit, shadow_cell(page, cell), visit->address + at, size);
    }
}

/* Has the row, which is not spread, one stamp in `role`, and what holds for its first cell holds
 * for all? */
static bool is_one(const struct visit *visit, const struct shadow_row *row, enum role role,
                   int shift)
{
    const struct stamp *first = &row->first[role];

    return first->clock < visit->race->overlap.open || row->shift[role] == shift ||
           first->thread / WARP_SIZE != visit->stamp.thread / WARP_SIZE;
}

/* Is the visitor's row after all that its cells have in `role`? */
static bool is_row_behind(const struct visit *visit, const struct shadow_page *page, enum role role,
                          uint64_t cell, int shift)
{
    const struct shadow_row *row = shadow_row(page, cell);
    struct visit each = *visit;

    if (!row->spread && is_one(visit, row, role, shift))
        return is_behind(visit, &row->first[role]);
    for (int i = 0; i < ROW_CELLS; i++) {
        const struct stamp stamp = shadow_stamp(page, role, cell + (uint64_t)i);
        each.lane = visit->lane + (i >> shift);
        each.stamp.thread = visit->stamp.thread + (uint32_t)(i >> shift);
        if (!is_behind(&each, &stamp))
            return false;
    }
    return true;
}

static void put(const struct visit *visit, struct shadow_row *row, enum role role, int shift)
{
    row->first[role] = visit->stamp;
    row->shift[role] = (uint8_t)shift;
}

/* A row whose accesses were all in launches that have ended is as good as new. */
static bool renew(const struct visit *visit, const struct shadow_page *page, uint64_t cell)
{
    for (uint64_t i = cell; i < cell + ROW_CELLS; i++)
        for (int role = 0; role < ROLE_COUNT; role++)
            if (page->cells[i][role].clock >= visit->race->overlap.open)
                return false;
    *shadow_row(page, cell) = (struct shadow_row){0};
    return true;
}

static bool load_row(const struct visit *visit, struct shadow_page *page, uint64_t cell, int shift)
{
    struct shadow_row *row = shadow_row(page, cell);
    const struct stamp *reader = &row->first[ROLE_READER], *other = &row->first[ROLE_OTHER];

    if ((row->spread && !renew(visit, page, cell)) ||
        !is_row_behind(visit, page, ROLE_WRITER, cell, shift) ||
        !is_one(visit, row, ROLE_READER, shift))
        return false;
    if (reader->thread == visit->stamp.thread && reader->clock == visit->stamp.clock)
        return true;
    if (is_behind(visit, reader)) {
        put(visit, row, ROLE_READER, shift);
        return true;
    }
    if (!is_one(visit, row, ROLE_OTHER, shift))
        return false;
    if (is_behind(visit, other) || is_farther(visit, reader, other))
        put(visit, row, ROLE_OTHER, shift);
    return true;
}

static bool store_row(const struct visit *visit, struct shadow_page *page, uint64_t cell, int shift)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        if (!is_row_behind(visit, page, role, cell, shift))
            return false;
    *shadow_row(page, cell) = (struct shadow_row){0};
    put(visit, shadow_row(page, cell), ROLE_WRITER, shift);
    return true;
}

/* Is the visitor's lane the first of so many, each at the address after the last one's? */
static bool begins_run(const struct visit *visit, int lanes)
{
    const struct access_event *event = visit->event;
    const uint64_t *addresses = event->addresses + visit->lane;
    const uint32_t all = (1u << lanes) - 1;
    uint64_t differ = 0;

    if (visit->lane + lanes > WARP_SIZE || (event->lanes >> visit->lane & all) != all)
        return false;
    if (event->in_row)
        return true;
    for (int i = 1; i < lanes; i++)
        differ |= addresses[i] ^ (addresses[0] + (uint64_t)i * event->bytes);
    return differ == 0;
}

int race_visit_row(const struct visit *visit, struct shadow_page *page, uint64_t offset)
{
    const uint64_t cell = offset >> page->shift;
    const int shift = __builtin_ctz(visit->event->bytes >> page->shift);
    const int lanes = ROW_CELLS >> shift;

    if (cell % ROW_CELLS || (cell + ROW_CELLS) << page->shift > page->bytes ||
        !begins_run(visit, lanes))
        return 0;
    return (visit->event->kind == ACCESS_LOAD ? load_row : store_row)(visit, page, cell, shift)
               ? lanes
               : 0;
}

void race_settle(struct shadow_page *page, uint64_t offset, uint32_t bytes,
                 const struct stamp *copy, uint32_t now)
{
    const uint64_t last = (offset + bytes - 1) >> page->shift;

    for (uint64_t cell = offset >> page->shift; cell <= last; cell++)
        for (int role = 0; role < ROLE_COUNT; role++) {
            const struct stamp stamp = shadow_stamp(page, role, cell);
            if (stamp.clock == CLOCK_PENDING && stamp.thread == copy->thread &&
                stamp.what == copy->what)
                shadow_cell(page, cell)[role].clock = now;
        }
}
