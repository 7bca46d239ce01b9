/* SPDX-License-Identifier: MIT */
/* Clusters: the barrier of all their threads, and which blocks still run. */
#include <stdlib.h>

#include "launch.h"
#include "paths.h"

static void notify(struct warp *warp, enum cluster_step step, const struct ptx_instr *instr,
                   uint32_t lanes)
{
    const struct cluster *cluster = warp->block->cluster;
    struct dim blocks[MAX_CLUSTER];
    struct cluster_event event = {.worker = warp->worker->number,
                                  .step = step,
                                  .warp = warp,
                                  .instr = instr,
                                  .lanes = lanes,
                                  .live = warp->live,
                                  .blocks = blocks};
    for (int i = 0; i < cluster->size; i++)
        if (cluster->blocks[i])
            blocks[event.block_count++] = cluster->blocks[i]->index;
    NOTIFY(warp->block->listeners->cluster, &event);
}

void cluster_count(const struct cluster *cluster, uint32_t *arrived, uint32_t *live)
{
    *arrived = *live = 0;
    for (int i = 0; i < cluster->size; i++) {
        const struct block *block = cluster->blocks[i];
        for (int w = 0; block && w < block->warp_count; w++) {
            *arrived +=
                (uint32_t)__builtin_popcount(block->warps[w].arrived & block->warps[w].live);
            *live += (uint32_t)__builtin_popcount(block->warps[w].live);
        }
    }
}

/* Let the paths of a warp go on that wait at the cluster's barrier. */
static void let_go(struct warp *warp)
{
    uint32_t waited = 0;
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_AT_BARRIER && warp->paths[i].barrier == CLUSTER_BARRIER)
            waited |= warp->paths[i].mask;
    warp->passable |= warp->arrived & ~waited;
    warp->arrived = 0;
    if (!waited)
        return;
    struct barrier_open_event first = {0};
    barrier_let_go(warp, CLUSTER_BARRIER, &first);
    notify(warp, CLUSTER_PASS, first.instr, waited);
}

void cluster_check(struct warp *warp, const struct ptx_instr *instr)
{
    const struct cluster *cluster = warp->block->cluster;
    uint32_t arrived, live;
    cluster_count(cluster, &arrived, &live);
    if (arrived == 0 || arrived != live)
        return;
    notify(warp, CLUSTER_OPEN, instr, 0);
    for (int i = 0; i < cluster->size; i++) {
        struct block *block = cluster->blocks[i];
        for (int w = 0; block && w < block->warp_count; w++)
            let_go(&block->warps[w]);
        if (block)
            block->stuck = false;
    }
    warp->worker->opened = true;
    note_write(warp); /* something moves */
}

void cluster_arrive(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const uint32_t again = lanes & (warp->arrived | warp->passable);
    if (again) {
        warp_fault(warp, op->instr, first_lane(again), FAULT_BARRIER, "barrier of the cluster",
                   "%s", "the thread arrives again without having waited");
        return;
    }
    warp->arrived |= lanes;
    notify(warp, CLUSTER_ARRIVE, op->instr, lanes);
    cluster_check(warp, op->instr);
}

void cluster_wait(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const uint32_t absent = lanes & ~(warp->arrived | warp->passable);
    if (absent) {
        warp_fault(warp, op->instr, first_lane(absent), FAULT_BARRIER, "barrier of the cluster",
                   "%s", "the thread waits without having arrived");
        return;
    }
    if (lanes & warp->arrived) {
        warp->path->barrier = CLUSTER_BARRIER;
        path_park(warp, PATH_AT_BARRIER);
        return;
    }
    warp->passable &= ~lanes;
    notify(warp, CLUSTER_PASS, op->instr, lanes);
}

bool cluster_may_open(const struct block *block)
{
    if (!block->cluster || block->cluster->left < 2)
        return false;
    for (int w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        for (int i = 0; i < warp->path_limit; i++)
            if (warp->paths[i].state == PATH_AT_BARRIER &&
                warp->paths[i].barrier == CLUSTER_BARRIER)
                return true;
    }
    return false;
}

void cluster_leave(struct block *block)
{
    struct cluster *cluster = block->cluster;
    cluster->blocks[block->rank] = NULL;
    block->cluster = NULL;
    if (--cluster->left == 0)
        free(cluster);
}
