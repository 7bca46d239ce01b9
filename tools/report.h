/* SPDX-License-Identifier: MIT */
/* The ladder as a page to keep, to mail or to hang up: one HTML file that asks for nothing else. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <jansson.h>

#include "manifest.h"

enum { REPORT_MAX_RUNS = 8 };

/* Write to `path` the results of one tour, or of several side by side, the first of which says
 * which steps there are; their sources are below `checkout`. A file there is replaced as a whole or
 * not at all. Returns false after one line on stderr. */
bool report_write(const char *path, const json_t *const *runs, int run_count,
                  const struct manifest *manifest, const char *checkout);

#endif
