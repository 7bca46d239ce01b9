/* A warp: paths that divide and meet, and the execution of one instruction of one path.
 *
 * Which path of a warp goes first is fixed: under a forward schedule the one that holds the lowest
 * lane, under a reverse one the one that holds the highest, under a random one any. A path that
 * branches backward again and again, or sleeps, gives way to the others.
 */
#include "launch.h"

#include "access.h"

#include <stdlib.h>

enum { FRAME_ALIGN = 64, FRESH_BYTE = 0xCD };
/* Backward branches before a path gives way: soon where a sibling may hold what it waits for. */
enum { STOPS_WHILE_OTHERS_WAIT = 4 };
enum { PATIENCE = 2048, PATIENCE_WHILE_OTHERS_WAIT = 256, PATIENCE_BESIDE_OTHERS = 64 };
enum { CHECKS_BEFORE_RELEASE = 256 };

static size_t aligned_size(size_t size)
{
    return (size + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

/* Most registers are written before they are read, and may hold what the block before left. */
static void frame_reset(struct frame *frame)
{
    const struct code *code = frame->code;
    for (int i = 0; i < code->fresh_count; i++)
        memset(frame->registers + code->fresh[i].first, FRESH_BYTE, code->fresh[i].bytes);
    if (code->function->reads_unwritten)
        memset(frame->predicates, FRESH_BYTE, (size_t)(frame->local - frame->predicates));
    memset(frame->local, FRESH_BYTE, (size_t)(frame->registers + frame->bytes - frame->local));
}

struct frame *frame_new(struct warp *warp, const struct code *code, struct frame *caller)
{
    const struct ptx_function *function = code->function;
    const size_t header = aligned_size(sizeof(struct frame));
    const size_t registers = aligned_size(function->register_file_bytes);
    const size_t predicates = aligned_size((size_t)function->predicate_count * 4);
    const size_t local = aligned_size(WARP_SIZE * frame_stride(function->local_bytes));
    const size_t params = aligned_size(WARP_SIZE * frame_stride(function->param_frame_bytes));
    const size_t bytes = registers + predicates + local + params;
    struct frame *frame = aligned_alloc(FRAME_ALIGN, header + bytes);
    if (!frame)
        return NULL;
    memset(frame, 0, sizeof *frame);
    frame->code = code;
    frame->caller = caller;
    frame->registers = (char *)frame + header;
    frame->predicates = frame->registers + registers;
    frame->local = frame->predicates + predicates;
    frame->params = frame->local + local;
    frame->bytes = bytes;
    if (caller)
        frame_reset(frame);
    frame->older = warp->youngest;
    if (frame->older)
        frame->older->younger = frame;
    warp->youngest = frame;
    if (caller) {
        frame->depth = caller->depth + 1;
        frame->local_base =
            (caller->local_base + caller->code->function->local_bytes + 15) / 16 * 16;
    }
    return frame;
}

void frame_free(struct warp *warp, struct frame *frame)
{
    if (frame->older)
        frame->older->younger = frame->younger;
    if (frame->younger)
        frame->younger->older = frame->older;
    else
        warp->youngest = frame->older;
    free(frame);
}

void warp_end(struct warp *warp)
{
    struct frame *frame = warp->youngest;
    while (frame != warp->frame) { /* the kernel's, the oldest */
        struct frame *older = frame->older;
        free(frame);
        frame = older;
    }
    warp->youngest = frame;
    frame->younger = NULL;
}

static struct path *path_new(struct warp *warp, uint32_t mask, int pc, struct record *record,
                             struct frame *frame)
{
    struct path *path = warp->paths;
    while (path->state != PATH_FREE)
        path++; /* disjoint sets of lanes: there are never more than lanes */
    if (path == warp->paths + warp->path_limit)
        warp->path_limit++;
    *path = (struct path){
        .state = PATH_READY, .pc = pc, .mask = mask, .record = record, .frame = frame};
    return path;
}

static struct record *record_new(struct warp *warp)
{
    struct record *record = warp->records;
    while (record->used)
        record++; /* each holds a proper part of its parent's lanes, siblings apart */
    record->used = true;
    return record;
}

/* A record nobody is expected at any more; a call's goes with the frame. */
static void record_free(struct warp *warp, struct record *record)
{
    if (record->pc != NO_PC)
        record->used = false;
    else if (record->parent)
        frame_free(warp, record->called);
}

/* Let `mask` go on at `pc`: as a path, or, where that is the meeting point, as lanes that wait
 * there, or with those it waited for. Returns the path, or NULL. */
static struct path *settle(struct warp *warp, uint32_t mask, int pc, struct record *record,
                           struct frame *frame)
{
    while (pc == record->pc) {
        record->arrived |= mask;
        if (record->arrived != record->expected)
            return NULL;
        const struct record done = *record;
        record_free(warp, record);
        mask = done.arrived;
        pc = done.resume;
        frame = done.frame;
        record = done.parent;
    }
    return path_new(warp, mask, pc, record, frame);
}

/* The lanes that returned from a call, or met, go on. */
static void release(struct warp *warp, struct record *record)
{
    const struct record done = *record;
    record_free(warp, record);
    settle(warp, done.arrived, done.resume, done.parent, done.frame);
}

/* The current path is at its meeting point. */
static void arrive(struct warp *warp)
{
    const struct path old = *warp->path;
    warp->path->state = PATH_FREE;
    warp->stop = true;
    struct path *path = settle(warp, old.mask, old.pc, old.record, old.frame);
    if (path)
        path->spins = old.spins; /* a loop that divides in every round spins too */
}

static bool needs_record(const struct path *path, int meet)
{
    return meet < path->frame->code->op_count && path->record->pc != meet;
}

void path_split(struct warp *warp, uint32_t there, int target, int next, int meet)
{
    const struct path old = *warp->path;
    struct record *record = old.record;
    if (needs_record(&old, meet)) {
        record = record_new(warp);
        *record = (struct record){.used = true,
                                  .pc = meet,
                                  .resume = meet,
                                  .expected = old.mask,
                                  .parent = old.record,
                                  .frame = old.frame};
    }
    warp->path->state = PATH_FREE;
    warp->stop = true;
    const uint32_t masks[2] = {there, old.mask & ~there};
    const int pcs[2] = {target, next};
    for (int i = 0; i < 2; i++) {
        struct path *path = settle(warp, masks[i], pcs[i], record, old.frame);
        if (path)
            path->spins = old.spins;
    }
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

static bool has_other_ready(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_READY && &warp->paths[i] != warp->path)
            return true;
    return false;
}

/* FNV-1a over words. */
static uint64_t digest(uint64_t hash, const lane_u32 *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* Of whole rows of lanes: sums side by side that the CPU makes at once. A shift brings high bits,
 * as of signs, back to where a multiplication spreads them. */
static uint64_t digest_rows(uint64_t hash, const lane_u32 *words, size_t count)
{
    uint32_t sums[8] = {0};
    for (size_t i = 0; i < count; i += 8)
        for (int k = 0; k < 8; k++) {
            const uint32_t product = (sums[k] ^ words[i + k]) * 0x9E3779B1u;
            sums[k] = product ^ product >> 15;
        }
    return digest(hash, sums, 8);
}

/* What decides how the path goes on, except memory. */
static uint64_t path_digest(const struct warp *warp, const struct path *path)
{
    const struct ptx_function *function = path->frame->code->function;
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ path->mask ^ (uint64_t)path->pc << 32;
    hash = digest_rows(hash, (const lane_u32 *)path->frame->registers,
                       function->register_file_bytes / 4);
    hash =
        digest(hash, (const lane_u32 *)path->frame->predicates, (size_t)function->predicate_count);
    return hash ^ warp->carry;
}

/* Changes of memory that may end a loop. In rounds those of other blocks come between rounds: while
 * one is under way, the block's own. */
static uint64_t writes_seen(const struct warp *warp)
{
    const struct block *block = warp->block;
    uint64_t sum = 0;
    if (!block->launch->rounds)
        return launch_writes(block->launch);
    for (int i = 0; i < block->warp_count; i++)
        sum += block->warps[i].writes;
    return sum;
}

/* A path whose registers come back to what they were polls memory; while no memory changes, it goes
 * in circles. States to compare with are taken at ever longer intervals, so that longer cycles are
 * found too. */
static void path_watch(const struct warp *warp, struct path *path)
{
    const uint64_t writes = writes_seen(warp);
    const uint64_t state = path_digest(warp, path);
    path->polls = path->checks > 0 && path->snapshot == state;
    path->stuck = path->polls && path->writes_then == writes;
    if (path->stuck)
        return;
    if (path->polls || path->checks >= path->next_snapshot) {
        path->next_snapshot = 2 * path->checks + 1;
        path->snapshot = state;
        path->writes_then = writes;
    }
    path->checks++;
}

/* Lanes that wait at a meeting point may hold what a polling path waits for, as in a spin lock: let
 * those of the innermost point go on without it. */
static bool release_waiting(struct warp *warp, const struct path *path)
{
    for (struct record *record = path->record; record->parent; record = record->parent) {
        const uint32_t lanes = record->arrived;
        if (lanes == 0)
            continue;
        record->arrived = 0;
        record->expected &= ~lanes;
        settle(warp, lanes, record->resume, record->parent, record->frame);
        return true;
    }
    return false;
}

bool warp_release(struct warp *warp)
{
    bool any = false;
    for (int i = 0; i < warp->path_limit; i++) {
        const struct path *path = &warp->paths[i];
        if ((path->state == PATH_READY && path->stuck) || path->state == PATH_ASLEEP)
            any |= release_waiting(warp, path);
    }
    if (any && warp->state == WARP_ASLEEP)
        warp->state = WARP_READY;
    return any;
}

static bool others_wait(const struct path *path)
{
    for (const struct record *record = path->record; record->parent; record = record->parent)
        if (record->arrived)
            return true;
    return false;
}

static uint32_t patience(const struct warp *warp)
{
    if (has_other_ready(warp))
        return PATIENCE_BESIDE_OTHERS;
    return others_wait(warp->path) ? PATIENCE_WHILE_OTHERS_WAIT : PATIENCE;
}

void path_spin(struct warp *warp, uint32_t weight)
{
    struct path *path = warp->path;
    path->spins += weight;
    if (path->spins < PATIENCE_BESIDE_OTHERS || path->spins < patience(warp))
        return;
    path->spins = 0;
    path_watch(warp, path);
    path_park(warp, PATH_YIELDED);
    if (path->polls && !path->stuck && path->checks > CHECKS_BEFORE_RELEASE)
        release_waiting(warp, path);
}

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

/* Do lanes meet here only to end? An early `return` is a branch to the kernel's last `ret`. */
static bool is_end(const struct record *record)
{
    const struct ptx_instr *instr = record->frame->code->ops[record->pc].instr;
    return instr && instr->guard < 0 &&
           (instr->opcode == OP_EXIT || (instr->opcode == OP_RET && !record->frame->caller));
}

/* Lanes that wait to end together with others end, for those may wait for their end in turn, at a
 * barrier. Returns whether there were any. */
static bool release_ended(struct warp *warp)
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
        const uint32_t lanes = record->arrived;
        if (!record->used || lanes == 0 || !is_end(record))
            continue;
        record->arrived = 0;
        record->expected &= ~lanes;
        settle(warp, lanes, record->resume, record->parent, record->frame);
        any = true;
    }
    return any;
}

/* The path to run next; NULL: all wait, or have given way. */
static struct path *next_path(struct warp *warp)
{
    struct path *path = choose(warp);
    return !path && release_ended(warp) ? choose(warp) : path;
}

static void notify_instruction(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const struct instruction_event event = {.worker = warp->worker->number,
                                            .warp = warp,
                                            .instr = op->instr,
                                            .active = warp->path->mask,
                                            .executing = lanes};
    NOTIFY(warp->block->launch->listeners.instruction, &event);
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
        arrive(warp);
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

void warp_note_read(struct warp *warp, int lane, const char *pointer, size_t bytes, uint64_t value)
{
    struct watch *watch = &warp->watches[lane];
    if (watch->count >= WATCHED_WORDS) {
        watch->count = WATCHED_WORDS + 1;
        watch->writes = launch_writes(warp->block->launch);
        return;
    }
    watch->words[watch->count].pointer = pointer;
    watch->words[watch->count].value = value;
    watch->bytes[watch->count++] = (uint8_t)bytes;
}

static bool has_changed(const struct warp *warp, const struct watch *watch)
{
    if (watch->count > WATCHED_WORDS)
        return watch->writes != launch_writes(warp->block->launch);
    for (int i = 0; i < watch->count; i++)
        if (load_element(watch->words[i].pointer, watch->bytes[i]) != watch->words[i].value)
            return true;
    return false;
}

/* Have the words changed that a path's lanes have read? */
static bool sees_change(const struct warp *warp, const struct path *path)
{
    for (uint32_t lanes = path->mask; lanes; lanes &= lanes - 1)
        if (has_changed(warp, &warp->watches[first_lane(lanes)]))
            return true;
    return false;
}

/* States to compare with are taken at ever longer intervals, as in path_watch(). */
bool path_would_circle(const struct warp *warp, struct path *path)
{
    const uint64_t state = path_digest(warp, path);
    const bool same = path->stops > 0 && path->stop_snapshot == state;
    if (same && path->stop_writes == warp->writes && !sees_change(warp, path))
        return true;
    if (same || path->stops >= path->next_stop) {
        path->next_stop = 2 * path->stops + 1; /* 1, 3, 7 ... */
        path->stop_snapshot = state;
        path->stop_writes = warp->writes;
        for (uint32_t lanes = path->mask; lanes; lanes &= lanes - 1)
            warp->watches[first_lane(lanes)].count = 0;
    }
    path->stops++;
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
        arrive(warp);
    }
    return NULL;
}

void warp_step(struct warp *warp)
{
    step(warp, warp->block->launch->listeners.instruction.count > 0);
}

static bool has_asleep(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_ASLEEP)
            return true;
    return false;
}

