/* SPDX-License-Identifier: MIT */
/* Are an instruction's operands those that its form takes? */
#ifndef CHECK_INSTRUCTION_H
#define CHECK_INSTRUCTION_H

#include "compilation.h"

/* Fails unless the operands are as many as instructions.def says, of the right kind, in registers
 * of the right size, and constants in range: whoever executes them need not ask again. `least`: how
 * many there must be at least. */
void check_operands(struct compilation *compilation, const struct ptx_module *module,
                    const struct ptx_function *function, const struct ptx_instr *instr, int least);

#endif
