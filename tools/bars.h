/* SPDX-License-Identifier: MIT */
/* How long the bars of a chapter's steps are, wherever they are drawn. */
#ifndef BARS_H
#define BARS_H

#include <stdbool.h>
#include <jansson.h>

/* Bars show times. Where steps differ in the size of their problem they show rates, and where there
 * are none the times of equal sizes, each size on a scale of its own; one alone has no bar. So have
 * different problems, whatever their sizes. */
struct bars {
    double *parts; /* of the longest bar, 0 to 1, one a result; NaN: none */
    bool *logarithmic; /* one a result, the same for those of a problem: the shortest still shows */
    bool rates;
    bool all_logarithmic; /* those of every problem */
};

struct bars bars_of(const json_t *const *results, int count);

#endif
