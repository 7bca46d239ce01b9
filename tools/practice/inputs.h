/* SPDX-License-Identifier: MIT */
/* What puzzle.h promises alike wherever a trial runs: random inputs, shapes of launches, what it is
 * to differ. trial.c with results.c, and trial_gpu.c, each do the rest. */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdbool.h>

#include "puzzle.h"
#include "rng.h"

/* Where its random numbers come from. */
struct rng *trial_rng(struct trial *trial);

/* Elements of an array. */
enum element { INTS, LONGS, FLOATS };
extern const size_t element_sizes[];

/* Is element i not as expected? A NaN never is. */
bool element_differs(enum element kind, const void *found, const void *expected, size_t i,
                     double tolerance);
char *element_text(enum element kind, const void *values, size_t i);

/* What all of expect_ints() and its kin do. */
void trial_expect(struct trial *trial, buffer address, enum element kind, const void *expected,
                  size_t count, double tolerance);

#endif
