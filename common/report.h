/* SPDX-License-Identifier: MIT */
/* What a step prints: text for people, or one JSON object on one line. */
#ifndef REPORT_H
#define REPORT_H

#include <stdint.h>
#include <jansson.h>

#include "compare.h"
#include "init_cuda.h"
#include "options.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which program this is. */
struct step {
    const char *chapter, *name, *title;
    int minimum; /* compute capability it needs, as in 75 for 7.5 */
};

/* What the problem needs, whatever a kernel does, for GB/s and GFLOP/s. 0: not said. */
struct work {
    double bytes; /* read and written once each */
    double flops; /* operations */
    /* So many of them the device does at most for each of its multiply-adds of floats; the share is
     * then of these, whatever memory does. 0: they are its multiply-adds. */
    double faster;
};

/* A program at work: which one, and what it was told. */
struct session {
    struct step step;
    struct options options;
    struct device device;
};

/* What came of one size. */
struct measurement {
    const char *problem; /* what was solved, where steps of the chapter solve different problems,
                            as in "one number"; NULL: all solve one */
    int64_t n;
    struct run run;
    struct work work;
    struct verdict verdict;
    json_t *own; /* an object of the chapter's own fields, or NULL */
};

/* A measurement to be made: options.n elements, a run as the session wants it, the rest empty. */
struct measurement measurement_new(const struct session *session);

/* Free what a measurement holds. */
void measurement_free(struct measurement *measurement);

/* Print one measurement.
 *
 * The JSON object has: chapter, step, title, device {name, modelled, compute, driver, toolkit},
 * problem (where it is not NULL), n,
 * grid [x, y, z], block [x, y, z], shared_bytes, reason, runs, ms {min, median, max}, total_ms,
 * cycles, span_cycles, bytes, flops, gbs, gflops, share, limit, limit_unit, result, reference,
 * error, tolerance, verdict ("match", "mismatch" or "unchecked"), why, and `own`. n, cycles and
 * span_cycles are whole numbers (report_whole); result and reference are texts. NaN and what was
 * not measured or is not known is null: result and reference where nothing was compared; grid and
 * block of a library, which launches what it likes, and of a CPU (run.blocks is 0); compute, driver
 * and toolkit of a CPU.
 * `share` is of the peak that "limit" names: the larger of memory and arithmetic. Above 1 `limit`
 * says so ("device memory; above 100 %: a cache, or a measuring error"). "limit_unit" is that of
 * the rate it limits: "GB/s" is gbs, "GFLOP/s" is gflops.
 *
 * Returns EXIT_MATCH or EXIT_MISMATCH; an overrun that a guard found is a mismatch whatever the
 * verdict says, and so is a report that could not be printed. */
int report(const struct session *session, const struct measurement *measurement);

/* A whole number for JSON: up to 2^53, which every reader holds exactly, a number; above that a
 * string of its digits. */
json_t *report_whole(uint64_t value);

/* The verdict on a measurement: that of the comparison, unless a guard tells otherwise. */
struct verdict report_verdict(const struct measurement *measurement);

/* The line "device  NAME, compute ..." of a report, for people. */
void report_device_line(const struct device *device);

/* Whether what was printed arrived: EXIT_MATCH, or EXIT_MISMATCH after one line on stderr. A
 * verdict nobody could read is none. */
int report_delivered(void);

/* Print which device there is: for a step that measures nothing. The JSON object has chapter, step,
 * title, device and the verdict "match". Returns EXIT_MATCH, or EXIT_MISMATCH where it could not be
 * printed. */
int report_device(struct step step, const struct device *device);

#ifdef __cplusplus
}
#endif
#endif
