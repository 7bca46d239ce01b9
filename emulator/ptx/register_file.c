/* SPDX-License-Identifier: MIT */
/* Slots by a linear scan over the spans of registers (Poletto and Sarkar, "Linear Scan Register
 * Allocation", 1999), with as many slots as it takes. */
#include "register_file.h"

#include "tables.h"

/* How long a slot rests, in instructions: what computes an address where it is used reads the
 * address's own sources there (machine/indexed.c). */
enum { REST = 64 };

/* Slots of 4, 8 and 16 bytes a lane. */
enum { SIZES = 3 };

/* Slots that wait for their next register. */
struct queue {
    uint32_t *slots;
    int count, taken;
};

static int size_of(const struct ptx_register *reg)
{
    const size_t bytes = ptx_type_size(reg->type);
    return bytes > 8 ? 2 : bytes > 4;
}

/* Which spans are longer than they look. Products by four warps read their registers when they are
 * waited for. And whether a path spins that looks at the clock is seen by what its registers hold
 * beside time (machine/steady.c). */
static void lengthen(const struct ptx_function *f, struct register_span *spans)
{
    const bool all = ptx_reads_clock(f);
    for (int reg = 0; all && reg < f->register_count; reg++)
        spans[reg].last = f->instr_count;
    for (int i = 0; i < f->instr_count; i++)
        for (int k = 0; f->instrs[i].opcode == OP_WGMMA_MMA && k < f->instrs[i].read_count; k++)
            spans[f->instrs[i].registers[k]].last = f->instr_count;
}

static uint32_t take_slot(struct ptx_function *f, struct queue *queue, int size)
{
    if (queue->taken < queue->count)
        return queue->slots[queue->taken++];
    const uint32_t slot = f->register_file_bytes;
    f->register_file_bytes += (uint32_t)WARP_SIZE * 4 << size;
    return slot;
}

void place_registers(struct compilation *c, struct ptx_function *f, struct register_span *spans)
{
    const size_t count = (size_t)f->register_count + 1;
    struct queue free[SIZES] = {0};
    /* By instruction: 1 + a register whose span begins, or whose slot has rested, there; and by
     * register the next such one. */
    int *begins = compilation_array(c, (size_t)f->instr_count + 1, sizeof *begins);
    int *ends = compilation_array(c, (size_t)f->instr_count + 1 + REST, sizeof *ends);
    int *next_begin = compilation_array(c, count, sizeof *next_begin);
    int *next_end = compilation_array(c, count, sizeof *next_end);

    lengthen(f, spans);
    for (int reg = 0; reg < f->register_count; reg++) {
        if (f->registers[reg].type == PTX_PRED) {
            f->registers[reg].slot = (uint32_t)f->predicate_count++;
        } else if (spans[reg].first >= 0) {
            next_begin[reg] = begins[spans[reg].first];
            begins[spans[reg].first] = reg + 1;
            next_end[reg] = ends[spans[reg].last + REST];
            ends[spans[reg].last + REST] = reg + 1;
        }
    }
    for (int i = 0; i < f->instr_count; i++) {
        for (int reg = begins[i]; reg; reg = next_begin[reg - 1]) {
            struct ptx_register *begun = &f->registers[reg - 1];
            begun->slot = take_slot(f, &free[size_of(begun)], size_of(begun));
        }
        for (int reg = ends[i]; reg; reg = next_end[reg - 1]) {
            const struct ptx_register *ended = &f->registers[reg - 1];
            struct queue *queue = &free[size_of(ended)];
            *APPEND(c, queue->slots, queue->count) = ended->slot;
        }
    }
}