/* Run the current path until it stops. False: it is held in front of what meets other blocks. */
static bool run_to_meeting(struct warp *warp, bool heard)
{
    while (!warp->stop) {
        const struct path *path = warp->path;
        if (path->frame->code->ops[path->pc].meets)
            return false;
        step(warp, heard);
    }
    return true;
}

void warp_meet(struct warp *warp)
{
    const bool heard = warp->block->launch->listeners.instruction.count > 0;
    struct path *path = warp->path;
    warp->state = WARP_READY;
    if (!path_would_circle(warp, path)) {
        if (path->stops > STOPS_WHILE_OTHERS_WAIT)
            release_waiting(warp, path);
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
        if (path->state != PATH_ASLEEP || (!all && !sees_change(warp, path)))
            continue;
        path->state = PATH_READY;
        path->woke = true;
        path->stops = path->next_stop = 0;
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

void warp_rouse(struct warp *warp)
{
    wake(warp, true);
}

void warp_run(struct warp *warp)
{
    const struct listeners *listeners = &warp->block->launch->listeners;
    const bool rounds = warp->block->launch->rounds;
    struct path *path;
    while (!warp->block->failed && (path = next_path(warp)) != NULL) {
        warp_enter(warp, path);
        if (path->pc ==
            path->record->pc) /* where it waited was the last before the meeting point */
            arrive(warp);
        const bool heard = listeners->instruction.count > 0;
        if (rounds && !run_to_meeting(warp, heard)) {
            warp->state = WARP_HELD;
            return;
        }
        while (!warp->stop)
            step(warp, heard);
    }
    if (warp->live == 0)
        warp->state = WARP_DONE;
    else if (wake_yielded(warp))
        warp->state = WARP_READY;
    else
        warp->state = rounds && has_asleep(warp) ? WARP_ASLEEP : WARP_WAITING;
}

bool warp_is_stuck(const struct warp *warp)
{
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_READY && !warp->paths[i].stuck)
            return false;
    return true;
}

static void set_special(struct warp *warp, int sreg, uint32_t value)
{
    lane_u32 *lanes = (lane_u32 *)(warp->specials + special_offset(sreg, false));
    for (int i = 0; i < WARP_SIZE; i++)
        lanes[i] = value;
}

static void set_threads(struct warp *warp)
{
    lane_u32 *x = (lane_u32 *)(warp->specials + special_offset(SREG_TID_X, false));
    lane_u32 *y = (lane_u32 *)(warp->specials + special_offset(SREG_TID_Y, false));
    lane_u32 *z = (lane_u32 *)(warp->specials + special_offset(SREG_TID_Z, false));
    struct dim thread = warp_thread(warp, 0);
    const struct dim block = warp->block->launch->launch.block;
    for (int i = 0; i < WARP_SIZE; i++) {
        x[i] = thread.x;
        y[i] = thread.y;
        z[i] = thread.z;
        if (++thread.x < block.x)
            continue;
        thread.x = 0;
        if (++thread.y < block.y)
            continue;
        thread.y = 0;
        thread.z++;
    }
}

static void set_lanes(struct warp *warp)
{
    static const struct {
        int sreg;
        bool below, self, above;
    } masks[] = {{SREG_LANEMASK_EQ, false, true, false},
                 {SREG_LANEMASK_LE, true, true, false},
                 {SREG_LANEMASK_LT, true, false, false},
                 {SREG_LANEMASK_GE, false, true, true},
                 {SREG_LANEMASK_GT, false, false, true}};
    lane_u32 *lane = (lane_u32 *)(warp->specials + special_offset(SREG_LANEID, false));
    for (uint32_t i = 0; i < WARP_SIZE; i++)
        lane[i] = i;
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        lane_u32 *mask = (lane_u32 *)(warp->specials + special_offset(masks[k].sreg, false));
        for (uint32_t i = 0; i < WARP_SIZE; i++) {
            const uint32_t self = 1u << i, below = self - 1;
            mask[i] = (masks[k].below ? below : 0) | (masks[k].self ? self : 0) |
                      (masks[k].above ? ~(self | below) : 0);
        }
    }
}

