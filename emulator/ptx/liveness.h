/* SPDX-License-Identifier: MIT */
/* How many registers a function needs at once. */
#ifndef LIVENESS_H
#define LIVENESS_H

#include "flow.h"

/* The largest number of 32-bit registers that are alive at once. *reads_unwritten: may a
 * register be read that was not written? */
int count_live_registers(struct compilation *compilation, const struct ptx_function *function,
                         const struct flow *flow, bool *reads_unwritten);

/* The same for a function of a parsed module, where register i counts as weights[i]. `before` is
 * filled with how much is alive before each instruction, unless it is NULL. Returns -1 if there is
 * no memory. */
int ptx_most_alive(const struct ptx_function *function, const int *weights, int *before);

#endif
