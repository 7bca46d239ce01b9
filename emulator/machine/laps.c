/* SPDX-License-Identifier: MIT */
/* When compiled loops may run by themselves. */
#include "laps.h"

#include "launch.h"
#include "shape.h"
#include "spin.h"

enum { SHY = 16 };

static const struct op *op_at(const struct progress *progress, int pc)
{
    return (const struct op *)progress->ops + pc;
}

static struct shape *shape_at(const struct progress *progress, const struct op *op)
{
    return &progress->warp->worker->shapes[op->request - 1];
}

/* Is the request's shape still that of its last one, whose range is known, and whose price was
 * number `prices` of its own? */
static bool is_known(const struct progress *progress, const struct op *op, uint64_t prices)
{
    struct shape *shape = shape_at(progress, op);
    if (shape->op != op || shape->lanes != (uint32_t)FULL_WARP || shape->reach.room == 0 ||
        (progress->priced && (shape->reach.key == UNPRICED || shape->prices != prices)))
        return false;
    if (shape->space == PTX_SHARED)
        shape->reach.shift = (uint64_t)(uintptr_t)progress->warp->block->shared -
                             (op->space == PTX_GENERIC ? SHARED_WINDOW : 0);
    return true;
}

/* Was the turn before one in which no lane left the loop, and each of its reports as it would be in
 * the next? */
static bool is_steady(const struct progress *progress, const int *stops)
{
    struct turn *turn = progress->warp->worker->turns.turn;
    const struct kept *kept = turn->kept;
    const struct op *told = op_at(progress, stops[0]);
    if (turn->steady == turn->number)
        return true;
    for (const int *stop = stops + 1; *stop >= 0; stop++) {
        const struct op *op = op_at(progress, *stop);
        const bool passed = !op->request && stop[1] >= 0; /* a branch inside */
        const uint32_t lanes = passed ? 0 : (uint32_t)FULL_WARP;
        if (kept >= turn->kept + turn->count || kept->op != op || kept->told != told ||
            kept->active != (uint32_t)FULL_WARP || kept->lanes != lanes ||
            kept->held != (passed ? WARP_SIZE : 0))
            return false;
        if (op->request)
            shape_at(progress, op)->lap_prices = kept->prices;
        kept += kept->reports;
        told = op + 1;
    }
    if (kept == turn->kept + turn->count)
        turn->steady = turn->number;
    return turn->steady == turn->number;
}

/* What do they want of laps? */
static void note_listeners(struct progress *progress)
{
    const struct listeners *listeners = progress->warp->block->listeners;
    progress->priced = listeners->in_short ? UINT64_MAX : 0;
    progress->tells = wants_in_full(listeners, PTX_GLOBAL);
}

/* The warp is at the head, and the turn before is known; or nobody wants to know. */
static bool is_at_head(struct progress *progress, const struct op *head)
{
    const struct warp *warp = progress->warp;
    const struct listeners *listeners = warp->block->listeners;
    const struct turns *turns = &warp->worker->turns;
    note_listeners(progress);
    if (!listeners->in_short)
        return !progress->heard && !listeners->branch.count;
    return warp->turning && turns->turn->head == head && turns->turn->known && turns->at == 0 &&
           progress->told == head && progress->held == 0;
}

/* Did the last ones of late end in the first turn? */
static bool is_shy(struct progress *progress)
{
    const bool shy = progress->shy > 0;
    progress->shy -= shy;
    return shy || !progress->shapes;
}

uint32_t laps_most(struct progress *progress, const int *stops)
{
    const struct warp *warp = progress->warp;
    const struct op *head = op_at(progress, stops[0]);
    const int *last = stops;
    if (is_shy(progress))
        return 0;
    if (!is_at_head(progress, head) || (progress->priced && !is_steady(progress, stops)))
        return 0;
    for (; last[1] >= 0; last++) {
        const struct op *op = op_at(progress, last[1]);
        if (op->request && !is_known(progress, op, shape_at(progress, op)->lap_prices)) {
            if (progress->priced)
                warp->worker->turns.turn->steady = 0;
            return 0;
        }
    }
    const int reconverge = warp->path->record->pc;
    if (reconverge >= stops[0] && reconverge <= *last)
        return 0;
    return path_patience(warp);
}

