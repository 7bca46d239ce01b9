/* SPDX-License-Identifier: MIT */
/* The ladder: the steps of a chapter, one below the other, each against those before. */
#ifndef LADDER_H
#define LADDER_H

#include <stdio.h>
#include <jansson.h>

#include "bars.h"
#include "ladder_cells.h"
#include "manifest.h"
#include "table.h"
#include "words.h"

/* What of a ladder goes on a screen: the times, or what the emulator counted and the article's
 * figures. Markdown has all of it in the view of times. */
enum ladder_view { LADDER_TIMES, LADDER_COUNTERS };

/* Print a ladder for each chapter of `results` but those of the first `printed` steps, which have
 * been printed; on a terminal also where its programs are: below `build`. Titles in Chinese come
 * from the pages below `checkout`. */
void ladder_print(const json_t *results, size_t printed, const struct manifest *manifest,
                  const char *checkout, const char *build, enum ladder_view view, FILE *file,
                  const struct style *style);

/* Results of one chapter, in one run or several; one may be NULL. */
struct rungs {
    const char *chapter;
    const json_t **results;
    int count;
};

/* The ladder as a table, and what was counted, a row for each result that there is. The
 * bars are those of these results, perhaps among others. */
struct table ladder_table(struct rungs rungs, const struct bars *bars, const struct style *style);
struct table ladder_counters(struct rungs rungs, const struct style *style);

/* What they were taken on: device, versions, size, where the times come from. */
char *ladder_conditions(struct rungs rungs, enum language language);

/* What a share above the peak means, as the first says that has one; NULL: none has. */
const char *ladder_footnote(struct rungs rungs);

#endif
