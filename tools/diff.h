/* Two steps side by side: why is one faster? */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "changes.h"
#include "manifest.h"
#include "table.h"

/* Print why one is faster, in one sentence. */
void diff_sentence(const json_t *from, const json_t *to, FILE *file, const struct style *style);

/* Print lines of changes, at most `limit` (0: all of them), then cut to the terminal's width.
 * Returns how many lines that were. */
int diff_print_changes(const struct changes *changes, int limit, FILE *file,
                       const struct style *style);

/* Print a line about a step that is wrong by a race, on purpose; of another nothing. */
void diff_warn(const struct step *step, FILE *file, const struct style *style);

/* Print the lines in which the sources of two steps differ, without their head comments; `checkout`
 * is the folder they are below. Returns false after one line on stderr where one cannot be read. */
bool diff_sources(const char *checkout, const struct step *from, const struct step *to, FILE *file,
                  const struct style *style);

/* Print the device, or the two, and side by side the figures of two results and the counters that
 * differ. `moved`: the device was chosen because both run on it. */
void diff_figures(const json_t *from, const json_t *to, bool moved, FILE *file,
                  const struct style *style);

#endif
