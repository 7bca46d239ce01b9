/* SPDX-License-Identifier: MIT */
/* Barriers of a block. Threads are counted, not warps: lanes of a divided warp may arrive one after
 * the other, as long as they arrive at the same instruction. */
#include "launch.h"
#include "mbarrier.h"
#include "paths.h"

#include <inttypes.h>

static bool waits_at(const struct path *path, int number)
{
    return path->state == PATH_AT_BARRIER && path->barrier == number;
}

bool path_beside(const struct path *a, const struct path *b)
{
    return a->pc == b->pc && a->record == b->record && a->frame == b->frame;
}

/* Join the paths that waited at the barrier side by side. */
static void merge_paths(struct warp *warp, int number)
{
    for (int i = 0; i < warp->path_limit; i++) {
        struct path *path = &warp->paths[i];
        if (!waits_at(path, number))
            continue;
        for (int k = i + 1; k < warp->path_limit; k++) {
            struct path *other = &warp->paths[k];
            if (!waits_at(other, number) || !path_beside(other, path))
                continue;
            path->mask |= other->mask;
            other->state = PATH_FREE;
        }
    }
}

/* The result of bar.red for the lanes of a path. */
static void deliver(const struct path *path, const struct barrier *barrier)
{
    const struct op *op = op_of(path);
    if (!op->d.present)
        return;
    char *const base = path->frame->registers;
    if (op->d.bytes == 0) {
        const bool holds = ptx_has(op->instr, MOD_AND) ? barrier->against == 0 : barrier->count > 0;
        lane_u32 *word = (lane_u32 *)(path->frame->predicates + op->d.offset);
        *word = (*word & ~path->mask) | (holds ? path->mask : 0);
        return;
    }
    if (op->d.file != FILE_REGISTERS)
        return;
    for (int i = 0; i < WARP_SIZE; i++)
        if (path->mask >> i & 1)
            ((lane_u32 *)(base + op->d.offset))[i] = barrier->count;
}

void barrier_let_go(struct warp *warp, int number, struct barrier_open_event *event)
{
    merge_paths(warp, number);
    for (int i = 0; i < warp->path_limit; i++) {
        struct path *path = &warp->paths[i];
        if (!waits_at(path, number))
            continue;
        deliver(path, &warp->block->barriers[number]);
        path->state = PATH_READY;
        path->stuck = false;
        path->spun = (struct spun){.spins = path->spun.spins}; /* others have moved: anew */
        if (warp->state == WARP_WAITING || warp->state == WARP_ASLEEP)
            warp->state = WARP_READY;
        if (event->warp)
            continue;
        event->warp = warp;
        event->instr = op_of(path)->instr;
        event->lane = first_lane(path->mask);
    }
}

static void open_barrier(struct block *block, int number)
{
    const struct launch_state *launch = block->launch;
    struct barrier_open_event event = {.worker = block->worker->number,
                                       .launch = &launch->launch,
                                       .block = block->index,
                                       .number = number,
                                       .expected = block->barriers[number].expected,
                                       .block_live = block->live};
    for (int w = 0; w < block->warp_count; w++)
        barrier_let_go(&block->warps[w], number, &event);
    NOTIFY(block->listeners->barrier_open, &event);
    NOTIFY(block->listeners->barrier_release, block->worker->number, &launch->launch, block->index);
    block->barriers[number] = (struct barrier){0};
}

/* Threads have arrived or ended: a barrier for all opens when all live ones are there. */
void block_check_barriers(struct block *block)
{
    for (int i = 0; i < block->barrier_limit; i++) {
        const struct barrier *barrier = &block->barriers[i];
        if (barrier->arrived > 0 && barrier->expected == 0 && barrier->arrived == block->live)
            open_barrier(block, i);
    }
}

