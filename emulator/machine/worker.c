/* SPDX-License-Identifier: MIT */
/* A worker: a CPU thread that runs blocks, one after the other, or in turns where they wait. */
#include "bulk_stores.h"
#include "copies.h"
#include "group_products.h"
#include "frames.h"
#include "compile/translation.h"
#include "launch.h"
#include "mbarrier.h"
#include "paths.h"
#include "warp_start.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

enum { SHARED_ALIGN = 64, PATIENT_TURNS = 256, FEEDING_TURNS = 64 };

static void block_free(struct block *block)
{
    if (!block)
        return;
    for (int i = 0; block->warps && i < block->warp_count; i++) {
        if (block->warps[i].frame)
            frame_free(&block->warps[i], block->warps[i].frame);
        copies_free(&block->warps[i]);
        group_products_free(&block->warps[i]);
        bulk_stores_free(&block->warps[i]);
    }
    free(block->warps);
    free(block->specials);
    free(block->watches);
    free(block->shared);
    free(block->copied);
    free(block);
}

static bool make_warps(struct block *block)
{
    const bool watches = block->launch->code->orders_blocks;
    const size_t count = (size_t)block->warp_count;
    const size_t specials = round_up(SPECIALS_BYTES, SHARED_ALIGN);
    block->warps = malloc(count * sizeof *block->warps);
    block->specials = aligned_alloc(SHARED_ALIGN, count * specials);
    if (watches)
        block->watches = malloc(count * WARP_SIZE * sizeof *block->watches);
    for (size_t i = 0; block->warps && i < count; i++)
        memset(&block->warps[i], 0, offsetof(struct warp, paths));
    if (!block->warps || !block->specials || (watches && !block->watches))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct warp *warp = &block->warps[i];
        warp->block = block;
        warp->worker = block->worker;
        warp->index = (uint32_t)i;
        warp->specials = block->specials + i * specials;
        warp->watches = watches ? block->watches + i * WARP_SIZE : NULL;
        warp->frame = frame_new(warp, block->launch->code, NULL);
        if (!warp->frame)
            return false;
        warp_start_once(warp);
    }
    return true;
}

/* A block's room, to be used for one block after another. */
static struct block *block_new(struct worker *worker)
{
    struct launch_state *launch = worker->launch;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->launch = launch;
    block->worker = worker;
    block->warp_count = (int)dim_warps(launch->launch.block);
    block->shared_bytes = launch->launch.shared_bytes;
    block->shared = aligned_alloc(SHARED_ALIGN,
                                  (launch->launch.shared_bytes / SHARED_ALIGN + 1) * SHARED_ALIGN);
    if (launch->sampling)
        block->copied = calloc(launch->launch.shared_bytes / COPIED_BYTES + 1, 1);
    if (!block->shared || (launch->sampling && !block->copied) || !make_warps(block)) {
        block_free(block);
        return NULL;
    }
    return block;
}

/* Which block is it? */
static void set_index(struct block *block, uint64_t position, uint32_t rank)
{
    const struct launch *launch = &block->launch->launch;
    const struct dim grid = launch->grid, size = launch->cluster;
    const struct dim clusters = {grid.x / size.x, grid.y / size.y, grid.z / size.z};
    const struct dim cluster =
        dim_at(clusters, launch_cluster_at(block->launch, position / block->launch->cluster_size));
    const struct dim at = dim_at(size, rank);
    block->position = position;
    block->rank = rank;
    block->index = (struct dim){cluster.x * size.x + at.x, cluster.y * size.y + at.y,
                                cluster.z * size.z + at.z};
    block->number = dim_number(grid, block->index);
    if (block->cluster) {
        block->cluster->index = cluster;
        block->cluster->blocks[rank] = block;
    }
}

static bool is_sampled(const struct launch_state *launch, struct dim index)
{
    bool sampled = false;
    for (int i = 0; !sampled && i < launch->listeners.samples.count; i++)
        sampled = launch->listeners.samples.list[i].call(launch->listeners.samples.list[i].self,
                                                         &launch->launch, index);
    return sampled;
}

