/* SPDX-License-Identifier: MIT */
/* What an instruction waits for the banks of the register file: rule 12 of cycle_code.c. */
#include "time/cycle_writer.h"

/* What it waits for two and for three registers, in clocks: ptxas spreads two over the banks where
 * it can; of three, two are in one. Counted in the machine code of
 * benchmarks/model/issue.cu: products of a tile, of which 64 take an H200 89.6 clocks. */
enum { FOR_TWO = (int)(0.15 * CLOCK_PARTS), FOR_THREE = CLOCK_PARTS };

/* Does the machine code read the operand from a register, and not from constants? */
static bool is_in_file(const struct writer *writer, uint32_t reg)
{
    const struct ptx_register *value = &writer->function->registers[reg];
    const struct ptx_instr *from = &writer->function->instrs[value->writer];

    return value->type != PTX_PRED && value->writes > 0 &&
           !(value->writes == 1 && writer->code->ops[value->writer].kind == CYCLE_FREE &&
             (from->opcode == OP_LD ||
              (from->opcode == OP_MOV && from->operands[1].kind != OPERAND_REGISTER)));
}

static bool has_source(const struct cycle_code *code, const struct cycle_op *op, uint32_t reg,
                       int count)
{
    for (int i = 0; i < count; i++)
        if (code->registers[op->registers + (uint32_t)i] == reg)
            return true;
    return false;
}

/* Registers that the instruction reads, less one that it has in common with the last one. */
static int count_reads(const struct writer *writer, const struct cycle_op *op,
                       const struct cycle_op *last)
{
    const struct cycle_code *code = writer->code;
    bool kept = false;
    int reads = 0;

    for (int i = 0; i < op->source_count; i++) {
        const uint32_t reg = code->registers[op->registers + (uint32_t)i];
        if (!is_in_file(writer, reg) || has_source(code, op, reg, i))
            continue;
        if (last && !kept && has_source(code, last, reg, last->source_count))
            kept = true;
        else
            reads++;
    }
    return reads;
}

void code_find_conflicts(const struct writer *writer, struct cycle_item *items, uint32_t count)
{
    const struct cycle_op *last = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct cycle_op *op = &writer->code->ops[items[i].index];
        if (op->kind == CYCLE_FREE)
            continue;
        if (op->kind == CYCLE_UNIT && op->slots == 1 && op->unit != UNIT_DOUBLE &&
            op->unit != UNIT_TENSOR) {
            const int reads = count_reads(writer, op, last);
            items[i].conflict = reads < 2 ? 0 : reads == 2 ? FOR_TWO : FOR_THREE;
        }
        last = op;
    }
}
