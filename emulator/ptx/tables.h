/* SPDX-License-Identifier: MIT */
/* What follows from the form of an instruction. */
#ifndef TABLES_H
#define TABLES_H

#include "ptx.h"

extern const char *const special_names[SREG_COUNT];

/* Does `instr` write its operand `index`? */
bool writes_operand(const struct ptx_instr *instr, int index);

/* The type of the value in operand `index`; PTX_PRED for a predicate. */
enum ptx_type operand_type(const struct ptx_instr *instr, int index);

/* The type of one of the `count` elements of operand `index`, which is a vector. */
enum ptx_type element_type(const struct ptx_instr *instr, int index, int count);

#endif
