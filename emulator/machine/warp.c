/* SPDX-License-Identifier: MIT */
/* A warp: which of its paths goes next, and the execution of one instruction of one path.
 *
 * Which path of a warp goes first is fixed: under a forward schedule the one that holds the lowest
 * lane, under a reverse one the one that holds the highest, under a random one any. A path that
 * branches backward again and again, or sleeps, gives way to the others.
 */
#include "spin.h"
#include "launch.h"
#include "paths.h"
#include "stretch.h"

/* Stops of a path before what orders blocks, before lanes that wait for it go on. */
enum { STOPS_WHILE_OTHERS_WAIT = 4 };

void warp_enter(struct warp *warp, struct path *path)
{
    warp->path = path;
    warp->stop = false;
    warp->base[FILE_REGISTERS] = path->frame->registers;
    warp->base[FILE_PREDICATES] = path->frame->predicates;
    warp->base[FILE_POOL] = path->frame->code->pool;
}

static struct path *choose_random(struct warp *warp)
{
    struct path *ready[WARP_SIZE];
    uint32_t count = 0;
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_READY)
            ready[count++] = &warp->paths[i];
    return count ? ready[block_random(warp->block) % count] : NULL;
}

/* The ready path that the schedule prefers; NULL: none is ready. */
static struct path *choose(struct warp *warp)
{
    const enum schedule_kind kind = warp->block->launch->machine->schedule.kind;
    struct path *best = NULL;
    if (warp->path_limit == 1)
        return warp->paths->state == PATH_READY ? warp->paths : NULL;
    if (kind == SCHEDULE_RANDOM)
        return choose_random(warp);
    for (int i = 0; i < warp->path_limit; i++) {
        struct path *path = &warp->paths[i];
        if (path->state != PATH_READY)
            continue;
        const bool lower = best && (path->mask & -path->mask) < (best->mask & -best->mask);
        const bool higher = best && path->mask > best->mask;
        if (!best || (kind == SCHEDULE_FORWARD ? lower : higher))
            best = path;
    }
    return best;
}

/* The path to run next; NULL: all wait, or have given way. */
static struct path *next_path(struct warp *warp)
{
    struct path *path = choose(warp);
    if (!path && (warp_release_ended(warp) || warp_release_missing(warp)))
        path = choose(warp);
    return path;
}

static void notify_instruction(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const struct instruction_event event = instruction_event_of(warp, op, lanes);
    NOTIFY(warp->block->listeners->instruction, &event);
}

/* Execute one instruction of the current path. */
static inline void step(struct warp *warp, bool heard)
{
    struct path *path = warp->path;
    const struct op *op = &path->frame->code->ops[path->pc];
    uint32_t lanes = path->mask;
    if (op->guard >= 0)
        lanes &= ((const lane_u32 *)warp->base[FILE_PREDICATES])[op->guard] ^ op->guard_flip;
    warp->issued++;
    if (heard && op->instr)
        notify_instruction(warp, op, lanes);
    path->pc++;
    if (lanes != 0 || op->always)
        op->handler(warp, op, lanes);
    if (!warp->stop && path->pc == path->record->pc)
        path_arrive(warp);
}

/* All paths that had given way may run again. Returns whether there were any. */
static bool wake_yielded(struct warp *warp)
{
    bool any = false;
    for (int i = 0; i < warp->path_limit; i++) {
        if (warp->paths[i].state != PATH_YIELDED)
            continue;
        warp->paths[i].state = PATH_READY;
        any = true;
    }
    return any;
}

bool warp_has_ready(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_READY || warp->paths[i].state == PATH_YIELDED)
            return true;
    return false;
}

struct path *warp_advance(struct warp *warp, bool *polls)
{
    *polls = false;
    while (!warp->block->failed) {
        struct path *path = next_path(warp);
        if (!path) {
            if (warp->live == 0 || !wake_yielded(warp))
                return NULL;
            *polls = warp_is_stuck(warp) && !warp_release(warp);
            if (*polls)
                return NULL;
            continue;
        }
        warp_enter(warp, path);
        if (path->pc != path->record->pc)
            return path;
        path_arrive(warp);
    }
    return NULL;
}

bool warp_is_heard(const struct warp *warp)
{
    return warp->block->sampled || warp->block->listeners->everywhere > 0;
}

void warp_step(struct warp *warp)
{
    step(warp, warp_is_heard(warp));
}

static bool has_asleep(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_ASLEEP)
            return true;
    return false;
}

/* Run the current path until it stops. False: it is held before what orders blocks. */
static bool run_path(struct warp *warp, bool heard)
{
    const bool lockstep = warp->block->launch->lockstep;
    const bool stretches = stretch_is_allowed(warp, heard);
    while (!warp->stop) {
        const struct path *path = warp->path;
        const struct op *op = &path->frame->code->ops[path->pc];
        if (lockstep && op->orders_blocks)
            return false;
        if (stretches && op->stretch > 1)
            stretch_run(warp, heard);
        else
            step(warp, heard);
    }
    return true;
}

void warp_run_ordering(struct warp *warp)
{
    const bool heard = warp_is_heard(warp);
    struct path *path = warp->path;
    warp->state = WARP_READY;
    if (!path_would_poll_again(warp, path)) {
        if (path->spun.stops > STOPS_WHILE_OTHERS_WAIT)
            path_release_waiting(warp, path);
        step(warp, heard);
        path->woke = false;
        return;
    }
    path_park(warp, PATH_ASLEEP);
    if (!wake_yielded(warp) && !warp_has_ready(warp))
        warp->state = WARP_ASLEEP;
}

static bool wake(struct warp *warp, bool all)
{
    bool any = false;
    for (int i = 0; i < warp->path_limit; i++) {
        struct path *path = &warp->paths[i];
        if (path->state != PATH_ASLEEP || (!all && !path_sees_change(warp, path)))
            continue;
        path->state = PATH_READY;
        path->woke = true;
        path->spun.stops = path->spun.next_stop = 0;
        any = true;
    }
    if (any && warp->state == WARP_ASLEEP)
        warp->state = WARP_READY;
    return any;
}

bool warp_wake(struct warp *warp)
{
    return wake(warp, false);
}

bool warp_rouse(struct warp *warp)
{
    return wake(warp, true);
}

void warp_run(struct warp *warp)
{
    const bool lockstep = warp->block->launch->lockstep;
    struct path *path;
    while (!warp->block->failed && (path = next_path(warp)) != NULL) {
        warp_enter(warp, path);
        /* Where it waited may have been the last instruction before the reconvergence point. */
        if (path->pc == path->record->pc)
            path_arrive(warp);
        const bool heard = warp_is_heard(warp);
        if (!run_path(warp, heard)) {
            warp->state = WARP_HELD;
            return;
        }
    }
    if (warp->live == 0)
        warp->state = WARP_DONE;
    else if (wake_yielded(warp))
        warp->state = WARP_READY;
    else
        warp->state = lockstep && has_asleep(warp) ? WARP_ASLEEP : WARP_WAITING;
}

bool warp_is_stuck(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_READY && !warp->paths[i].stuck)
            return false;
    return true;
}