void warp_start_once(struct warp *warp)
{
    const struct launch_state *state = warp->block->launch;
    const struct launch *launch = &state->launch;
    lane_u64 *grid_id = (lane_u64 *)(warp->specials + special_offset(SREG_GRIDID, true));
    for (int i = 0; i < WARP_SIZE; i++)
        grid_id[i] = launch->number;
    set_special(warp, SREG_GRIDID, (uint32_t)launch->number);
    set_special(warp, SREG_NTID_X, launch->block.x);
    set_special(warp, SREG_NTID_Y, launch->block.y);
    set_special(warp, SREG_NTID_Z, launch->block.z);
    set_special(warp, SREG_NCTAID_X, launch->grid.x);
    set_special(warp, SREG_NCTAID_Y, launch->grid.y);
    set_special(warp, SREG_NCTAID_Z, launch->grid.z);
    set_special(warp, SREG_WARPID, warp->index);
    set_special(warp, SREG_NWARPID, (uint32_t)state->machine->gpu.max_threads_per_sm / WARP_SIZE);
    set_special(warp, SREG_NSMID, (uint32_t)state->machine->gpu.multiprocessors);
    set_special(warp, SREG_DYNAMIC_SMEM_SIZE, (uint32_t)launch->dynamic_shared);
    set_special(warp, SREG_TOTAL_SMEM_SIZE, (uint32_t)state->shared_bytes);
    set_lanes(warp);
    set_threads(warp);
}