/* Lanes of one warp must not wait for each other at different instructions. */
static bool is_divergent(struct warp *warp, const struct op *op, int number)
{
    for (int i = 0; i < warp->path_limit; i++) {
        const struct path *path = &warp->paths[i];
        if (path == warp->path || !waits_at(path, number) || op_of(path) == op)
            continue;
        warp_fault(warp, op->instr, first_lane(warp->path->mask), FAULT_BARRIER,
                   "divergent barrier", "lanes 0x%08x of its warp wait at another one, PTX line %d",
                   path->mask, op_of(path)->instr->line);
        return true;
    }
    return false;
}

/* A count is of whole warps, so lanes that have ended count as threads, too: they arrive with the
 * last of the live ones. */
static uint32_t threads_counted(const struct warp *warp, uint32_t lanes, int number,
                                uint32_t expected)
{
    uint32_t come = lanes;
    for (int i = 0; expected && i < warp->path_limit; i++)
        if (waits_at(&warp->paths[i], number))
            come |= warp->paths[i].mask;
    if (expected && come == warp->live)
        lanes |= ~warp->live;
    return (uint32_t)__builtin_popcount(lanes);
}

void block_arrive(struct warp *warp, const struct op *op, uint32_t lanes, int number,
                  uint32_t expected, bool waits)
{
    struct block *block = warp->block;
    struct barrier *barrier = &block->barriers[number];
    if (!ptx_has(op->instr, MOD_ARRIVE) && op->instr->opcode == OP_BAR &&
        is_divergent(warp, op, number))
        return;
    if (barrier->arrived > 0 && barrier->expected != expected) {
        warp_fault(warp, op->instr, first_lane(lanes), FAULT_BARRIER, "barrier",
                   "barrier %d waits for %u threads, this names %u", number, barrier->expected,
                   expected);
        return;
    }
    if (number >= block->barrier_limit)
        block->barrier_limit = number + 1;
    barrier->expected = expected;
    barrier->arrived += threads_counted(warp, lanes, number, expected);
    if (op->c.present) {
        const uint32_t holds = slot_predicate(warp, op->c);
        barrier->count += (uint32_t)__builtin_popcount(holds & lanes);
        barrier->against += (uint32_t)__builtin_popcount(~holds & lanes);
    }
    if (waits) {
        warp->path->barrier = number;
        path_park(warp, PATH_AT_BARRIER);
    }
    if (expected == 0)
        block_check_barriers(block);
    else if (barrier->arrived >= expected)
        open_barrier(block, number);
}

/* Why a barrier does not open: where the others are. */
static void fault_barrier(struct warp *warp, const struct path *path)
{
    const struct block *block = warp->block;
    const uint32_t others = warp->live & ~path->mask;
    const int lane = first_lane(path->mask);
    if (path->barrier == CLUSTER_BARRIER) {
        uint32_t arrived, live;
        cluster_count(block->cluster, &arrived, &live);
        warp_fault(warp, op_of(path)->instr, lane, FAULT_BARRIER, "deadlock",
                   "the barrier of the cluster has %u of %u threads, and no other can come",
                   arrived, live);
        return;
    }
    if (path->barrier == REGISTER_POOL) {
        warp_fault(warp, op_of(path)->instr, lane, FAULT_BARRIER, "deadlock",
                   "it waits for %d more registers for each thread, %u are free, and no warp is "
                   "left to give any back",
                   warp->wanted - warp->registers, block->registers);
        return;
    }
    if (others) {
        warp_fault(warp, op_of(path)->instr, lane, FAULT_BARRIER, "divergent barrier",
                   "lanes 0x%08x of its warp never come to it", others);
        return;
    }
    const struct barrier *barrier = &block->barriers[path->barrier];
    warp_fault(warp, op_of(path)->instr, lane, FAULT_BARRIER, "deadlock",
               "barrier %d has %u of %u threads, and no other can come", path->barrier,
               barrier->arrived, barrier->expected ? barrier->expected : block->live);
}

