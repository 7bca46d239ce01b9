/* SPDX-License-Identifier: MIT */
/* The ladder: the steps of a chapter, one below the other, each against those before. */
#ifndef LADDER_H
#define LADDER_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

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

/* The device line of a result ("NVIDIA H100, driver 13.0, toolkit 13.0") or NULL. To be freed. */
char *ladder_device(const json_t *result, enum language language);

/* Print what commas part, in lines as wide as the terminal where that can be; uses `text` up. */
void ladder_print_parts(char *text, FILE *file, const struct style *style);

/* The time of a result; its outcome where that is no match, "-" for NULL. To be freed. */
char *ladder_time(const json_t *result);

/* The rate of a result, GB/s or GFLOP/s, whichever its share of the peak is of; without one "-".
 * To be freed. */
char *ladder_rate(const json_t *result);

/* A share as a percentage; "-" for NaN. To be freed. */
char *ladder_percent(double share);

/* The problem that begins with the step at `index`, where the steps of a chapter solve several;
 * else NULL. */
const char *ladder_heading(const json_t *const *results, int count, int index);

/* What an article says of a step, whose `key` is "article", or of a variant, whose `key` is
 * "source": its figure, or why it has none, in a word or two. */
const char *ladder_article(const json_t *result, const char *key);

/* Whether that is a figure. */
bool ladder_has_figure(const json_t *result, const char *key);

#endif
