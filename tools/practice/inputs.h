/* SPDX-License-Identifier: MIT */
/* What puzzle.h promises alike wherever a trial runs: random inputs, and shapes of launches. */
#ifndef INPUTS_H
#define INPUTS_H

#include "puzzle.h"
#include "rng.h"

/* Where its random numbers come from: trial.c and trial_gpu.c each have their own. */
struct rng *trial_rng(struct trial *trial);

#endif
