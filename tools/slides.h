/* SPDX-License-Identifier: MIT */
/* The steps of a tour on a projector: a screen for each, and keys to go on, back and run one. */
#ifndef SLIDES_H
#define SLIDES_H

#include <stdbool.h>
#include <time.h>
#include <jansson.h>

#include "manifest.h"
#include "runner.h"

/* Are keyboard and screen those of a terminal? One line on stderr if not. */
bool slides_possible(void);

/* Show the steps of `results`, whose run `began` then, until the reader has had enough; a step that
 * is built and run again has its new result there. One that was edited since is said to be, without
 * numbers. Signals must be held (child.h). The terminal is as it was in any case. */
void slides_show(json_t *results, const struct timespec *began, struct manifest *manifest,
                 const struct runner *runner, const char *checkout);

#endif
