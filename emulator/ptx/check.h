/* Does an instruction say what its opcode asks for? */
#ifndef CHECK_INSTRUCTION_H
#define CHECK_INSTRUCTION_H

#include "compilation.h"

/* Fails unless `instr` names as many types as its opcode needs. */
void check_types(struct compilation *compilation, const struct ptx_instr *instr);

/* Fails unless the operands are as many as opcodes.h says, of the right kind, and in registers of
 * the right size: whoever executes them need not ask again. */
void check_operands(struct compilation *compilation, const struct ptx_function *function,
                    const struct ptx_instr *instr);

#endif
