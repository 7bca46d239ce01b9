/* SPDX-License-Identifier: MIT */
/* How paths divide, meet again, wait and end. */
#include "paths.h"

#include "frames.h"
#include "launch.h"

struct path *path_new(struct warp *warp, uint32_t mask, int pc, struct record *record,
                      struct frame *frame, struct spun spun)
{
    struct path *path = warp->paths;
    while (path->state != PATH_FREE)
        path++; /* disjoint sets of lanes: there are never more than lanes */
    if (path == warp->paths + warp->path_limit)
        warp->path_limit++;
    *path = (struct path){.state = PATH_READY,
                          .pc = pc,
                          .mask = mask,
                          .record = record,
                          .frame = frame,
                          .spun = spun};
    return path;
}

static struct record *record_new(struct warp *warp)
{
    /* Each holds a proper part of its parent's lanes, siblings apart: there is one more. */
    const int free = __builtin_ctz(~warp->records_used);
    warp->records_used |= 1u << free;
    return &warp->records[free];
}

/* A record nobody is expected at any more; a call's goes with the frame. */
static void record_free(struct warp *warp, struct record *record)
{
    if (record->pc != NO_PC)
        warp->records_used &= ~(1u << (record - warp->records));
    else if (record->parent)
        frame_free(warp, record->called);
}

/* Let `mask` go on at `pc`: as a path, or, where that is the reconvergence point, as lanes that
 * wait there, or with those it waited for, which spin as they did before they parted. */
static void settle(struct warp *warp, uint32_t mask, int pc, struct record *record,
                   struct frame *frame, struct spun spun)
{
    while (pc == record->pc) {
        record->arrived |= mask;
        if (record->arrived != record->expected)
            return;
        const struct record done = *record;
        record_free(warp, record);
        mask = done.arrived;
        pc = done.resume;
        frame = done.frame;
        record = done.parent;
        const uint32_t spins = spun.spins;
        spun = done.spun;
        spun.spins = spins;
    }
    path_new(warp, mask, pc, record, frame, spun);
}

/* The lanes that returned from a call, or met, go on. */
static void release(struct warp *warp, struct record *record)
{
    settle(warp, 0, record->pc, record, record->frame, warp->path->spun);
}

/* Those who wait at `record` go on without the others. */
static void release_arrived(struct warp *warp, struct record *record)
{
    const uint32_t lanes = record->arrived;
    record->arrived = 0;
    record->expected &= ~lanes;
    settle(warp, lanes, record->resume, record->parent, record->frame, (struct spun){0});
}

void path_arrive(struct warp *warp)
{
    const struct path old = *warp->path;
    warp->path->state = PATH_FREE;
    warp->stop = true;
    settle(warp, old.mask, old.pc, old.record, old.frame, old.spun);
}

static bool needs_record(const struct path *path, int reconverge)
{
    return reconverge < path->frame->code->op_count && path->record->pc != reconverge;
}

void path_split(struct warp *warp, uint32_t there, int target, int next, int reconverge)
{
    const struct path old = *warp->path;
    struct record *record = old.record;
    if (needs_record(&old, reconverge)) {
        record = record_new(warp);
        *record = (struct record){.pc = reconverge,
                                  .resume = reconverge,
                                  .expected = old.mask,
                                  .parent = old.record,
                                  .frame = old.frame,
                                  .spun = old.spun};
    }
    warp->path->state = PATH_FREE;
    warp->stop = true;
    const uint32_t masks[2] = {there, old.mask & ~there};
    const int pcs[2] = {target, next};
    for (int i = 0; i < 2; i++)
        settle(warp, masks[i], pcs[i], record, old.frame, (struct spun){.spins = old.spun.spins});
}

/* `lanes` will not come to `record` and those around it up to, not including, `last`. Returns the
 * innermost one that still expects somebody, or `last`. */
