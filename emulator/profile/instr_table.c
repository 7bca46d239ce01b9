/* SPDX-License-Identifier: MIT */
#include "profile/instr_table.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { FIRST_ROOM = 256 };

static void make_room(struct instr_table *table, size_t room)
{
    table->room = room;
    table->instrs = observer_allocate(room, sizeof(*table->instrs));
    table->values = observer_allocate(room, table->size);
}

void instr_table_start(struct instr_table *table, size_t size)
{
    *table = (struct instr_table){.size = size};
    make_room(table, FIRST_ROOM);
}

void instr_table_free(struct instr_table *table)
{
    free((void *)table->instrs);
    free(table->values);
}

void instr_table_grow(struct instr_table *table)
{
    const struct instr_table old = *table;

    make_room(table, 2 * old.room);
    for (size_t i = 0; i < old.room; i++) {
        if (!old.instrs[i])
            continue;
        const size_t at = instr_table_find(table, old.instrs[i]);
        table->instrs[at] = old.instrs[i];
        memcpy(instr_table_value(table, at), instr_table_value(&old, i), table->size);
    }
    free((void *)old.instrs);
    free(old.values);
}
