/* SPDX-License-Identifier: MIT */
/* The clock of a machine, and the choice of the model that moves it on. */
#include "time/timing.h"

#include <stdlib.h>

#include "machine/observer_memory.h"
#include "time/model.h"

struct timing {
    const struct time_model *model;
    void *self; /* the model's */
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
        return machine_insists_on_schedule(machine) ? &plain_model : &period_model;
    return gpu->l1_bytes ? &cycle_model : &plain_model;
}

struct timing *timing_new(struct machine *machine, enum timing_model model)
{
    struct timing *timing = observer_allocate(1, sizeof(*timing));

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

void timing_launch(struct timing *timing, const struct launch_request *request, struct fault *fault)
{
    timing->model->launch(timing->self, request, fault);
}

void timing_filled(struct timing *timing, uint64_t address, size_t bytes)
{
    if (timing->model->fill)
        timing->model->fill(timing->self, address, bytes);
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

const char *timing_limit_name(enum timing_limit limit)
{
    static const char *const names[] = {
        [TIMING_LAUNCH] = "launch",    [TIMING_ISSUE] = "issue",
        [TIMING_LATENCY] = "latency",  [TIMING_LOAD_STORE] = "load/store",
        [TIMING_MEMORY] = "memory",    [TIMING_SHARED] = "shared memory",
        [TIMING_BARRIER] = "barriers",
    };
    return names[limit];
}
