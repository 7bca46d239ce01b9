/* SPDX-License-Identifier: MIT */
#include "uses.h"

#include <string.h>

#include "tables.h"

/* An instruction has at most a guard and PTX_MAX_OPERANDS operands, each with at most 8 pairs; or
 * one of them has 128 elements that are both read and written. */
enum { MAX_USES = PTX_MAX_OPERANDS * 8 * 2 + 2 * 128 + 1 };

static bool reads_operand(const struct ptx_instr *instr, int index)
{
    return !writes_operand(instr, index) || instr->takes->items[index].letter == 'u';
}

/* Append the registers of an operand to `registers`, which has `count` already: those that it
 * writes if `written`, otherwise those that it reads. Returns the new count. */
static int add_operand(const struct ptx_operand *operand, bool is_destination, bool written,
                       int *registers, int count)
{
    switch (operand->kind) {
    case OPERAND_PAIR:
    case OPERAND_REGISTER:
        if (is_destination == written && operand->number >= 0)
            registers[count++] = operand->number;
        if (is_destination == written && operand->kind == OPERAND_PAIR && operand->second >= 0)
            registers[count++] = operand->second;
        break;
    case OPERAND_ADDRESS:
        if (!written && operand->base == BASE_REGISTER)
            registers[count++] = operand->number;
        is_destination = false;
        /* fall through */
    case OPERAND_VECTOR:
        for (int i = 0; i < operand->count; i++)
            count = add_operand(&operand->elements[i], is_destination, written, registers, count);
        break;
    default:
        break;
    }
    return count;
}

static void find_registers(struct compilation *c, struct ptx_instr *instr)
{
    int registers[MAX_USES], count = 0;
    if (instr->guard >= 0)
        registers[count++] = instr->guard;
    for (int i = 0; i < instr->operand_count; i++)
        count = add_operand(&instr->operands[i], !reads_operand(instr, i), false, registers, count);
    instr->read_count = count;
    for (int i = 0; i < instr->operand_count; i++)
        count = add_operand(&instr->operands[i], writes_operand(instr, i), true, registers, count);
    instr->write_count = count - instr->read_count;
    instr->registers = compilation_array(c, (size_t)count + 1, sizeof *instr->registers);
    memcpy(instr->registers, registers, (size_t)count * sizeof *registers);
}

void find_uses(struct compilation *c, struct ptx_function *f)
{
    for (int i = 0; i < f->instr_count; i++) {
        struct ptx_instr *instr = &f->instrs[i];
        find_registers(c, instr);
        for (int k = 0; k < instr->read_count; k++) {
            f->registers[instr->registers[k]].reads++;
            f->registers[instr->registers[k]].reader = i;
        }
        for (int k = instr->read_count; k < instr->read_count + instr->write_count; k++) {
            f->registers[instr->registers[k]].writes++;
            f->registers[instr->registers[k]].writer = i;
        }
        for (int k = 0; k < instr->operand_count; k++)
            if (instr->operands[k].kind == OPERAND_ADDRESS &&
                instr->operands[k].base == BASE_REGISTER)
                f->registers[instr->operands[k].number].address_reads++;
    }
}
