/* SPDX-License-Identifier: MIT */
#include "machine/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { FIRST_ROOM = 64 };

void hash_table_grow(struct hash_table *table, size_t size)
{
    const struct hash_table old = *table;

    table->room = old.room ? 2 * old.room : FIRST_ROOM;
    table->entries = observer_allocate(table->room, size);
    for (size_t i = 0; i < old.room; i++) {
        const hash_key *entry = hash_table_at(&old, size, i);
        if (*entry)
            memcpy(hash_table_slot(table, size, *entry), entry, size);
    }
    free(old.entries);
}

void hash_table_free(struct hash_table *table)
{
    free(table->entries);
    *table = (struct hash_table){0};
}
