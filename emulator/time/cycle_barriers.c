/* SPDX-License-Identifier: MIT */
/* Where warps of the modelled SM wait for each other: at the barrier of their block, at that of the
 * cluster, and at those in shared memory. */
#include "time/cycle_sm.h"

#include <float.h>

static void stop_at(struct sm_warp *warp, enum stop where, double time)
{
    warp->stop = where;
    warp->arrived = time;
    warp->next = DBL_MAX;
}

/* What the warp waited for happens at `time`. */
static void resume(struct sm *sm, struct sm_warp *warp, double time, enum origin origin)
{
    *(origin == FROM_BARRIER ? &sm->sums.barrier : &sm->sums.request) += time - warp->arrived;
    warp->stop = RUNS;
    warp->next = time;
    if (sm->work->timeline)
        sm_draw(sm, warp, origin == FROM_BARRIER ? TIMELINE_BARRIER : TIMELINE_MEMORY, time);
    sm_push_ready(sm, warp, time);
}

/* The warps go on one after the other, as they have arrived: a loop of barriers takes longer by so
 * much for each warp, and no longer where many share a scheduler (benchmarks/model/barrier.cu). */
static void open_block(struct sm *sm, struct sm_block *block)
{
    double open = block->latest + sm->gpu->barrier_latency;

    block->waiting = 0;
    block->latest = 0;
    for (int i = 0; i < sm->work->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop != AT_BARRIER)
            continue;
        resume(sm, warp, open, FROM_BARRIER);
        open += sm->gpu->barrier_warp_clocks;
    }
}

/* All warps of the block have arrived at the barrier of the cluster. So have those of the other
 * blocks, which do the same at the same time. */
static void open_cluster(struct sm *sm, struct sm_block *block)
{
    block->cluster.opened = block->cluster.latest + sm->gpu->cluster_barrier_latency;
    block->cluster.openings++;
    block->cluster.arrived = 0;
    block->cluster.latest = 0;
    for (int i = 0; i < sm->work->warps; i++)
        if (block->warps[i].stop == AT_CLUSTER)
            resume(sm, &block->warps[i], later(block->warps[i].arrived, block->cluster.opened),
                   FROM_BARRIER);
}

/* At a phase of a barrier in shared memory: a warp, or a copy. */
static void arrive_at_phase(struct sm *sm, struct sm_block *block, struct phase *phase, double time,
                            bool copied)
{
    if (!phase || !phase_arrive(phase, time, copied))
        return;
    for (int i = 0; i < sm->work->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_PHASE && warp->phase == phase)
            resume(sm, warp, later(warp->arrived, phase->latest) + sm->gpu->mbarrier_latency,
                   phase->copied ? FROM_MEMORY : FROM_BARRIER);
    }
}

void sm_open(struct sm *sm, struct sm_block *block)
{
    if (block->waiting == block->live)
        open_block(sm, block);
    if (block->cluster.arrived == block->live)
        open_cluster(sm, block);
}

void sm_arrive(struct sm *sm, struct sm_warp *warp, double start)
{
    struct sm_block *block = warp->block;

    block->latest = later(block->latest, serve(&sm->barrier, start, sm->gpu->barrier_warp_clocks));
    stop_at(warp, AT_BARRIER, start);
    block->waiting++;
}

void sm_arrive_in_cluster(struct sm *sm, struct sm_warp *warp, double start, double fence)
{
    struct sm_block *block = warp->block;

    warp->next += fence;
    sm->sums.result += fence;
    if (warp->cluster_arrivals >
        block->cluster.openings) /* another path of the warp has been here */
        return;
    warp->cluster_arrivals = block->cluster.openings + 1;
    const double clocks = fence > 0 ? sm->gpu->cluster_fence_clocks : sm->gpu->barrier_warp_clocks;
    block->cluster.latest =
        later(block->cluster.latest, serve(&sm->barrier, start + fence, clocks));
    block->cluster.arrived++;
    if (block->cluster.arrived == block->live)
        open_cluster(sm, block);
}

void sm_wait_in_cluster(struct sm_warp *warp, double start)
{
    const struct sm_block *block = warp->block;

    if (warp->cluster_arrivals > block->cluster.openings)
        stop_at(warp, AT_CLUSTER, start);
    else
        warp->next = later(warp->next, block->cluster.opened);
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
            if (phase && phase->arrived < phase->expected && warp->stop == RUNS) {
                stop_at(warp, AT_PHASE, start);
                warp->phase = phase;
            } else if (phase) {
                answer = later(answer, phase->latest);
            }
        } else if (arrival.sent) {
            arrive_at_phase(sm, block, phase,
                            sm_to_cluster(sm, start, arrival.copies * gpu->send_clocks) +
                                gpu->mbarrier_latency,
                            true);
        } else if (arrival.copies) {
            const double asked = start + gpu->bulk_latency;
            warp->next = asked + arrival.copies * gpu->bulk_clocks;
            arrive_at_phase(sm, block, phase, sm_copy_bulk(sm, asked, index, arrival), true);
        } else {
            arrive_at_phase(sm, block, phase, start + there + gpu->mbarrier_latency, false);
        }
    }
    return answer + gpu->mbarrier_latency;
}

bool sm_open_all(struct sm *sm, struct sm_block *block)
{
    const int before = sm->heap_count;

    if (block->waiting > 0)
        open_block(sm, block);
    for (int i = 0; i < sm->work->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_CLUSTER)
            open_cluster(sm, block);
        else if (warp->stop == AT_PHASE)
            resume(sm, warp, later(warp->arrived, warp->phase->latest), FROM_BARRIER);
    }
    return sm->heap_count > before;
}
