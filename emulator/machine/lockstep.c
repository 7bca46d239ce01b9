/* SPDX-License-Identifier: MIT */
/* Launches with operations that order blocks: one reads, in an order that others can see, what
 * another writes.
 *
 * Which block comes first must not be the host's to decide. So blocks run in lockstep. In the first
 * half of a step each goes on, on whatever CPU thread, until its warps are held before an
 * instruction that orders blocks (struct op), wait, or have ended. In the second half one thread
 * lets every held warp run that one instruction: block after block as they started, warp after warp
 * as the schedule says. As many blocks are under way as the GPU can hold at once: one that waits
 * for a later block waits for ever, as it does there. None of this depends on how many threads
 * there are or how fast they run.
 *
 * A path that would only read again what it has read sleeps until one of these words changes:
 * however long it waits, it polls as often. */
#include "thread_pool.h"
#include "launch.h"
#include "paths.h"

#include <stdlib.h>

enum { PATIENT_TURNS = 256, WORKERS_A_THREAD = 4 };

struct lockstep {
    struct launch_state *launch;
    struct block **blocks; /* under way, in the order they started */
    int count, window;
    uint64_t writes; /* all, at the end of the step before */
    uint64_t roused_at; /* all writes, when all that slept were last woken */
    int threads;
    struct thread_pool *pool;
};

/* Has it anything to do in the first half of a step? */
static bool can_run(const struct block *block)
{
    for (int i = 0; !block->stuck && i < block->warp_count; i++)
        if (block->warps[i].state == WARP_READY)
            return true;
    return false;
}

/* The first half, of one block. */
static void run_block(struct block *block)
{
    enum block_status status = BLOCK_RUNNING;
    for (int turns = 0; status == BLOCK_RUNNING && turns < PATIENT_TURNS; turns++)
        status = block_turn(block);
    block->stuck = status == BLOCK_STUCK;
    block->done = status == BLOCK_DONE;
}

/* The blocks of one worker. */
static void run_worker(void *self, int number)
{
    const struct lockstep *lockstep = self;
    for (int i = 0; i < lockstep->count; i++)
        if (lockstep->blocks[i]->worker->number == number && can_run(lockstep->blocks[i]))
            run_block(lockstep->blocks[i]);
}

static void run_all(struct lockstep *lockstep)
{
    int busy = 0;
    for (int i = 0; i < lockstep->count && busy < 2; i++)
        busy += can_run(lockstep->blocks[i]);
    if (lockstep->threads == 1 || busy < 2) {
        for (int i = 0; i < lockstep->count; i++)
            if (can_run(lockstep->blocks[i]))
                run_block(lockstep->blocks[i]);
        return;
    }
    thread_pool_step(lockstep->pool);
}

/* The second half. */

static void run_ordering(struct block *block)
{
    int order[MAX_BLOCK_WARPS];
    for (int turn = 0; turn < block->warp_count && !block->failed; turn++) {
        struct warp *warp = &block->warps[block_warp_at(block, turn, order)];
        if (warp->state == WARP_HELD) {
            warp_run_ordering(warp);
            block->stuck = false;
        }
        if (warp_wake(warp))
            block->stuck = false;
    }
}

static bool start_block(struct lockstep *lockstep)
{
    struct launch_state *launch = lockstep->launch;
    const int size = (int)launch->cluster_size;
    const uint64_t cluster = launch->next_position / launch->cluster_size;
    struct worker *worker = &launch->workers[cluster % (uint64_t)launch->worker_count];
    if (lockstep->count + size > lockstep->window || !worker_start_block(worker))
        return false;
    struct block *block = worker->blocks; /* the first of its cluster */
    for (int i = 0; i < size; i++, block = block->next)
        lockstep->blocks[lockstep->count++] = block;
    return true;
}

