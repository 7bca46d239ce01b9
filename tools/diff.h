/* Two steps side by side: why is one faster? */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "manifest.h"
#include "table.h"

/* Print the lines in which the sources of two steps differ; `checkout` is the folder they are
 * below. Returns false after one line on stderr where they cannot be compared. Signals must be held
 * (child.h). */
bool diff_sources(const char *checkout, const struct step *from, const struct step *to, FILE *file,
                  const struct style *style);

/* Print the device, or the two, and figures and counters of two results side by side. `moved`: the
 * device was chosen because both run on it. */
void diff_figures(const json_t *from, const json_t *to, bool moved, FILE *file,
                  const struct style *style);

#endif
