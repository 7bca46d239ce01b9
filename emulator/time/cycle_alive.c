/* SPDX-License-Identifier: MIT */
/* How many registers of the machine code are in use, instruction by instruction: rule 8 of
 * cycle_code.c. */
#include "time/cycle_writer.h"

#include <limits.h>

#include "machine/observer_memory.h"
#include "ptx/liveness.h"

/* Of the registers of a full SM, those that ptxas needs for the stack pointer, for parameters and
 * between vectors. */
enum { SPARE = 8 };

/* The words of 32 bits that the register takes: none for a predicate, or for what costs nothing and
 * comes of no register, such as a parameter. */
static int words_of(const struct writer *writer, int reg)
{
    const struct ptx_register *value = &writer->function->registers[reg];
    const struct cycle_op *op = &writer->code->ops[value->writer];
    const uint32_t *sources = writer->code->registers + op->registers;
    int words = 0;

    for (int i = 0; i < op->source_count; i++)
        words += writer->words[sources[i]];
    if (value->type == PTX_PRED || (value->writes == 1 && op->kind == CYCLE_FREE && words == 0))
        return 0;
    return writer->known[reg].width <= 32 ? 1 : (int)(ptx_type_size(value->type) + 3) / 4;
}

void code_find_alive(struct writer *writer)
{
    const struct ptx_function *function = writer->function;
    const int full = writer->gpu->registers_per_sm / writer->gpu->max_threads_per_sm;

    for (int reg = 0; reg < function->register_count; reg++)
        writer->words[reg] = 1;
    for (int i = 0; i < function->instr_count; i++) {
        const struct ptx_instr *instr = &function->instrs[i];
        for (int k = instr->read_count; k < instr->read_count + instr->write_count; k++)
            writer->words[instr->registers[k]] = words_of(writer, instr->registers[k]);
    }
    const int most = ptx_most_alive(function, writer->words, writer->alive);
    writer->room = most >= full ? INT_MAX : most > full - SPARE ? most : full - SPARE;
}
