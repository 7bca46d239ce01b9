/* SPDX-License-Identifier: MIT */
/* The modelled clock of the emulated GPU: each model says at its head what it models. */
#ifndef TIMING_H
#define TIMING_H

#include "machine/machine.h"
#include "time/timeline.h"
#include "time/registers.h"

struct timing;

/* What a launch spent its time on. */
enum timing_limit {
    TIMING_LAUNCH, /* getting the kernel started */
    TIMING_ISSUE, /* warp instructions to issue */
    TIMING_LATENCY, /* one warp's instructions waiting for each other and for memory */
    TIMING_LOAD_STORE, /* passes of the multiprocessor's memory pipe */
    TIMING_MEMORY, /* bytes of device memory */
    TIMING_SHARED, /* shared memory: its passes, and waiting for it */
    TIMING_BARRIER, /* warps waiting for each other */
    TIMING_LINK, /* bytes of other devices' memory */
    TIMING_LIMIT_COUNT,
};

/* The launch in figures. Clocks are those of the multiprocessor where they are highest. */
struct timing_launch {
    double ms; /* all of it */
    /* Clocks, if nothing else took any. The cycle model leaves them 0. */
    uint64_t issue, latency, load_store;
    uint64_t memory_bytes;
    uint64_t link_bytes; /* of other devices' memory */
    double memory_ms;
    int resident_blocks; /* that a multiprocessor holds at once */
    struct registers registers;
    double occupancy; /* resident warps, of those an SM may have */
    /* Where launches overlap: from its beginning until all blocks have waited for the launch in
     * front; and since all of them have let the next one begin. */
    double before_ms, after_ms;
    double share; /* of the GPU that it needs; 1 if the GPU runs one kernel at a time */
    enum timing_limit limit; /* what bounds it */
    /* Why: the share of the time in which each unit was busy, if `by_units`; otherwise the share
     * for which warps waited for each. */
    bool by_units;
    double shares[TIMING_LIMIT_COUNT];
    double busiest; /* the share of the time in which an SM's busiest unit was busy */
};

/* Which model: the best one that the GPU's description has the figures for; the plain one; or the
 * best one, where that of the GPUs of compute capability 1 models every block rather than a sample
 * (g80_sample.h); the others do the same as for TIMING_BEST. */
enum timing_model { TIMING_BEST, TIMING_PLAIN, TIMING_FULL };

/* A clock for `machine`, at 0, which becomes what its kernels read (machine_set_clock). The machine
 * must outlive it and launch nothing more once it is freed. */
struct timing *timing_new(struct machine *machine, enum timing_model model);
void timing_free(struct timing *timing);

/* Report all launches to `timeline`, which must outlive `timing`. To be called before
 * timing_observer(). */
void timing_draw(struct timing *timing, const struct timeline *timeline);

/* What to hand to machine_observe(); valid as long as `timing`. Uses the warps' scratch bytes. */
const struct observer *timing_observer(const struct timing *timing);

/* Run a kernel on the machine, as machine_launch() does, and let the time pass that it takes. */
void timing_launch(struct timing *timing, const struct launch_request *request,
                   struct fault *fault);

/* Something beside a kernel wrote this part of device memory, which may be in a cache now; `dirty`:
 * so fast that memory does not have it yet, as cudaMemset() does and a copy from the host does not.
 */
void timing_filled(struct timing *timing, uint64_t address, size_t bytes, bool dirty);

/* The last launch moved so many bytes over a link of `gbs` GB/s, and took no less time than the
 * link needs for them. */
void timing_over_link(struct timing *timing, uint64_t bytes, double gbs);

/* Milliseconds since timing_new(): launches and what timing_advance() added. */
double timing_now_ms(const struct timing *timing);

/* Let `ms` milliseconds pass, as for a transfer. Negative ones set the clock back: other work goes
 * on beside what was done. */
void timing_advance(struct timing *timing, double ms);

/* The last launch that ended; all zeros before the first. */
struct timing_launch timing_last(const struct timing *timing);

/* The model's name. The clock, since the launch began, of the event about `warp` that is being
 * reported; false if the model does not know it yet. */
const char *timing_model_name(const struct timing *timing);
bool timing_event_clock(const struct timing *timing, const struct warp *warp, uint64_t *clock);

/* Decide what bounds a launch, by one rule for all models: the launch itself, if it took half of
 * the time; otherwise the unit that was `busy` for longest, if it was for 60 % of the kernel's
 * time; otherwise what the warps waited for most, according to `shares`. */
void timing_find_bound(struct timing_launch *last, const double busy[TIMING_LIMIT_COUNT]);

/* "memory", as people say it; and in a sentence, what to try next. */
const char *timing_limit_name(enum timing_limit limit);
const char *timing_limit_advice(enum timing_limit limit);

#endif
