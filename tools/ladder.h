/* SPDX-License-Identifier: MIT */
/* The ladder: the steps of a chapter, one below the other, each against those before. */
#ifndef LADDER_H
#define LADDER_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "ladder_cells.h"
#include "manifest.h"
#include "table.h"
#include "words.h"

/* What of a ladder goes on a screen: the times, or what the emulator counted and the article's
 * figures. Markdown has all of it in the view of times. */
enum ladder_view { LADDER_TIMES, LADDER_COUNTERS };

/* Print a ladder for each chapter of `results` but those of the first `printed` steps, which have
 * been printed; on a terminal also where its programs are: below `build`. */
void ladder_print(const json_t *results, size_t printed, const struct manifest *manifest,
                  const char *build, enum ladder_view view, FILE *file, const struct style *style);

/* Results of one chapter, in one run or several; one may be NULL. */
struct rungs {
    const char *chapter;
    const json_t **results;
    int count;
};

/* What they were taken on: device, versions, size, where the times come from. */
char *ladder_conditions(struct rungs rungs, enum language language);

/* The problem that begins with the step at `index`, where the steps of a chapter solve several;
 * else NULL. */
const char *ladder_heading(struct rungs rungs, int index);

/* Whether all have the same number at `path`, if any: it goes to `*value`, NaN for none. */
bool ladder_uniform(struct rungs rungs, const char *path, double *value);

/* How many times as fast `result` is as `before`; NaN where that says nothing. */
double ladder_gain(const json_t *before, const json_t *result);

/* The first result that was timed and says something about `result`; NULL: none. */
const json_t *ladder_first(struct rungs rungs, const json_t *result);

/* What a share above the peak means, as the first says that has one; NULL: none has. */
const char *ladder_footnote(struct rungs rungs);

#endif
