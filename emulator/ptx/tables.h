/* The tables of opcodes.h and ptx.h as data. */
#ifndef TABLES_H
#define TABLES_H

#include "ptx.h"

struct opcode_row {
    const char *text;
    const char *operands; /* letters of opcodes.h */
};
extern const struct opcode_row opcode_rows[OPCODE_COUNT];
extern const char *const modifier_names[MODIFIER_COUNT];
extern const char *const special_names[SREG_COUNT];

enum { PTX_SPACE_COUNT = PTX_SHARED + 1 };

/* The letter of operand `index`, or 0 behind the last. */
char opcode_operand(enum opcode opcode, int index);

/* Does `instr` write its operand `index`? */
bool writes_operand(const struct ptx_instr *instr, int index);

/* The type of the value in operand `index`; PTX_PRED where a predicate belongs. */
enum ptx_type operand_type(const struct ptx_instr *instr, int index);

/* The type of one of the `count` elements where operand `index` is a vector. */
enum ptx_type element_type(const struct ptx_instr *instr, int index, int count);

#endif
