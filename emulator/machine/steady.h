/* SPDX-License-Identifier: MIT */
/* What of a function's registers says how it goes on, where the others hold nothing but time. */
#ifndef STEADY_H
#define STEADY_H

#include "op.h"

/* Set is_timed and the steady registers of bound code. False: no memory. */
bool steady_find(struct code *code);
bool code_reads_clock(const struct code *code);

#endif
