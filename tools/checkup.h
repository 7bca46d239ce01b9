/* SPDX-License-Identifier: MIT */
/* ./tour check: each step under all checkers and with three schedules, and one verdict on it.
 *
 * What --json writes:
 *
 *   {"format": 2, "gpu": null or what --gpu said, "n": null or what --n said,
 *    "checked": [
 *      {"chapter": "sumsq", "step": "v5_shared", "wrong": false,
 *       "verdict": "clean", "flagged" (wrong on purpose, and found to be), "unflagged" (and not
 *                  found to be), "found" (by the checkers), "schedule" (right in some orders only),
 *                  or what became of a run (results.h): "mismatch", "crash", "timeout", "failed",
 *                  "garbled", "refused", "skipped",
 *       "fine": whether that is as it should be,
 *       "why": a line, "" for "clean",
 *       "reports": null or {"memory": 0, "race": 1, "sync": 0, "init": 0, "leak": 0,
 *                  "call": 0},
 *       "finding": null or the first of them: {"kind": "race", "kernel": "add", "act": "load",
 *                  "place": "sumsq/v5_shared.cu:31", "thread": "block (0,0,0), thread (0,0,0)",
 *                  "more": what else was said of it},
 *       "runs": {"checkers": "match", "forward": "match", "reverse": "mismatch", ...}}, ...]}
 */
#ifndef CHECKUP_H
#define CHECKUP_H

#include <stdio.h>
#include <jansson.h>

#include "manifest.h"
#include "runner.h"
#include "table.h"

/* Check the selected steps on the emulator, as runner_run() would run them. A step whose size is
 * not given (runner->n) is checked at its own check_size. */
json_t *checkup_run(const struct runner *runner, const struct manifest *manifest);

/* Print a row for each step. */
void checkup_print(const json_t *checkup, FILE *file, const struct style *style);

/* 0: all is as it should be; 1: it is not; 2: every step refused; 77: every one was skipped. */
int checkup_code(const json_t *checkup);

#endif
