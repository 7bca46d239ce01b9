/* SPDX-License-Identifier: MIT */
/* How many registers a function needs at once. */
#ifndef LIVENESS_H
#define LIVENESS_H

#include "flow.h"

/* The most 32-bit registers alive at once; and may one be read that nobody has written? */
int count_live_registers(struct compilation *compilation, const struct ptx_function *function,
                         const struct flow *flow, bool *reads_unwritten);

/* The same of a function that is read, where register i counts as weights[i]. -1: no memory. */
int ptx_most_alive(const struct ptx_function *function, const int *weights);

#endif
