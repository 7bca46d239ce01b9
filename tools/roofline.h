/* SPDX-License-Identifier: MIT */
/* Where the steps of a chapter lie below the roofs of their GPU: how much they compute for each
 * byte they move, and how fast. */
#ifndef ROOFLINE_H
#define ROOFLINE_H

#include <stdio.h>
#include <jansson.h>

/* Print the figure, as SVG in HTML: of the first run a result for each step (NULL: none), then of
 * the second ... Nothing, where too little is known to draw one. */
void roofline_print(const json_t *const *results, int step_count, int run_count, FILE *file);

#endif
