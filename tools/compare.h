/* SPDX-License-Identifier: MIT */
/* What changed since an earlier tour. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "table.h"

/* Print the steps of `now` beside those of `old`: times, outcomes, and the counters that differ.
 * Old steps that were not run now are not mentioned. */
void compare_print(const json_t *old, const json_t *now, FILE *file, const struct style *style);

/* Whether no step of `now` takes more than `percent` longer than it did in `old`, beyond the spread
 * of its runs; one line on stderr for each that does. Steps that are new, did not match, or were
 * timed otherwise or at another size are left out; false, with a line, where that leaves none. */
bool compare_no_slower(const json_t *old, const json_t *now, double percent);

#endif