static void run_all_ordering(struct lockstep *lockstep)
{
    int left = 0;
    for (int i = 0; i < lockstep->count; i++) {
        struct block *block = lockstep->blocks[i];
        const bool overtaken = block->position > lockstep->launch->failed_position;
        if (!block->done && !overtaken)
            run_ordering(block);
        if (block->done || overtaken)
            worker_end_block(block);
        else
            lockstep->blocks[left++] = block;
    }
    lockstep->count = left;
    while (start_block(lockstep))
        ;
}

/* Blocks that repeat a loop may find that memory has changed since. */
static void note_writes(struct lockstep *lockstep)
{
    const uint64_t writes = launch_writes(lockstep->launch);
    for (int i = 0; i < lockstep->count && writes != lockstep->writes; i++)
        lockstep->blocks[i]->stuck = false;
    lockstep->writes = writes;
}

static bool can_go_on(const struct lockstep *lockstep)
{
    for (int i = 0; i < lockstep->count; i++)
        if (can_run(lockstep->blocks[i]))
            return true;
    return false;
}

/* Before a deadlock is reported, all that sleep look once more: what they wait for may be no word
 * that they were seen to read. */
static bool rouse(struct lockstep *lockstep)
{
    if (lockstep->roused_at == lockstep->writes)
        return false;
    lockstep->roused_at = lockstep->writes;
    for (int i = 0; i < lockstep->count; i++)
        for (int w = 0; w < lockstep->blocks[i]->warp_count; w++)
            if (warp_rouse(&lockstep->blocks[i]->warps[w]))
                lockstep->blocks[i]->stuck = false;
    return can_go_on(lockstep);
}

/* Lanes that wait for polling ones may hold the lock that these poll. */
static bool release_any(struct lockstep *lockstep)
{
    bool any = false;
    for (int i = 0; i < lockstep->count; i++)
        for (int w = 0; w < lockstep->blocks[i]->warp_count; w++)
            if (warp_release(&lockstep->blocks[i]->warps[w])) {
                lockstep->blocks[i]->stuck = false;
                any = true;
            }
    return any;
}

/* Nothing moves, nor does a block end and make room for a later one. */
static void unblock(struct lockstep *lockstep)
{
    if (release_any(lockstep) || rouse(lockstep))
        return;
    if (lockstep->launch->failed_position == UINT64_MAX)
        block_deadlock(lockstep->blocks[0]);
    for (int i = 0; i < lockstep->count; i++)
        lockstep->blocks[i]->done = true;
}

static void run_steps(struct lockstep *lockstep)
{
    while (start_block(lockstep))
        ;
    while (lockstep->count > 0) {
        run_all(lockstep);
        run_all_ordering(lockstep);
        note_writes(lockstep);
        if (lockstep->count > 0 && !can_go_on(lockstep))
            unblock(lockstep);
    }
}

int lockstep_window(const struct launch_state *launch)
{
    const struct gpu *gpu = &launch->machine->gpu;
    const int by_threads = gpu->max_threads_per_sm / (int)launch->threads;
    const int most = gpu->max_blocks_per_sm;
    const int window = gpu->multiprocessors * (by_threads < 1      ? 1
                                               : by_threads < most ? by_threads
                                                                   : most);
    const int size = (int)launch->cluster_size;
    return window < size ? size : window / size * size;
}

int lockstep_workers(int threads)
{
    return threads > 1 ? threads * WORKERS_A_THREAD : 1;
}

void lockstep_run(struct launch_state *launch, int threads)
{
    struct lockstep lockstep = {.launch = launch, .roused_at = UINT64_MAX, .threads = threads};
    lockstep.window = lockstep_window(launch);
    lockstep.blocks = calloc((size_t)lockstep.window, sizeof(struct block *));
    if (!lockstep.blocks) {
        launch_fail_without_memory(launch);
        return;
    }
    lockstep.pool = thread_pool_start(threads, launch->worker_count, run_worker, &lockstep);
    run_steps(&lockstep);
    thread_pool_stop(lockstep.pool);
    free(lockstep.blocks);
}
