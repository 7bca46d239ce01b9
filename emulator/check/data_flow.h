/* SPDX-License-Identifier: MIT */
/* Where a value in registers goes. The order of a function's instructions is not looked at. */
#ifndef DATA_FLOW_H
#define DATA_FLOW_H

#include "ptx/ptx.h"

/* Is the loaded value, or what is computed from it, compared with anything? If another function
 * gets it, the answer is yes. */
bool decides(const struct ptx_function *function, const struct ptx_instr *load);

/* If `store` is that of `x = f(x)`, the load: it reads the same address, and the stored value is
 * computed from what it reads. Otherwise NULL. */
const struct ptx_instr *updated_by(const struct ptx_function *function,
                                   const struct ptx_instr *store);

#endif
