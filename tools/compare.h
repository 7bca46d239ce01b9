/* What changed since an earlier tour. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdio.h>
#include <jansson.h>

#include "table.h"

/* Print the steps of `now` beside those of `old`: times, outcomes, and the counters that differ.
 * Old steps that were not run now are not mentioned. */
void compare_print(const json_t *old, const json_t *now, FILE *file, const struct style *style);

#endif
