/* SPDX-License-Identifier: MIT */
/* Something for each instruction that comes up: open addressing. */
#ifndef INSTR_TABLE_H
#define INSTR_TABLE_H

#include "ptx/ptx.h"

struct instr_table {
    const struct ptx_instr **instrs; /* NULL: free */
    char *values;
    size_t size; /* of a value */
    size_t count, room; /* a power of two */
};

/* An empty table of values of `size` bytes, zero at first. It ends the program where there is no
 * memory (observer_memory.h). */
void instr_table_start(struct instr_table *table, size_t size);
void instr_table_free(struct instr_table *table);

/* Make twice as much room. */
void instr_table_grow(struct instr_table *table);

static inline void *instr_table_value(const struct instr_table *table, size_t index)
{
    return table->values + index * table->size;
}

/* Where `instr` is or belongs. */
static inline size_t instr_table_find(const struct instr_table *table,
                                      const struct ptx_instr *instr)
{
    const size_t last = table->room - 1;
    size_t at = ((uintptr_t)instr * UINT64_C(0x9E3779B97F4A7C15) >> 32) & last;

    while (table->instrs[at] && table->instrs[at] != instr)
        at = (at + 1) & last;
    return at;
}

/* The value of `instr`; valid until the next one that is new. */
static inline void *instr_table_at(struct instr_table *table, const struct ptx_instr *instr)
{
    size_t at = instr_table_find(table, instr);

    if (table->instrs[at])
        return instr_table_value(table, at);
    if (2 * table->count >= table->room) {
        instr_table_grow(table);
        at = instr_table_find(table, instr);
    }
    table->instrs[at] = instr;
    table->count++;
    return instr_table_value(table, at);
}

#endif
