/* SPDX-License-Identifier: MIT */
/* Two steps side by side: why is one faster? */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "changes.h"
#include "manifest.h"
#include "table.h"

/* Print lines of changes, at most `limit` (0: all of them), then the most telling ones and cut to
 * the terminal's width, which changes `changes`; `rest` goes behind "12 more changed lines".
 * Returns how many lines that were. */
int diff_print_changes(struct changes *changes, int limit, const char *rest, FILE *file,
                       const struct style *style);

/* Print why one step is faster than the other, in one sentence; the lines in which their sources
 * differ, without head comments; the device, or the two; and side by side the figures of both and
 * the counters that differ. Where the terminal has too few rows for that, the lines and counters
 * that tell most. `checkout` is the folder that sources are below, `manifest` that of all steps;
 * `moved`: the device was chosen because both run on it. Returns false after one line on stderr
 * where a source cannot be read. */
bool diff_print(const char *checkout, const struct manifest *manifest, const struct step *from,
                const struct step *to, const json_t *results, bool moved, FILE *file,
                const struct style *style);

#endif
