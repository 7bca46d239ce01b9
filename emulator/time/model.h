/* SPDX-License-Identifier: MIT */
/* What a model of time implements. To add one, write its table and let choose_model() in timing.c
 * choose it. */
#ifndef MODEL_H
#define MODEL_H

#include "time/timeline.h"
#include "time/timing.h"

/* The plain model has the first 48 of a warp's 64 scratch bytes. It may run beside another model,
 * which has the rest. */
enum { PLAIN_SCRATCH = 48 };

/* At the end of each launch the model adds the launch's time to `ms` and leaves the launch's
 * figures in `last`. timing_advance() adds to `ms`, too. */
struct timing_clock {
    double ms;
    struct timing_launch last;
    bool full; /* model all blocks if the model can, and no sample */
    const struct timeline *timeline; /* draws the launches; or NULL. Set before the first launch */
};

/* The functions take what `start` returned. */
struct time_model {
    const char *name;
    /* Start a model of `machine`, and make its clock the one that kernels read there
     * (machine_set_clock). After `stop` the machine must launch nothing more. */
    void *(*start)(struct machine *machine, struct timing_clock *clock);
    void (*stop)(void *self);
    /* What to hand to machine_observe(). The warps' scratch bytes are the model's. */
    const struct observer *(*observer)(void *self);
    /* Run a kernel, with machine_launch() or, if the model decides which warp runs when, with the
     * functions of stepped.h. */
    void (*launch)(void *self, const struct launch_request *request, struct fault *fault);
    /* The time of the event that is being reported, a clock as in timeline.h. NULL: the model gives
     * instructions their times after they have run. */
    uint64_t (*now)(void *self, const struct warp *warp);
    /* As timing_filled(). NULL: that makes no difference to the model. */
    void (*fill)(void *self, uint64_t address, size_t bytes, bool dirty);
};

/* Any GPU, from a few latencies and bounds: plain.c. */
extern const struct time_model plain_model;
/* GPUs whose description has the figures of this model (l1_bytes). It runs a sample of the blocks
 * on one multiprocessor, instruction by instruction: cycle.c. */
extern const struct time_model cycle_model;
/* GPUs of compute capability 1.x whose description has the figures of this model (issue_clocks). It
 * runs the warps of all multiprocessors: g80.c. */
extern const struct time_model g80_model;

#endif
