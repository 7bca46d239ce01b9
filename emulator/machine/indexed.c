/* SPDX-License-Identifier: MIT */
/* Finding addresses of array elements: a multiplication, an addition, and what uses the sum. */
#include "indexed.h"

#include "warp.h"

/* The op that alone writes `slot`, a register that is read but once; NULL: there is none. */
static struct op *only_writer(const struct code *code, const struct op *reader, struct slot slot)
{
    for (int i = 0; i < reader->instr->read_count; i++) {
        const struct ptx_register *reg = &code->function->registers[reader->instr->registers[i]];
        struct op *writer = &code->ops[reg->writer];
        if (slot.file == FILE_REGISTERS && reg->type != PTX_PRED && reg->slot == slot.offset &&
            reg->reads == 1 && reg->writes == 1)
            return writer->quiet && writer->guard < 0 ? writer : NULL;
    }
    return NULL;
}

static bool writes(const struct code *code, const struct op *op, struct slot slot)
{
    const struct ptx_instr *instr = op->instr;
    for (int i = instr->read_count; i < instr->read_count + instr->write_count; i++) {
        const struct ptx_register *reg = &code->function->registers[instr->registers[i]];
        if (slot.file == FILE_REGISTERS && reg->type != PTX_PRED && reg->slot == slot.offset)
            return true;
    }
    return false;
}

/* Does every lane that gets to `last` come from `first` straight, and is `slot` still the same? */
static bool stays(const struct code *code, const struct op *first, const struct op *last,
                  struct slot slot)
{
    for (const struct op *op = first + 1; op < last; op++)
        if (op->instr->leads || op->jumps || writes(code, op, slot))
            return false;
    return first < last && !last->instr->leads;
}

static bool is_sum(const struct op *op)
{
    return op && op->instr->opcode == OP_ADD && op->a.bytes == 8 && op->immediate == 0 &&
           ptx_type_of(op->instr) != PTX_F64;
}

/* Is it an index times a power of two? */
static bool is_scaled(const struct code *code, const struct op *op, uint32_t *scale)
{
    const enum ptx_type type = op ? ptx_type_of(op->instr) : PTX_NONE;
    if (!op || op->instr->opcode != OP_MUL || !ptx_has(op->instr, MOD_WIDE) ||
        (type != PTX_S32 && type != PTX_U32) || op->b.file != FILE_POOL)
        return false;
    *scale = *(const lane_u32 *)(code->pool + op->b.offset);
    return *scale && !(*scale & (*scale - 1)) && *scale >> 31 == 0;
}

static void take_over(const struct code *code, struct op *op)
{
    struct op *sum =
        op->request && op->address == ADDRESS_64 ? only_writer(code, op, op->pointer) : NULL;
    for (int swapped = 0; is_sum(sum) && swapped < 2; swapped++) {
        const struct slot base = swapped ? sum->b : sum->a, offset = swapped ? sum->a : sum->b;
        struct op *product = only_writer(code, sum, offset);
        uint32_t scale;
        if (!is_scaled(code, product, &scale) || !stays(code, product, op, product->a) ||
            !stays(code, sum, op, base))
            continue;
        op->address = ADDRESS_INDEXED;
        op->pointer = base;
        op->b = product->a;
        op->index_signed = ptx_type_of(product->instr) == PTX_S32;
        op->index_shift = (uint8_t)__builtin_ctz(scale);
        sum->handler = product->handler = do_nothing;
        return;
    }
}

void indexed_find(struct program *program)
{
    for (int f = 0; f < program->module->function_count; f++) {
        struct code *code = &program->codes[f];
        /* Where paths poll, how their registers change tells whether they spin. */
        const bool polls = code->orders_blocks || code->reads_others;
        for (int i = 0; code->ops && !code->failure && !polls && i < code->op_count; i++)
            take_over(code, &code->ops[i]);
    }
}
