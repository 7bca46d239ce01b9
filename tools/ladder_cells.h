/* SPDX-License-Identifier: MIT */
/* What tables and lines say of one result, in a ladder and wherever else it is shown. */
#ifndef LADDER_CELLS_H
#define LADDER_CELLS_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "table.h"
#include "words.h"

/* The time of a result; its outcome where that is no match, "-" for NULL. */
char *ladder_time(const json_t *result);

/* The time of all that the step does on the device, with allocation and copies. */
char *ladder_whole(const json_t *result);

/* The rate of a result, GB/s or GFLOP/s, whichever its share of the peak is of; without one "-".
 * */
char *ladder_rate(const json_t *result);

/* A share as a percentage; "-" for NaN. */
char *ladder_percent(double share);

/* The share of the peak that a result says it has; one above it is marked. */
char *ladder_share(const json_t *result);

/* The device line of a result ("NVIDIA H100, driver 13.0, toolkit 13.0") or NULL. */
char *ladder_device(const json_t *result, enum language language);

/* What an article says of a step, whose `key` is "article", or of a variant, whose `key` is
 * "source": its figure, or why it has none, in a word or two. */
const char *ladder_article(const json_t *result, const char *key);

/* Whether that is a figure. */
bool ladder_has_figure(const json_t *result, const char *key);

/* Print what commas part, in lines as wide as the terminal where that can be; uses `text` up. */
void ladder_print_parts(const char *text, FILE *file, const struct style *style);

#endif
