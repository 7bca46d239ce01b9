/* SPDX-License-Identifier: MIT */
/* Experiments: steps that try one thing in several ways, shown as a table of their variants. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "table.h"
#include "words.h"

/* What an experiment printed, a JSON object a line, as one report: the first that does not
 * match, or else the first, without what is a variant's own. NULL where the lines are no such
 * thing. `text` is what it printed; *variants becomes an array of all. Both are to be released. */
json_t *experiment_read(const char *text, json_t **variants);

/* Add to each of `variants` what it wants counted, as "counted": numbers by name, from the kernels
 * of the emulator's profile in its range; NULL: there is no profile. */
void experiment_count(json_t *variants, const json_t *kernels);

/* Whether a result (results.h) is an experiment's. */
bool experiment_is(const json_t *result);

/* What it was taken on: device, versions, size, where its times come from. */
char *experiment_conditions(const json_t *result, enum language language);

/* The highest rate of a variant; 0 without rates. */
double experiment_fastest(const json_t *result);

/* The experiment as a table, a row for each variant. On a page bars show the rates, that
 * of `fastest` the longest. */
struct table experiment_table(const json_t *result, double fastest, const struct style *style);

/* Print it: heading, conditions, table. */
void experiment_print(const json_t *result, FILE *file, const struct style *style);

#endif
