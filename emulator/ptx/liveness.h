/* SPDX-License-Identifier: MIT */
/* Where registers are alive, and how many at once. */
#ifndef LIVENESS_H
#define LIVENESS_H

#include "flow.h"

/* Which registers are alive where; it lives as long as the compilation. */
struct liveness *find_alive(struct compilation *compilation, const struct ptx_function *function,
                            const struct flow *flow);

/* The largest number of 32-bit registers that are alive at once. Marks those of the function's
 * registers that may be read before they are written. */
int count_live_registers(const struct liveness *liveness, struct ptx_register *registers);

/* In the order of the text, the first and the last instruction at which a register is mentioned or
 * holds what may still be read; {-1, -1}: there is none. */
struct register_span {
    int first, last;
};

/* The spans of all registers. */
struct register_span *register_spans(const struct liveness *liveness);

/* The most that is alive at once in a function of a parsed module, where register i counts as
 * weights[i]. `before` is filled with how much is alive before each instruction, unless it is NULL.
 * Returns -1 if there is no memory. */
int ptx_most_alive(const struct ptx_function *function, const int *weights, int *before);

#endif
