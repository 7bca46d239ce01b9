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

/* What results of one chapter were taken on: device, versions, size, where the times come from. A
 * result may be NULL. To be freed. */
char *ladder_conditions(const json_t *const *results, int count, enum language language);

/* The problem that begins with the step at `index`, where the steps of a chapter solve several;
 * else NULL. */
const char *ladder_heading(const json_t *const *results, int count, int index);

#endif
