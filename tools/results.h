/* SPDX-License-Identifier: MIT */
/* The results of a tour: one JSON object, what --json writes and --compare reads.
 *
 *   {"format": 2,
 *    "on": "gpu" or "emulator",
 *    "n": null or what --n said, "runs": null or what --runs said,
 *    "steps": [
 *      {"chapter": "sumsq", "step": "v3_coalesced", "title": "...", "article": "...",
 *       "outcome": "match", "mismatch", "crash", "timeout", "failed", "garbled", "refused",
 *                  "skipped", "wrong" or "sampled",
 *       "why": null or a line that explains any outcome but "match",
 *       "report": null or what the step printed (see common/report.h),
 *       "variants": of an experiment all that it printed, an object each; else missing,
 *       "kernels": null or what the emulator counted (see emulator/profile/profile.h)}, ...]}
 *
 * There is no date in it, nor anything else that changes when nothing did.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "translate.h"

enum { RESULTS_FORMAT = 2, RESULTS_OLDEST = 1 };

enum outcome {
    OUTCOME_MATCH,
    OUTCOME_MISMATCH,
    OUTCOME_CRASH,
    OUTCOME_TIMEOUT,
    OUTCOME_FAILED, /* a CUDA error, or an exit code that says nothing */
    OUTCOME_GARBLED, /* what it printed is not what a step prints */
    OUTCOME_REFUSED, /* bad usage: a size it does not take */
    OUTCOME_SKIPPED, /* no device that serves */
    OUTCOME_WRONG, /* on purpose: its sums do not match, and it said that they need not */
    OUTCOME_SAMPLED, /* its time is that of a sample of blocks; at a small size it matched */
    OUTCOME_COUNT,
};

/* The word for an outcome. */
const char *outcome_name(enum outcome outcome);

/* Whether the step is right, as far as was looked. */
bool outcome_is_good(enum outcome outcome);

/* Whether it makes the tour fail. */
bool outcome_is_failure(enum outcome outcome);

/* Results without a step. `n` and `runs` of -1: not given. */
json_t *results_new(const char *on, int64_t n, int64_t runs);

/* Read a file that results_write() wrote. Returns NULL after one line on stderr. */
json_t *results_read(const char *path);

/* Write to `path`: a file there is replaced as a whole or not at all. Returns false after one line
 * on stderr. */
bool results_write(const json_t *results, const char *path);

/* Write a file as results_write() does. */
bool results_replace_file(const char *path, const char *text);

/* The result of chapter/step among `results`, or NULL. Borrowed. */
json_t *results_find(const json_t *results, const char *chapter, const char *step);

/* What is at `path` in a result, as in "report.ms.median". A number, or a string that is one; else
 * NaN. */
double result_number(const json_t *result, const char *path);

/* Text at `path`, or "". Borrowed. */
const char *result_text(const json_t *result, const char *path);

/* The outcome of a result; OUTCOME_GARBLED where it is none we know. */
enum outcome result_outcome(const json_t *result);
bool result_is_good(const json_t *result);

/* Median time of the kernel in seconds; NaN unless the result is good and was timed. */
double result_time(const json_t *result);

/* Whether its times come from a model. */
bool result_modelled(const json_t *result);

/* What a step solves, where steps of its chapter solve different problems; else "". Borrowed. */
const char *result_problem(const json_t *result);

/* Whether two steps of a chapter solve the same problem, of whatever size. */
bool result_same_problem(const json_t *a, const json_t *b);

/* What the emulator counted under `key` in one run of the step, over all its kernels; NaN without
 * counters or kernels. */
double result_counter(const json_t *result, const char *key);

/* The sum of up to three counters, the rest NULL; NaN without counters. */
double result_sum(const json_t *result, const char *const keys[3]);

/* Its requests to shared memory of all kinds; NaN without counters. */
double result_shared_requests(const json_t *result);

/* Where memory moves whole lines, its transactions are those and say nothing new. */
bool result_moves_lines(const json_t *result);

/* The kernel that takes most of the modelled time, or NULL. Borrowed. */
const json_t *result_main_kernel(const json_t *result);

/* What the model says takes most of that kernel's time, as in "latency"; "" for nothing. */
const char *result_bound(const json_t *result);

/* What to try next with that kernel, in a sentence; NULL where no model says. */
char *result_advice(const json_t *result, enum language language);

/* The share of an SM's threads that the kernel's blocks can fill; NaN where no model says. */
double result_occupancy(const json_t *result);

/* The one name of the counter `key` for people. */
const char *counter_name(const char *key);

/* A figure made of counters. */
struct ratio {
    const char *name;
    const char *over[3], *under[3]; /* keys: sums of them; the rest NULL */
};

enum { RATIO_LANES, RATIO_SECTORS_LOAD, RATIO_SECTORS_STORE, RATIO_WAVEFRONTS, RATIO_COUNT };
extern const struct ratio result_ratios[RATIO_COUNT];

/* The ratio, or NaN where there is nothing to divide by. */
double result_ratio(const json_t *result, const struct ratio *ratio);

#endif
