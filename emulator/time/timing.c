/* SPDX-License-Identifier: MIT */
/* The clock of a machine, and the choice of the model that moves it on. */
#include "time/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"
#include "time/model.h"

struct timing {
    const struct time_model *model;
    void *self; /* the model's */
    const struct gpu *gpu;
    struct timing_clock clock;
};

/* A model that says itself which warp goes first would leave a schedule without effect. */
static const struct time_model *choose_model(const struct machine *machine,
                                             enum timing_model wanted)
{
    const struct gpu *gpu = machine_gpu(machine);

    if (wanted == TIMING_PLAIN)
        return &plain_model;
    if (gpu->issue_clocks)
        return machine_insists_on_schedule(machine) ? &plain_model : &g80_model;
    return gpu->l1_bytes ? &cycle_model : &plain_model;
}

struct timing *timing_new(struct machine *machine, enum timing_model model)
{
    struct timing *timing = observer_allocate(1, sizeof(*timing));

    timing->gpu = machine_gpu(machine);
    timing->model = choose_model(machine, model);
    timing->clock.full = model == TIMING_FULL;
    timing->self = timing->model->start(machine, &timing->clock);
    return timing;
}

void timing_free(struct timing *timing)
{
    if (!timing)
        return;
    timing->model->stop(timing->self);
    free(timing);
}

void timing_draw(struct timing *timing, const struct timeline *timeline)
{
    timing->clock.timeline = timeline;
}

const char *timing_model_name(const struct timing *timing)
{
    return timing->model->name;
}

bool timing_event_clock(const struct timing *timing, const struct warp *warp, uint64_t *clock)
{
    *clock = timing->model->now ? timing->model->now(timing->self, warp) : 0;
    return timing->model->now != NULL;
}

const struct observer *timing_observer(const struct timing *timing)
{
    return timing->model->observer(timing->self);
}

/* The share of the GPU that a launch needs: of the blocks that a multiprocessor has room for, of
 * the time of its busiest unit, or of that of device memory, whichever is most. Its blocks are
 * spread over all multiprocessors. */
static double share_of(const struct gpu *gpu, const struct dim grid,
                       const struct timing_launch *last)
{
    const double blocks = (double)dim_count(grid) / gpu->multiprocessors;
    const double room = blocks / (last->resident_blocks > 0 ? last->resident_blocks : 1);
    const double units = last->busiest * (blocks < 1 ? blocks : 1);
    const double memory = last->ms > 0 ? last->memory_ms / last->ms : 0;
    const double share = fmax(room, fmax(units, memory));

    return gpu->major < 2 || share > 1 ? 1 : share;
}

void timing_launch(struct timing *timing, const struct launch_request *request, struct fault *fault)
{
    struct timing_clock *clock = &timing->clock;

    timing->model->launch(timing->self, request, fault);
    clock->last.share = share_of(timing->gpu, request->grid, &clock->last);
}

void timing_filled(struct timing *timing, uint64_t address, size_t bytes, bool dirty)
{
    if (timing->model->fill)
        timing->model->fill(timing->self, address, bytes, dirty);
}

void timing_over_link(struct timing *timing, uint64_t bytes, double gbs)
{
    struct timing_launch *last = &timing->clock.last;
    const double ms = (double)bytes / gbs * 1e-6;

    last->link_bytes = bytes;
    if (ms <= last->ms)
        return;
    timing->clock.ms += ms - last->ms;
    last->ms = ms;
    last->limit = TIMING_LINK;
    last->by_units = true;
    memset(last->shares, 0, sizeof(last->shares));
    last->shares[TIMING_LINK] = 1;
}

double timing_now_ms(const struct timing *timing)
{
    return timing->clock.ms;
}

void timing_advance(struct timing *timing, double ms)
{
    timing->clock.ms += ms;
}

struct timing_launch timing_last(const struct timing *timing)
{
    return timing->clock.last;
}

static enum timing_limit largest(const double shares[TIMING_LIMIT_COUNT])
{
    enum timing_limit most = TIMING_LAUNCH;

    for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
        most = shares[i] > shares[most] ? (enum timing_limit)i : most;
    return most;
}

void timing_find_bound(struct timing_launch *last, const double busy[TIMING_LIMIT_COUNT])
{
    const double half = 0.5, most = 0.6; /* our choice: docs/emulator.md#bound */
    const enum timing_limit busiest = largest(busy);

    last->busiest = fmax(busy[TIMING_ISSUE], fmax(busy[TIMING_LOAD_STORE], busy[TIMING_SHARED]));
    last->by_units = last->shares[TIMING_LAUNCH] < half && busy[busiest] >= most;
    if (last->by_units)
        memcpy(last->shares, busy, sizeof(last->shares));
    last->limit = largest(last->shares);
}

const char *timing_limit_name(enum timing_limit limit)
{
    static const char *const names[] = {
        [TIMING_LAUNCH] = "launch",    [TIMING_ISSUE] = "issue",
        [TIMING_LATENCY] = "latency",  [TIMING_LOAD_STORE] = "load/store",
        [TIMING_MEMORY] = "memory",    [TIMING_SHARED] = "shared memory",
        [TIMING_BARRIER] = "barriers", [TIMING_LINK] = "link",
    };
    return names[limit];
}

const char *timing_limit_advice(enum timing_limit limit)
{
    static const char *const advice[] = {
        [TIMING_LAUNCH] = "give a launch more work, or make one of several launches",
        [TIMING_ISSUE] = "execute fewer instructions, with all lanes at work",
        [TIMING_LATENCY] = "give each SM more warps, or each thread more loads at once",
        [TIMING_LOAD_STORE] = "send fewer requests: neighbours side by side, 16 bytes at once",
        [TIMING_MEMORY] = "move fewer bytes: use all of each sector, and fetch it once",
        [TIMING_SHARED] = "remove bank conflicts, or keep values in registers",
        [TIMING_BARRIER] = "wait less often, or let more blocks share an SM",
        [TIMING_LINK] = "ask less of other devices, or bring it by a copy beside a kernel",
    };
    return advice[limit];
}