/* Does all of it run, and who hears of that? */
static void choose_code(struct block *block)
{
    struct launch_state *launch = block->launch;
    const bool sampled = is_sampled(launch, block->index);
    block->sliced = launch->sampling && !sampled;
    block->listeners = block->sliced ? &launch->samplers
                       : sampled     ? &launch->listeners
                                     : &launch->unsampled;
    block->sampled = sampled || block->listeners->everywhere > 0;
    for (int i = 0; launch->sampling && i < block->warp_count; i++)
        block->warps[i].frame->code = block->sliced ? launch->code->slice : launch->code;
    if (block->sliced)
        memset(block->copied, 0, block->shared_bytes / COPIED_BYTES + 1);
}

static void block_start(struct block *block, uint64_t position, uint32_t rank)
{
    struct launch_state *launch = block->launch;
    const struct ptx_var *reserved = launch->code->function->reserved;
    set_index(block, position, rank);
    choose_code(block);
    block->live = (uint32_t)launch->threads;
    block->registers = 0;
    block->failed = false;
    block->turns = 0;
    block->fed = 0;
    block->stuck = false;
    block->done = false;
    block->random =
        launch->machine->schedule.seed ^ (block->number + 1) * UINT64_C(0xD6E8FEB86659FD93);
    memset(block->barriers, 0, sizeof block->barriers);
    block->barrier_limit = 0;
    memset(block->shared, FRESH_BYTE, block->shared_bytes);
    if (reserved)
        memset(block->shared + reserved->offset, 0, reserved->size);
    for (int i = 0; i < block->warp_count; i++)
        warp_start(&block->warps[i]);
    NOTIFY(block->listeners->block_begin, block->worker->number, &launch->launch, block->index);
}

/* Room for as many blocks as a cluster has, before the worker's list. */
static bool make_room(struct worker *worker)
{
    struct launch_state *launch = worker->launch;
    const bool clusters = launch->cluster_size > 1 || launch->code->program->clusters;
    struct cluster *cluster = clusters ? calloc(1, sizeof *cluster) : NULL;
    if (clusters && !cluster)
        return false;
    if (cluster)
        cluster->size = cluster->left = (int)launch->cluster_size;
    for (uint32_t i = 0; i < launch->cluster_size; i++) {
        struct block *block = worker->spare;
        if (block)
            worker->spare = block->next;
        else if (!(block = block_new(worker)))
            return false; /* the launch ends: what was made goes with the worker */
        block->cluster = cluster;
        block->next = worker->blocks;
        worker->blocks = block;
        worker->block_count++;
    }
    return true;
}

bool worker_start_block(struct worker *worker)
{
    struct launch_state *launch = worker->launch;
    const uint32_t size = launch->cluster_size;
    const bool full =
        worker->block_count > 0 && worker->block_count > launch->max_resident - (int)size;
    if (full || launch->failed_position != UINT64_MAX ||
        launch->next_position >= launch->until_position)
        return false;
    const uint64_t position = atomic_fetch_add(&launch->next_position, size);
    if (position >= launch->until_position)
        return false;
    if (!make_room(worker)) {
        launch_fail_without_memory(launch);
        return false;
    }
    struct block *block = worker->blocks;
    for (uint32_t i = 0; i < size; i++, block = block->next)
        block_start(block, position + i, launch_rank_at(launch, i));
    return true;
}

/* Returns the instructions that its warps have issued, once they are known where they count. */
static uint64_t feed(struct block *block)
{
    uint64_t issued = 0;
    for (int i = 0; i < block->warp_count; i++)
        issued += block->warps[i].issued;
    translation_feed(block->sliced ? block->launch->code->slice : block->launch->code,
                     issued - block->fed);
    block->fed = issued;
    return issued;
}

