/* SPDX-License-Identifier: MIT */
/* What a model of time implements: to add one, write its table and let timing.c choose it. */
#ifndef MODEL_H
#define MODEL_H

#include "time/timeline.h"
#include "time/timing.h"

/* Of a warp's 64 scratch bytes the plain model has the first ones. It may run beside another model,
 * which has the others. */
enum { PLAIN_SCRATCH = 48 };

/* What a model moves on: at the end of each launch it adds the launch's time to `ms`, which others
 * move on too (timing_advance), and leaves the launch's figures in `last`. */
struct timing_clock {
    double ms;
    struct timing_launch last;
    bool full; /* nothing is to be sampled that need not be */
    const struct timeline *timeline; /* whom to tell; NULL: nobody. Set before the first launch */
};

/* The functions take what `start` has returned. */
struct time_model {
    const char *name;
    /* A model of `machine`, and the clock that kernels read there (machine_set_clock). Both stay
     * valid until `stop`; the machine launches nothing more then. */
    void *(*start)(struct machine *machine, struct timing_clock *clock);
    void (*stop)(void *self);
    /* What to hand to machine_observe(). The warps' scratch bytes are the model's. */
    const struct observer *(*observer)(void *self);
    /* Run a kernel: machine_launch(), or, where the model says which warp runs when, stepped.h. */
    void (*launch)(void *self, const struct launch_request *request, struct fault *fault);
    /* The time of the event that observers are being told of, a clock as in timeline.h. NULL: the
     * model gives instructions their times after they have run. */
    uint64_t (*now)(void *self, const struct warp *warp);
    /* A copy wrote to device memory. NULL: the model does not mind. */
    void (*fill)(void *self, uint64_t address, size_t bytes);
};

/* Any GPU, from a few latencies and bounds: plain.c. */
extern const struct time_model plain_model;
/* GPUs whose description has the speeds it needs (l1_bytes), a sample of blocks on one
 * multiprocessor, instruction by instruction: cycle.c. */
extern const struct time_model cycle_model;
/* GPUs of compute capability 1.x whose description has the speeds it needs (issue_clocks), warp by
 * warp: period.c. */
extern const struct time_model period_model;

#endif
