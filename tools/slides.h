/* SPDX-License-Identifier: MIT */
/* The steps of a tour on a projector: a screen for each, and keys to go on, back and run one. */
#ifndef SLIDES_H
#define SLIDES_H

#include <stdbool.h>
#include <jansson.h>

#include "manifest.h"
#include "runner.h"

/* Are keyboard and screen those of a terminal? One line on stderr if not. */
bool slides_possible(void);

/* Show the steps of `results` until the reader has had enough; a step that is run again has its new
 * result there. Signals must be held (child.h). The terminal is as it was in any case. */
void slides_show(json_t *results, struct manifest *manifest, const struct runner *runner,
                 const char *checkout);

#endif
