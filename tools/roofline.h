/* SPDX-License-Identifier: MIT */
/* Where the steps of a chapter lie below the roofs of their GPU: how much they compute for each
 * byte they move, and how fast. */
#ifndef ROOFLINE_H
#define ROOFLINE_H

#include <jansson.h>

#include "words.h"

/* What report/roofline.js draws: of the first run a result for each step (NULL: none), then of the
 * second ... An object: "points" of {step, run, x: work a byte, y: work a
 * nanosecond}, perhaps none; "roofs", one a run, of {memory: GB/s, work: a nanosecond, tensor: that
 * of tensor cores}, null where not known; and in words its "name" and what it means to be further
 * "right" and "up". */
json_t *roofline_chart(const json_t *const *results, int step_count, int run_count,
                       enum language language);

#endif
