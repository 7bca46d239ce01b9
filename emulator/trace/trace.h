/* SPDX-License-Identifier: MIT */
/* An observer that records a run so that it can be drawn: what each line asked of the GPU, every
 * lane of a few warps' accesses, branches and barriers, and what the model of time tells of blocks
 * and warps.
 *
 * Counts are of all that ran; the rest is a sample, chosen by number and not by chance, so that the
 * same run gives the same file, with any number of workers. The sample is of the first launch of
 * each kernel and shape: sample.h says of what.
 */
#ifndef TRACE_H
#define TRACE_H

#include "machine/observer.h"
#include "time/timing.h"

/* A page to look at; or the Trace Event Format, which Perfetto and chrome://tracing open. */
enum trace_format { TRACE_PAGE, TRACE_EVENTS };

struct trace;

/* A trace of `machine`, whose model of time, `timing`, tells it what it knows: to be made before
 * timing_observer() is asked for. Both must outlive it. */
struct trace *trace_new(const struct machine *machine, struct timing *timing);
void trace_free(struct trace *trace);

/* What to hand to machine_observe(), behind timing_observer(). Valid as long as the trace. */
const struct observer *trace_observer(struct trace *trace);

/* The whole file as text of `length` bytes, to be freed; NULL where there is no memory. `program`
 * is the name of what ran. Reads the sources that the kernels were compiled from, where it can. */
char *trace_text(const struct trace *trace, enum trace_format format, const char *program,
                 size_t *length);

#endif
