/* SPDX-License-Identifier: MIT */
/* Where warps of the modelled SM wait for each other: at the barrier of their block, at that of the
 * cluster, and at those in shared memory. */
#include "time/cycle_sm.h"

#include <float.h>

static void halt(struct sm_warp *warp, enum stop where, double time)
{
    warp->stop = where;
    warp->arrived = time;
    warp->next = DBL_MAX;
}

/* What it waited for has come. */
static void go_on(struct sm *sm, struct sm_warp *warp, double time, enum origin origin)
{
    *(origin == FROM_BARRIER ? &sm->sums.barrier : &sm->sums.request) += time - warp->arrived;
    warp->stop = RUNS;
    warp->next = time;
    if (sm->share->timeline)
        sm_report(sm, warp, origin == FROM_BARRIER ? TIMELINE_BARRIER : TIMELINE_MEMORY, time);
    sm_push(sm, warp, time);
}

static void release(struct sm *sm, struct sm_block *block)
{
    const double open = block->latest + sm->gpu->barrier_latency;

    block->waiting = 0;
    block->latest = 0;
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_BARRIER)
            go_on(sm, warp, open, FROM_BARRIER);
    }
}

/* All warps of the block have arrived at the barrier of the cluster; so have the other blocks'. */
static void meet(struct sm *sm, struct sm_block *block)
{
    block->opened = block->last_met + sm->gpu->cluster_barrier_latency;
    block->meetings++;
    block->met = 0;
    block->last_met = 0;
    for (int i = 0; i < sm->share->warps; i++)
        if (block->warps[i].stop == AT_CLUSTER)
            go_on(sm, &block->warps[i], later(block->warps[i].arrived, block->opened),
                  FROM_BARRIER);
}

/* Something comes to a phase of a barrier in shared memory. */
static void come(struct sm *sm, struct sm_block *block, struct phase *phase, double time,
                 bool copied)
{
    if (!phase || !phase_make(phase, time, copied))
        return;
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_PHASE && warp->phase == phase)
            go_on(sm, warp, later(warp->arrived, phase->latest) + sm->gpu->mbarrier_latency,
                  phase->copied ? FROM_MEMORY : FROM_BARRIER);
    }
}

void sm_open(struct sm *sm, struct sm_block *block)
{
    if (block->waiting == block->live)
        release(sm, block);
    if (block->met == block->live)
        meet(sm, block);
}

void sm_arrive(struct sm *sm, struct sm_warp *warp, double start)
{
    struct sm_block *block = warp->block;

    block->latest = later(block->latest, serve(&sm->barrier, start, sm->gpu->barrier_warp_clocks));
    halt(warp, AT_BARRIER, start);
    block->waiting++;
}

void sm_arrive_in_cluster(struct sm *sm, struct sm_warp *warp, double start, double fence)
{
    struct sm_block *block = warp->block;

    warp->next += fence;
    sm->sums.result += fence;
    if (warp->meetings > block->meetings) /* another path of the warp has */
        return;
    warp->meetings = block->meetings + 1;
    block->last_met =
        later(block->last_met, serve(&sm->barrier, start + fence, sm->gpu->barrier_warp_clocks));
    block->met++;
    if (block->met == block->live)
        meet(sm, block);
}

void sm_wait_in_cluster(struct sm_warp *warp, double start)
{
    const struct sm_block *block = warp->block;

    if (warp->meetings > block->meetings)
        halt(warp, AT_CLUSTER, start);
    else
        warp->next = later(warp->next, block->opened);
}

double sm_at_phases(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                    const union cycle_word *request)
{
    const struct gpu *gpu = sm->gpu;
    struct sm_block *block = warp->block;
    double answer = start;

    for (uint32_t i = 1; i < request->request.words; i += 2) {
        const struct arrival arrival = request[i].arrival;
        const double there = arrival.remote ? gpu->cluster_latency : 0;
        struct phase *phase = phase_of(&block->phases, request[i + 1].phase);
        if (arrival.waits) {
            if (phase && phase->made < phase->expected && warp->stop == RUNS) {
                halt(warp, AT_PHASE, start);
                warp->phase = phase;
            } else if (phase) {
                answer = later(answer, phase->latest);
            }
        } else if (arrival.sent) {
            come(sm, block, phase,
                 sm_to_cluster(sm, start, arrival.copies * gpu->send_clocks) +
                     gpu->mbarrier_latency,
                 true);
        } else if (arrival.copies) {
            const double asked = start + gpu->bulk_latency;
            warp->next = asked + arrival.copies * gpu->bulk_clocks;
            come(sm, block, phase, sm_copy_bulk(sm, asked, index, arrival), true);
        } else {
            come(sm, block, phase, start + there + gpu->mbarrier_latency, false);
        }
    }
    return answer + gpu->mbarrier_latency;
}

bool sm_open_all(struct sm *sm, struct sm_block *block)
{
    const int before = sm->heap_count;

    if (block->waiting > 0)
        release(sm, block);
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_CLUSTER)
            meet(sm, block);
        else if (warp->stop == AT_PHASE)
            go_on(sm, warp, later(warp->arrived, warp->phase->latest), FROM_BARRIER);
    }
    return sm->heap_count > before;
}
