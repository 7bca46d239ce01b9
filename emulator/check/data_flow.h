/* SPDX-License-Identifier: MIT */
/* What becomes of a value in registers, read off a function's instructions, in no order. */
#ifndef DATA_FLOW_H
#define DATA_FLOW_H

#include "ptx/ptx.h"

/* Is the value that `load` brings compared with anything, itself or what is computed from it? Where
 * another function gets it, it may be. */
bool decides(const struct ptx_function *function, const struct ptx_instr *load);

/* The load of `x = f(x)` whose store is given: from the same address, and what is stored is
 * computed from it. NULL: there is none. */
const struct ptx_instr *updated_by(const struct ptx_function *function,
                                   const struct ptx_instr *store);

#endif
