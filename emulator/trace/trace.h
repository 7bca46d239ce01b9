/* SPDX-License-Identifier: MIT */
/* An observer that records a run so that it can be drawn: the counters of each line, every lane in
 * the accesses, branches and barriers of a few warps, and what the time model tells about blocks
 * and warps.
 *
 * The counters cover everything that ran. The rest is a sample of the first launch of each
 * kernel and shape; sample.h says how it is chosen. Nothing is chosen at random, so the same run
 * gives the same file with any number of workers. */
#ifndef TRACE_H
#define TRACE_H

#include "machine/observer.h"
#include "time/timing.h"

/* A page, or the Trace Event Format, which Perfetto and chrome://tracing can open. */
enum trace_format { TRACE_PAGE, TRACE_EVENTS };

struct trace;

/* Make a trace of `machine`. It takes the times from `timing`, and must be made before
 * timing_observer() is called. Both must outlive it. */
struct trace *trace_new(const struct machine *machine, struct timing *timing);
void trace_free(struct trace *trace);

/* The observer for machine_observe(), to be added after timing_observer(). It lives as long as
 * the trace. */
const struct observer *trace_observer(struct trace *trace);

/* The whole file as text of `length` bytes, which the caller frees; NULL if there is no memory.
 * `program` is the name of the program that ran. Reads the sources that the kernels were
 * compiled from, if it can. */
char *trace_text(const struct trace *trace, enum trace_format format, const char *program,
                 size_t *length);

#endif
