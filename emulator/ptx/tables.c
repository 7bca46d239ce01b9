/* SPDX-License-Identifier: MIT */
/* The names of special registers, and what follows from the form of an instruction. */
#include "tables.h"

const char *const special_names[SREG_COUNT] = {
#define X(id, text) [SREG_##id] = (text),
    PTX_SPECIAL_REGISTERS(X)
#undef X
};

bool writes_operand(const struct ptx_instr *instr, int index)
{
    return index < instr->takes->count && isa_writes(&instr->takes->items[index]);
}

enum ptx_type operand_type(const struct ptx_instr *instr, int index)
{
    return index < instr->takes->count ? instr->takes->items[index].type : ptx_type_of(instr);
}

static enum ptx_type bits_of_size(size_t size)
{
    switch (size) {
    case 1:
        return PTX_B8;
    case 2:
        return PTX_B16;
    case 4:
        return PTX_B32;
    default:
        return PTX_B64;
    }
}

enum ptx_type element_type(const struct ptx_instr *instr, int index, int count)
{
    enum ptx_type type = operand_type(instr, index);
    char letter = index < instr->takes->count ? instr->takes->items[index].letter : 0;
    /* In a mov {a, b} are the parts of one value. In all other instructions the elements are
     * values. */
    bool parts = (letter == 'V' || letter == 'S') && count > 1;
    return parts ? bits_of_size(ptx_type_size(type) / (size_t)count) : type;
}
