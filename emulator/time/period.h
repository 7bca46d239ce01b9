/* The modelled time of GPUs of compute capability 1.x; docs/period-gpus.md describes the model.
 *
 *   period_code.c    what a PTX instruction was in machine code
 *   period_sm.c      a multiprocessor: which warp issues when, what it waits for
 *   period_memory.c  device memory, which all share
 *   period.c         a launch: blocks over the multiprocessors, and time in steps
 */
#ifndef PERIOD_H
#define PERIOD_H

#include "machine/paced.h"
#include "time/timing.h"

struct period;

/* A model of `machine`, whose description has the speeds it needs (issue_clocks). It drives the
 * machine's launches and is its clock, which stands at `*ms` milliseconds and is moved on by each
 * launch. The machine must outlive it. */
struct period *period_new(struct machine *machine, double *ms);
void period_free(struct period *period);

/* What to hand to machine_observe(): it uses the warps' scratch bytes. */
const struct observer *period_observer(const struct period *period);

/* The last launch that ended. */
struct timing_launch period_last(const struct period *period);

#endif