/* Is the part of a turn that begins now the same as in the turn before? */
static bool is_repeated(const struct progress *progress, const int *stops)
{
    const struct turns *turns = &progress->warp->worker->turns;
    const struct op *told = progress->told;
    uint32_t held = progress->held;
    if (!progress->warp->turning || !turns->turn->known)
        return false;
    const struct kept *kept = &turns->turn->kept[turns->at];
    for (const int *stop = stops + 1; *stop >= 0; stop++, kept += kept->reports) {
        const struct op *op = op_at(progress, *stop);
        const uint32_t lanes = op->request ? (uint32_t)FULL_WARP : 0;
        held += op->request ? 0 : WARP_SIZE;
        if (kept->op != op || kept->told != told || kept->active != (uint32_t)FULL_WARP ||
            kept->lanes != lanes || kept->held != held ||
            (op->request && !is_known(progress, op, kept->prices)))
            return false;
        told = op + 1;
        held = 0;
    }
    return true;
}

bool laps_once(struct progress *progress, const int *stops)
{
    const struct warp *warp = progress->warp;
    const struct listeners *listeners = warp->block->listeners;
    const int reconverge = warp->path->record->pc, *stop = stops + 1;
    note_listeners(progress);
    if (is_shy(progress) || (!listeners->in_short && (progress->heard || listeners->branch.count)))
        return false;
    if (listeners->in_short && !is_repeated(progress, stops))
        return false;
    for (; *stop >= 0; stop++) {
        const struct op *op = op_at(progress, *stop);
        if (!listeners->in_short && op->request && !is_known(progress, op, 0))
            return false;
    }
    return reconverge <= *stops || reconverge >= ~*stop;
}

bool laps_leave(struct progress *progress, const int *stops, uint32_t laps, int pc)
{
    struct warp *warp = progress->warp;
    struct turns *turns = &warp->worker->turns;
    const int *stop = stops + 1;
    for (; *stop != pc && *stop >= 0; stop++)
        if (progress->priced)
            turns->at += turns->turn->kept[turns->at].reports;
    if (laps || stop > stops + 1) {
        progress->told = op_at(progress, stop > stops + 1 ? stop[-1] + 1 : stops[0]);
        progress->held = 0;
    }
    progress->shy = laps || *stop < 0 ? 0 : SHY;
    while (laps && stop[1] >= 0)
        stop++;
    warp->issued +=
        (uint64_t)laps * (uint64_t)(*stop + 1 - stops[0]) + (uint64_t)(pc - warp->path->pc);
    warp->path->pc = pc;
    warp->path->spun.spins += laps;
    progress->left = true;
    if (progress->priced)
        turns->times += laps;
    return false;
}

bool laps_tell(struct progress *progress, const int *stops, uint32_t laps, uint64_t issued, int pc,
               uint64_t first)
{
    struct warp *warp = progress->warp;
    struct path *path = warp->path;
    const struct op *op = op_at(progress, pc);
    struct shape *shape = shape_at(progress, op);
    const enum access_kind kind = op->instr->opcode == OP_ST ? ACCESS_STORE : ACCESS_LOAD;
    const uint64_t at = shape_address(shape, first), before = warp->issued;
    const int from = path->pc;
    if (!wants_in_full(warp->block->listeners, shape->space))
        return false;
    warp->issued += issued + (uint64_t)(stops[0] - from);
    path->pc = pc + 1;
    shape_tell_in_full(warp, op, kind, at, shape);
    warp->issued = before;
    path->pc = from;
    if (!warp->stop)
        return false;
    laps_leave(progress, stops, laps, pc);
    progress->left = false;
    warp->issued++;
    path->pc++;
    if (warp->block->listeners->in_short)
        shape_tell_in_short(warp, op, kind, at, shape);
    laps_move(progress, pc, (char *)(uintptr_t)(first + shape->reach.shift));
    return true;
}

void laps_move(struct progress *progress, int pc, char *base)
{
    const struct op *op = op_at(progress, pc);
    const struct shape *shape = shape_at(progress, op);
    struct addresses addresses;
    addresses.base = base;
    addresses.apart = (const int64_t *)shape->reach.apart;
    addresses.form = shape->reach.form;
    addresses.runs = shape->reach.runs;
    op->move(progress->warp, op, (uint32_t)FULL_WARP, &addresses);
}
