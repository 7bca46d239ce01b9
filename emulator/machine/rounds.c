/* SPDX-License-Identifier: MIT */
/* Launches whose blocks may meet: one reads, in an order that others can see, what another writes.
 *
 * Which block comes first must not be the host's to decide. So blocks run in rounds. In the first
 * half of a round each goes on, on whatever CPU thread, until its warps are held in front of an
 * instruction that meets others (struct op), wait, or have ended. In the second half one thread
 * lets every held warp run that one instruction: block after block as they started, warp after warp
 * as the schedule says. As many blocks are under way as the GPU can hold at once. None of this
 * depends on how many threads there are or how fast they run.
 *
 * A path that would only read again what it has read sleeps until one of these words changes:
 * however long it waits, it polls as often. */
#include "launch.h"
#include "paths.h"

#include <stdlib.h>

enum { PATIENT_TURNS = 256, SHARES_A_THREAD = 4 };

struct rounds {
    struct launch_state *launch;
    struct block **blocks; /* under way, in the order they started */
    int count, window, most;
    uint64_t writes; /* all, at the end of the round before */
    uint64_t roused_at; /* all writes, when all that slept were last woken */
    int threads;
    /* The other threads. */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t number; /* of the round */
    int next_share, shares_left;
    bool over;
};

static bool has_warp(const struct block *block, enum warp_state state)
{
    for (int i = 0; i < block->warp_count; i++)
        if (block->warps[i].state == state)
            return true;
    return false;
}