static struct record *withdraw(struct warp *warp, struct record *record, const struct record *last,
                               uint32_t lanes)
{
    struct record *innermost = NULL;
    while (record != last) {
        struct record *parent = record->parent;
        record->expected &= ~lanes;
        record->spun = (struct spun){0};
        if (record->expected == 0)
            record_free(warp, record);
        else if (!innermost)
            innermost = record;
        record = parent;
    }
    return innermost;
}

/* Take `lanes` off the current path. */
static void path_shrink(struct warp *warp, uint32_t lanes)
{
    struct path *path = warp->path;
    path->mask &= ~lanes;
    if (path->mask == 0) {
        path->state = PATH_FREE;
        warp->stop = true;
    }
}

void path_exit(struct warp *warp, uint32_t lanes)
{
    struct record *record = warp->path->record;
    path_shrink(warp, lanes);
    warp->live &= ~lanes;
    warp->block->live -= (uint32_t)__builtin_popcount(lanes);
    record = withdraw(warp, record, NULL, lanes);
    if (record && record->arrived == record->expected)
        release(warp, record);
    collective_check(warp);
    block_check_barriers(warp->block);
    if (warp->block->cluster)
        cluster_check(warp, NULL);
}

void path_return(struct warp *warp, uint32_t lanes)
{
    struct path *path = warp->path;
    struct record *call = &path->frame->record;
    struct record *inner = path->record;
    path_shrink(warp, lanes);
    inner = withdraw(warp, inner, call, lanes);
    if (inner && inner->arrived == inner->expected)
        release(warp, inner);
    call->arrived |= lanes;
    if (call->arrived == call->expected)
        release(warp, call);
}

void path_park(struct warp *warp, enum path_state state)
{
    warp->path->state = state;
    warp->stop = true;
}

static bool release_innermost(struct warp *warp, const struct path *path, uint32_t lanes)
{
    for (struct record *record = path->record; record->parent; record = record->parent) {
        if (!(record->arrived & lanes))
            continue;
        release_arrived(warp, record);
        return true;
    }
    return false;
}

bool path_release_waiting(struct warp *warp, const struct path *path)
{
    return release_innermost(warp, path, UINT32_MAX);
}

bool warp_release(struct warp *warp)
{
    bool any = false;
    for (int i = 0; i < warp->path_limit; i++) {
        const struct path *path = &warp->paths[i];
        if ((path->state == PATH_READY && path->stuck) || path->state == PATH_ASLEEP)
            any |= path_release_waiting(warp, path);
        else if (path->state == PATH_AT_COLLECTIVE)
            any |= release_innermost(warp, path, path->members);
    }
    if (any && (warp->state == WARP_ASLEEP || warp->state == WARP_WAITING))
        warp->state = WARP_READY;
    return any;
}

bool warp_release_missing(struct warp *warp)
{
    bool any = false;
    if (warp->path_limit == 1)
        return false;
    for (int i = 0; i < warp->path_limit; i++) {
        const enum path_state state = warp->paths[i].state;
        any |= state == PATH_AT_COLLECTIVE;
        if (state != PATH_AT_COLLECTIVE && state != PATH_FREE)
            return false;
    }
    return any && (warp_release(warp) || collective_run_apart(warp));
}

/* Do lanes meet here only to end? An early `return` is a branch to the kernel's last `ret`. */
static bool is_end(const struct record *record)
{
    const struct ptx_instr *instr = record->frame->code->ops[record->pc].instr;
    return instr && instr->guard < 0 &&
           (instr->opcode == OP_EXIT || (instr->opcode == OP_RET && !record->frame->caller));
}

bool warp_release_ended(struct warp *warp)
{
    uint32_t parked = 0;
    bool any = false;
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_AT_BARRIER || warp->paths[i].state == PATH_AT_COLLECTIVE)
            parked |= warp->paths[i].mask;
    if (!parked || parked == warp->live)
        return false;
    for (int i = 0; i < WARP_SIZE; i++) {
        struct record *record = &warp->records[i];
        if (!(warp->records_used >> i & 1) || record->arrived == 0 || !is_end(record))
            continue;
        release_arrived(warp, record);
        any = true;
    }
    return any;
}