static void set_cluster(struct warp *warp)
{
    const struct block *block = warp->block;
    const struct launch *launch = &block->launch->launch;
    const struct dim grid = launch->grid, size = launch->cluster, at = block->index;
    const struct {
        int first; /* of x, y, z */
        struct dim value;
    } values[] = {
        {SREG_CLUSTERID_X, block->cluster->index},
        {SREG_NCLUSTERID_X, {grid.x / size.x, grid.y / size.y, grid.z / size.z}},
        {SREG_CLUSTER_CTAID_X, {at.x % size.x, at.y % size.y, at.z % size.z}},
        {SREG_CLUSTER_NCTAID_X, size},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        set_special(warp, values[i].first, values[i].value.x);
        set_special(warp, values[i].first + 1, values[i].value.y);
        set_special(warp, values[i].first + 2, values[i].value.z);
    }
    set_special(warp, SREG_CLUSTER_CTARANK, block->rank);
    set_special(warp, SREG_CLUSTER_NCTARANK, block->launch->cluster_size);
}

void warp_start(struct warp *warp)
{
    const struct block *block = warp->block;
    const uint64_t first = (uint64_t)warp->index * WARP_SIZE;
    const uint64_t threads = block->launch->threads;
    const uint32_t lanes =
        threads - first >= WARP_SIZE ? (uint32_t)FULL_WARP : (1u << (threads - first)) - 1;
    set_special(warp, SREG_CTAID_X, block->index.x);
    set_special(warp, SREG_CTAID_Y, block->index.y);
    set_special(warp, SREG_CTAID_Z, block->index.z);
    set_special(warp, SREG_SMID, (uint32_t)warp_place(warp).multiprocessor);
    if (block->cluster)
        set_cluster(warp);

    memset(warp->scratch, 0, sizeof warp->scratch);
    for (int i = 0; i < WARP_SIZE; i++) {
        warp->paths[i].state = PATH_FREE;
        warp->records[i].used = false;
    }
    for (int i = 0; warp->watches && i < WARP_SIZE; i++)
        warp->watches[i].count = 0;
    warp->path_limit = 0;
    warp->path = NULL;
    warp->threads = lanes;
    warp->live = lanes;
    warp->carry = 0;
    warp->arrived = warp->passable = 0;
    warp->issued = 0;
    warp->writes = 0;
    warp->circles = false;
    warp->state = WARP_READY;
    warp->last_allocation = NULL;
    warp->base[FILE_SPECIALS] = warp->specials;
    frame_reset(warp->frame);
    warp->frame->record = (struct record){.pc = NO_PC, .expected = lanes};
    path_new(warp, lanes, 0, &warp->frame->record, warp->frame);
}