/* Why a barrier in shared memory stays closed. */
static void fault_phase(struct warp *warp, const struct ptx_instr *instr, int lane)
{
    const unsigned at = (unsigned)(warp->awaited - warp->block->shared);
    int64_t bytes;
    uint32_t threads;
    mbarrier_missing(warp->awaited, &bytes, &threads);
    if (bytes < 0)
        warp_fault(warp, instr, lane, FAULT_BARRIER, "deadlock",
                   "its barrier at 0x%x of shared memory got %" PRId64
                   " bytes more than were announced (expect_tx), and waits for %u threads",
                   at, -bytes, threads);
    else
        warp_fault(warp, instr, lane, FAULT_BARRIER, "deadlock",
                   "its barrier at 0x%x of shared memory waits for %" PRId64
                   " bytes and %u threads, and no thread is left to bring them",
                   at, bytes, threads);
}

/* Why a loop does not end: who could change what it reads. */
static void fault_spin(struct warp *warp, const struct path *path)
{
    const struct launch_state *launch = warp->block->launch;
    const struct ptx_instr *instr = path->frame->code->ops[path->pc].instr;
    const int lane = first_lane(path->mask);
    const uint64_t begun = launch->next_position, to_come = launch->until_position - begun;
    uint64_t ended = 0;
    for (int i = 0; i < launch->worker_count; i++)
        ended += launch->workers[i].ended;
    if (begun < launch->until_position)
        warp_fault(warp, instr, lane, FAULT_BARRIER, "deadlock",
                   "it waits for a later block: the GPU holds %" PRIu64
                   " at once, and the other %" PRIu64 " begin only as these end",
                   begun - ended, to_come);
    else if (warp->awaited)
        fault_phase(warp, instr, lane);
    else if (memory_is_shared(launch->machine))
        warp_fault(warp, instr, lane, FAULT_BARRIER, "deadlock",
                   "it spins in a loop that only a change of memory can end, and no thread is "
                   "left to make one; nor can the host, as a launch returns when its kernel has "
                   "ended here");
    else
        warp_fault(warp, instr, lane, FAULT_BARRIER, "deadlock",
                   "it spins in a loop that only a change of memory can end, and no thread is "
                   "left to make one");
}

/* Does the warp wait for a barrier that got too few bytes, or too many? Who waits for one of
 * threads alone may wait for such a warp. */
static bool lacks_bytes(const struct warp *warp)
{
    int64_t bytes = 0;
    uint32_t threads;
    if (warp->awaited)
        mbarrier_missing(warp->awaited, &bytes, &threads);
    return bytes != 0;
}

/* The first path in that state, or NULL; that of a barrier without its bytes before all others. */
static const struct path *find_stuck(struct block *block, enum path_state state, struct warp **of)
{
    const struct path *found = NULL;
    for (int n = 0; n < block->warp_count * WARP_SIZE; n++) {
        struct warp *warp = &block->warps[n / WARP_SIZE];
        const struct path *path = &warp->paths[n % WARP_SIZE];
        if (path->state != state || (found && !lacks_bytes(warp)))
            continue;
        found = path;
        *of = warp;
        if (lacks_bytes(warp))
            break;
    }
    return found;
}

void block_deadlock(struct block *block)
{
    /* Where blocks are still to come, a path that sleeps may wait for one of them, and all others
     * for that path. */
    const bool more = block->launch->next_position < block->launch->until_position;
    const enum path_state order[] = {more ? PATH_ASLEEP : PATH_AT_COLLECTIVE, PATH_AT_COLLECTIVE,
                                     PATH_AT_BARRIER, PATH_READY, PATH_ASLEEP};
    const struct path *path = NULL;
    struct warp *warp = NULL;
    for (size_t k = 0; !path && k < sizeof order / sizeof *order; k++)
        path = find_stuck(block, order[k], &warp);
    if (!path)
        return;
    if (path->state == PATH_AT_BARRIER)
        fault_barrier(warp, path);
    else if (path->state == PATH_AT_COLLECTIVE)
        warp_fault(warp, op_of(path)->instr, first_lane(path->mask), FAULT_BARRIER, "deadlock",
                   "lanes 0x%08x of its warp never come to it",
                   path->members & warp->live & ~path->mask);
    else
        fault_spin(warp, path);
}
