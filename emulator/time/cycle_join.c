/* SPDX-License-Identifier: MIT */
/* Neighbouring loads of shared memory or constants become a wide one: rule 11 of cycle_code.c. */
#include "time/cycle_writer.h"

enum { WIDEST = 16, WIDEST_CONSTANT = 8 }; /* bytes: LDS.128, LDC.64 */

/* How many of the lowest bits of `bytes`, a power of two, are 0. */
static int zeros_in(uint32_t bytes)
{
    return __builtin_ctz(bytes);
}

/* Of a load that may become a part of a wider one. */
struct part {
    uint32_t index;
    int64_t offset;
    uint32_t bytes;
};

static bool is_part(const struct writer *writer, uint32_t index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];

    return instr->opcode == OP_LD && (instr->space == PTX_SHARED || instr->space == PTX_CONST) &&
           instr->guard < 0 && writer->predicate[index] < 0 && !instr->of_cluster &&
           writer->code->ops[index].moves && writer->code->ops[index].kind == CYCLE_MEMORY &&
           !writer->code->ops[index].bytes && ptx_type_size(ptx_type_of(instr)) >= 4;
}

static struct part part_at(const struct writer *writer, uint32_t index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];

    return (struct part){index, instr->operands[1].offset,
                         (uint32_t)(ptx_type_size(ptx_type_of(instr)) * instr->vector)};
}

/* May what is behind the instruction not be joined with what is in front of it? */
static bool parts(const struct writer *writer, uint32_t index, const struct ptx_operand *address)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];

    for (int k = 0; k < instr->write_count; k++)
        if (address->base == BASE_REGISTER &&
            instr->registers[instr->read_count + k] == address->number)
            return true;
    return writer->code->ops[index].kind != CYCLE_PLAIN &&
           writer->code->ops[index].kind != CYCLE_FREE && !writer->code->ops[index].moves;
}

/* The loads from the one at `first` on that read the `bytes` around it, in one basic block. Returns
 * their number, or 0 if they leave some of these bytes out. */
static int find_parts(const struct writer *writer, uint32_t first, uint32_t bytes,
                      struct part all[WIDEST / 4])
{
    const struct ptx_instr *instr = &writer->function->instrs[first];
    const struct ptx_operand *address = &instr->operands[1];
    const int64_t begin = address->offset & -(int64_t)bytes;
    uint32_t covered = 0;
    int count = 0;

    for (uint32_t i = first; i < writer->code->blocks[writer->code->block_of[first]].end; i++) {
        if (parts(writer, i, address))
            return 0;
        const struct ptx_operand *other = &writer->function->instrs[i].operands[1];
        if (!is_part(writer, i) || writer->function->instrs[i].space != instr->space ||
            other->base != address->base || other->number != address->number)
            continue;
        const struct part part = part_at(writer, i);
        if (part.offset < begin || part.offset + part.bytes > begin + bytes)
            continue;
        const uint32_t bits = ((1u << part.bytes) - 1) << (part.offset - begin);
        if (covered & bits)
            continue;
        all[count++] = part;
        covered |= bits;
        if (covered == (1u << bytes) - 1)
            return count;
    }
    return 0;
}

/* The first of the loads brings the registers of all. */
static void join(struct writer *writer, const struct part *all, int count, uint32_t bytes)
{
    struct cycle_code *code = writer->code;
    const struct ptx_instr *first = &writer->function->instrs[all[0].index];
    const int brought = first->registers[first->read_count];

    code->ops[all[0].index].bytes = (uint8_t)bytes;
    for (int i = 1; i < count; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[all[i].index];
        struct cycle_op *op = &code->ops[all[i].index];
        op->kind = CYCLE_FREE;
        op->registers = writer->pool_count;
        op->source_count = 1;
        code_take_registers(writer, &brought, 1);
        code_take_registers(writer, instr->registers + instr->read_count, instr->write_count);
    }
}

void code_join_loads(struct writer *writer)
{
    const struct ptx_function *function = writer->function;
    struct part all[WIDEST / 4];

    for (uint32_t i = 0; i < (uint32_t)function->instr_count; i++) {
        const struct ptx_operand *address = &function->instrs[i].operands[1];
        for (uint32_t bytes = function->instrs[i].space == PTX_CONST ? WIDEST_CONSTANT : WIDEST;
             bytes >= 8 && is_part(writer, i); bytes /= 2) {
            const int aligned = address->base == BASE_REGISTER
                                    ? writer->known[address->number].zeros
                                    : zeros_in(WIDEST);
            const int count = aligned >= zeros_in(bytes) ? find_parts(writer, i, bytes, all) : 0;
            if (count > 1)
                join(writer, all, count, bytes);
        }
    }
}