struct warp_place warp_place(const struct warp *warp)
{
    const struct block *block = warp->block;
    const uint64_t multiprocessors = (uint64_t)block->launch->machine->gpu.multiprocessors;
    return (struct warp_place){.block = block->index,
                               .index = warp->index,
                               .multiprocessor = (int)(block->number % multiprocessors)};
}

const struct launch *warp_launch(const struct warp *warp)
{
    return &warp->block->launch->launch;
}

struct dim warp_thread(const struct warp *warp, int lane)
{
    const struct dim block = warp->block->launch->launch.block;
    const uint32_t thread = warp->index * WARP_SIZE + (uint32_t)lane;
    return (struct dim){thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

void *warp_scratch(const struct warp *warp)
{
    return ((struct warp *)warp)->scratch;
}

const struct ptx_function *warp_function(const struct warp *warp)
{
    return warp->path->frame->code->function;
}

const void *warp_frame(const struct warp *warp)
{
    return warp->path->frame;
}

uint64_t warp_register(const struct warp *warp, int number, int lane)
{
    const struct ptx_register *reg = &warp_function(warp)->registers[number];
    if (reg->type == PTX_PRED)
        return ((const lane_u32 *)warp->base[FILE_PREDICATES])[reg->slot] >> lane & 1;
    const char *lanes = warp->base[FILE_REGISTERS] + reg->slot;
    return ptx_type_size(reg->type) > 4 ? ((const lane_u64 *)lanes)[lane]
                                        : ((const lane_u32 *)lanes)[lane];
}

void warp_listen(const struct warp *warp, void *self,
                 void (*listener)(void *self, const struct instruction_event *event))
{
    struct listeners *listeners = &warp->block->launch->listeners;
    const int last = listeners->instruction.count++;
    listeners->instruction.list[last].self = self;
    listeners->instruction.list[last].call = listener;
    ((struct warp *)warp)->stop = true; /* and it is chosen again, as one that is heard */
}