void worker_end_block(struct block *block)
{
    struct worker *worker = block->worker;
    struct launch_state *launch = worker->launch;
    struct block **link = &worker->blocks;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    worker->block_count--;
    worker->ended++;
    const uint64_t issued = feed(block);
    for (int i = 0; i < block->warp_count; i++) {
        if (block->warps[i].copies)
            copies_end(&block->warps[i]);
        bulk_stores_end(&block->warps[i]);
        group_products_end(&block->warps[i]);
        warp_end(&block->warps[i]);
    }
    worker->issued += issued;
    worker->sliced += block->sliced;
    mbarrier_forget(block);
    NOTIFY(block->listeners->block_end, worker->number, &launch->launch, block->index, issued);
    if (block->cluster)
        cluster_leave(block);
    block->next = worker->spare;
    worker->spare = block;
}

/* Now and then a block that goes on counts as waiting too, so that the worker starts another one:
 * it may wait for what only a later block does, and while its loop stores it never looks
 * stuck. */
static bool has_been_patient(struct block *block)
{
    return ++block->turns % PATIENT_TURNS == 0;
}

/* A turn for every block here. Returns whether all of them wait for what others do. */
static bool worker_turn(struct worker *worker)
{
    const bool feeds = ++worker->turn % FEEDING_TURNS == 0;
    bool all_wait = true;
    worker->opened = false;
    for (struct block *block = worker->blocks, *next; block; block = next) {
        next = block->next;
        const bool overtaken = block->position > worker->launch->failed_position;
        const enum block_status status = overtaken ? BLOCK_DONE : block_turn(block);
        if (status == BLOCK_DONE) {
            all_wait = false;
            worker_end_block(block);
            continue;
        }
        if (feeds)
            feed(block);
        block->stuck = status == BLOCK_STUCK;
        all_wait = all_wait && (block->stuck || has_been_patient(block));
    }
    return all_wait && !worker->opened;
}

static bool all_stuck(const struct worker *worker)
{
    for (const struct block *block = worker->blocks; block; block = block->next)
        if (!block->stuck)
            return false;
    return true;
}

static bool release_any(const struct worker *worker)
{
    bool any = false;
    for (struct block *block = worker->blocks; block; block = block->next)
        for (int i = 0; i < block->warp_count; i++)
            any |= warp_release(&block->warps[i]);
    return any;
}

/* Nothing here moves while memory stays as it is. If that holds for every worker, none will. */
static void worker_wait(struct worker *worker, uint64_t writes)
{
    struct launch_state *launch = worker->launch;
    if (!all_stuck(worker) || release_any(worker))
        return;
    atomic_store(&worker->stuck_at, writes);
    for (int i = 0; i < launch->worker_count; i++) {
        const uint64_t stuck_at = atomic_load(&launch->workers[i].stuck_at);
        if (stuck_at != writes && stuck_at != WORKER_ENDED) {
            sched_yield();
            return;
        }
    }
    if (launch_writes(launch) == writes)
        block_deadlock(worker->blocks);
}

/* Run blocks until there are none: what a thread does. */
static void *worker_run(void *self)
{
    struct worker *worker = self;
    struct launch_state *launch = worker->launch;
    uint64_t writes = 0;
    bool waiting = true;
    for (;;) {
        if (waiting && !worker_start_block(worker) && worker->blocks)
            worker_wait(worker, writes);
        if (!worker->blocks)
            break;
        writes = launch_writes(launch);
        waiting = worker_turn(worker) || !worker->blocks;
        if (!waiting)
            atomic_store(&worker->stuck_at, WORKER_BUSY);
    }
    atomic_store(&worker->stuck_at, WORKER_ENDED);
    return NULL;
}

void workers_run(struct launch_state *launch)
{
    for (int i = 1; i < launch->worker_count; i++) {
        struct worker *worker = &launch->workers[i];
        worker->started = pthread_create(&worker->thread, NULL, worker_run, worker) == 0;
        if (!worker->started)
            atomic_store(&worker->stuck_at, WORKER_ENDED);
    }
    worker_run(&launch->workers[0]);
    for (int i = 1; i < launch->worker_count; i++)
        if (launch->workers[i].started)
            pthread_join(launch->workers[i].thread, NULL);
}

void worker_free_spare(struct worker *worker)
{
    for (struct block *block = worker->spare, *next; block; block = next) {
        next = block->next;
        block_free(block);
    }
    worker->spare = NULL;
}