/* Has it anything to do in the first half of a round? */
static bool can_run(const struct block *block)
{
    return !block->done && !block->stuck && has_warp(block, WARP_READY);
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

/* A share of the blocks: those of one worker. */
static void run_share(struct rounds *rounds, int share)
{
    for (int i = 0; i < rounds->count; i++)
        if (rounds->blocks[i]->worker->number == share && can_run(rounds->blocks[i]))
            run_block(rounds->blocks[i]);
}

/* Take shares while there are any. Called and returns with the lock held. */
static void take_shares(struct rounds *rounds)
{
    while (rounds->next_share < rounds->launch->worker_count) {
        const int share = rounds->next_share++;
        pthread_mutex_unlock(&rounds->lock);
        run_share(rounds, share);
        pthread_mutex_lock(&rounds->lock);
        if (--rounds->shares_left == 0)
            pthread_cond_signal(&rounds->end);
    }
}

static void *helper_run(void *self)
{
    struct rounds *rounds = self;
    uint64_t seen = 0;
    pthread_mutex_lock(&rounds->lock);
    for (;;) {
        while (rounds->number == seen && !rounds->over)
            pthread_cond_wait(&rounds->begin, &rounds->lock);
        if (rounds->over)
            break;
        seen = rounds->number;
        take_shares(rounds);
    }
    pthread_mutex_unlock(&rounds->lock);
    return NULL;
}

static void run_all(struct rounds *rounds)
{
    int busy = 0;
    for (int i = 0; i < rounds->count && busy < 2; i++)
        busy += can_run(rounds->blocks[i]);
    if (rounds->threads == 1 || busy < 2) {
        for (int i = 0; i < rounds->count; i++)
            if (can_run(rounds->blocks[i]))
                run_block(rounds->blocks[i]);
        return;
    }
    pthread_mutex_lock(&rounds->lock);
    rounds->next_share = 0;
    rounds->shares_left = rounds->launch->worker_count;
    rounds->number++;
    pthread_cond_broadcast(&rounds->begin);
    take_shares(rounds);
    while (rounds->shares_left > 0)
        pthread_cond_wait(&rounds->end, &rounds->lock);
    pthread_mutex_unlock(&rounds->lock);
}

/* The second half. */

static void meet(struct block *block)
{
    int order[MAX_BLOCK_WARPS];
    for (int i = 0; i < block->warp_count && i < MAX_BLOCK_WARPS; i++)
        order[i] = i;
    for (int turn = 0; turn < block->warp_count && !block->failed; turn++) {
        struct warp *warp = &block->warps[block_warp_at(block, turn, order)];
        if (warp->state == WARP_HELD) {
            warp_meet(warp);
            block->stuck = false;
        }
        if (warp_wake(warp))
            block->stuck = false;
    }
}

static void end_block(struct block *block)
{
    struct block **link = &block->worker->blocks;
    while (*link != block)
        link = &(*link)->next;
    worker_end_block(block->worker, link);
}

static bool start_block(struct rounds *rounds)
{
    struct launch_state *launch = rounds->launch;
    const int size = (int)launch->cluster_size;
    const uint64_t cluster = launch->next_turn / launch->cluster_size;
    struct worker *worker = &launch->workers[cluster % (uint64_t)launch->worker_count];
    if (rounds->count + size > rounds->most || !worker_start_block(worker))
        return false;
    struct block *block = worker->blocks; /* the first of its cluster */
    for (int i = 0; i < size; i++, block = block->next)
        rounds->blocks[rounds->count++] = block;
    return true;
}

static void meet_all(struct rounds *rounds)
{
    int left = 0;
    for (int i = 0; i < rounds->count; i++) {
        struct block *block = rounds->blocks[i];
        const bool overtaken = block->turn > rounds->launch->failed_turn;
        if (!block->done && !overtaken)
            meet(block);
        if (block->done || overtaken)
            end_block(block);
        else
            rounds->blocks[left++] = block;
    }
    rounds->count = left;
    while (rounds->count < rounds->window && start_block(rounds))
        ;
}

/* Blocks that go round a loop may find that memory has changed since. */
static void note_writes(struct rounds *rounds)
{
    const uint64_t writes = launch_writes(rounds->launch);
    for (int i = 0; i < rounds->count && writes != rounds->writes; i++)
        rounds->blocks[i]->stuck = false;
    rounds->writes = writes;
}

static bool can_go_on(const struct rounds *rounds)
{
    for (int i = 0; i < rounds->count; i++) {
        const struct block *block = rounds->blocks[i];
        if (block->done || can_run(block) || has_warp(block, WARP_HELD))
            return true;
    }
    return false;
}

/* Before a deadlock is told, all that sleep look once more: what they wait for may be no word that
 * they were seen to read. */
static bool rouse(struct rounds *rounds)
{
    if (rounds->roused_at == rounds->writes)
        return false;
    rounds->roused_at = rounds->writes;
    for (int i = 0; i < rounds->count; i++)
        for (int w = 0; w < rounds->blocks[i]->warp_count; w++)
            warp_rouse(&rounds->blocks[i]->warps[w]);
    return can_go_on(rounds);
}

/* Lanes that wait for those that poll may hold what these wait for. */
static bool release_any(struct rounds *rounds)
{
    bool any = false;
    for (int i = 0; i < rounds->count; i++)
        for (int w = 0; w < rounds->blocks[i]->warp_count; w++)
            if (warp_release(&rounds->blocks[i]->warps[w])) {
                rounds->blocks[i]->stuck = false;
                any = true;
            }
    return any;
}

/* Nothing moves: a later block may do what the others wait for; else nobody will. */
static void unblock(struct rounds *rounds)
{
    if (start_block(rounds) || release_any(rounds) || rouse(rounds))
        return;
    if (rounds->launch->failed_turn == UINT64_MAX)
        block_deadlock(rounds->blocks[0]);
    for (int i = 0; i < rounds->count; i++)
        rounds->blocks[i]->done = true;
}

static void run_rounds(struct rounds *rounds)
{
    while (rounds->count < rounds->window && start_block(rounds))
        ;
    while (rounds->count > 0) {
        run_all(rounds);
        meet_all(rounds);
        note_writes(rounds);
        if (rounds->count > 0 && !can_go_on(rounds))
            unblock(rounds);
    }
}

int rounds_window(const struct launch_state *launch)
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

static int start_helpers(struct rounds *rounds, pthread_t *helpers)
{
    int started = 0;
    while (started < rounds->threads - 1 &&
           pthread_create(&helpers[started], NULL, helper_run, rounds) == 0)
        started++;
    return started;
}

static void with_helpers(struct rounds *rounds)
{
    pthread_t *helpers = calloc((size_t)rounds->threads, sizeof *helpers);
    const int started = helpers ? start_helpers(rounds, helpers) : 0;
    run_rounds(rounds);
    pthread_mutex_lock(&rounds->lock);
    rounds->over = true;
    pthread_cond_broadcast(&rounds->begin);
    pthread_mutex_unlock(&rounds->lock);
    for (int i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    free(helpers);
}

int rounds_shares(int threads)
{
    return threads > 1 ? threads * SHARES_A_THREAD : 1;
}

void rounds_run(struct launch_state *launch, int threads)
{
    struct rounds rounds = {.launch = launch, .roused_at = UINT64_MAX, .threads = threads};
    rounds.window = rounds_window(launch);
    rounds.most = launch->machine->gpu.multiprocessors * launch->machine->gpu.max_blocks_per_sm;
    if (rounds.most < rounds.window)
        rounds.most = rounds.window;
    rounds.blocks = calloc((size_t)rounds.most, sizeof(struct block *));
    if (!rounds.blocks) {
        launch_fail_without_memory(launch);
        return;
    }
    pthread_mutex_init(&rounds.lock, NULL);
    pthread_cond_init(&rounds.begin, NULL);
    pthread_cond_init(&rounds.end, NULL);
    with_helpers(&rounds);
    pthread_cond_destroy(&rounds.end);
    pthread_cond_destroy(&rounds.begin);
    pthread_mutex_destroy(&rounds.lock);
    free(rounds.blocks);
}
