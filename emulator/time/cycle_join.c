/* SPDX-License-Identifier: MIT */
/* Neighbouring loads of shared memory or constants become a wide one, and some of constants have
 * uniform registers for their results: rules 11 and 13 of cycle_code.c. */
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

/* May what is after the instruction not be joined with what is before it? */
static bool parts(const struct writer *writer, uint32_t index, const struct ptx_operand *address)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];

    for (int k = 0; k < instr->write_count; k++)
        if (address->base == BASE_REGISTER &&
            instr->registers[instr->read_count + k] == address->number)
            return true;
    return writer->code->ops[index].kind != CYCLE_UNIT &&
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
    uint32_t uniform = 0;

    code->ops[all[0].index].bytes = (uint8_t)bytes;
    for (int i = 0; i < count; i++)
        uniform += code->ops[all[i].index].uniform_bytes;
    code->ops[all[0].index].uniform_bytes = (uint8_t)(uniform == bytes ? bytes : 0);
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

/* Is the load in a loop that some lanes may leave before others? */
static bool in_uneven_loop(const struct writer *writer, uint32_t index)
{
    const struct ptx_function *function = writer->function;

    for (int i = (int)index + 1; i < function->instr_count; i++)
        if (function->instrs[i].opcode == OP_BRA && function->instrs[i].target <= (int)index &&
            function->instrs[i].guard >= 0 && writer->varies[function->instrs[i].guard])
            return true;
    return false;
}

/* How often the instruction reads the register. */
static int count_reads(const struct ptx_instr *instr, int reg)
{
    int count = 0;

    for (int k = 0; k < instr->read_count; k++)
        count += instr->registers[k] == reg;
    return count;
}

/* May an instruction take one of its operands from a uniform register? */
static bool takes_uniform(const struct writer *writer, int index)
{
    const struct cycle_op *op = &writer->code->ops[index];
    const struct ptx_instr *instr = &writer->function->instrs[index];

    for (int k = 0; k < instr->operand_count; k++)
        if (instr->operands[k].kind == OPERAND_IMMEDIATE)
            return false;
    if (op->kind == CYCLE_FREE) /* a part of another one */
        return isa_rows[instr->opcode].cost != COST_MOVE;
    return op->kind == CYCLE_UNIT && op->slots == 1 && op->unit <= UNIT_INTEGER;
}

/* May this result of a load stay in a uniform register? */
static bool stays_uniform(const struct writer *writer, int reg)
{
    const struct ptx_function *function = writer->function;

    if (function->registers[reg].reads == 0)
        return false;
    for (int i = 0; i < function->instr_count; i++) {
        const int reads = count_reads(&function->instrs[i], reg);
        if (reads > 1 || (reads == 1 && !takes_uniform(writer, i)))
            return false;
    }
    return true;
}

/* Rule 13: the bytes of a load that go to uniform registers, of which each has four. */
static uint8_t uniform_bytes(const struct writer *writer, uint32_t index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    const int size = (int)ptx_type_size(ptx_type_of(instr));
    const int together = size < WIDEST_CONSTANT && instr->vector > 1 ? WIDEST_CONSTANT / size : 1;
    int bytes = 0;

    if (!is_part(writer, index) || instr->space != PTX_CONST ||
        instr->operands[1].base != BASE_REGISTER || writer->varies[instr->operands[1].number] ||
        in_uneven_loop(writer, index))
        return 0;
    for (int k = 0; k < instr->write_count; k += together) {
        bool stays = true;
        for (int i = k; i < k + together && i < instr->write_count; i++)
            stays &= stays_uniform(writer, instr->registers[instr->read_count + i]);
        bytes += stays ? together * size : 0;
    }
    return (uint8_t)bytes;
}

void code_join_loads(struct writer *writer)
{
    const struct ptx_function *function = writer->function;
    struct part all[WIDEST / 4];

    for (uint32_t i = 0; i < (uint32_t)function->instr_count; i++)
        writer->code->ops[i].uniform_bytes = uniform_bytes(writer, i);
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
