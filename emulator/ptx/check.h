/* SPDX-License-Identifier: MIT */
/* Checks the operands of an instruction. */
#ifndef CHECK_INSTRUCTION_H
#define CHECK_INSTRUCTION_H

#include "compilation.h"

/* Fail unless the operands are those that instructions.def gives: their number, at least
 * `least`, their kinds, the sizes of registers and the range of constants. Later code need not
 * check any of that again. */
void check_operands(struct compilation *compilation, const struct ptx_module *module,
                    const struct ptx_function *function, const struct ptx_instr *instr, int least);

#endif
