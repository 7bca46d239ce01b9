/* SPDX-License-Identifier: MIT */
/* A hash table for observers: open addressing, never more than half full. An entry is any struct
 * that begins with its key, a number of 64 bits or a pointer, which is not 0. All functions take
 * the size of an entry, the same for a table each time. */
#ifndef HASH_TABLE_H
#define HASH_TABLE_H

#include "emu.h"

struct hash_table {
    char *entries; /* by slot; in a free slot the key is 0 */
    size_t count, room; /* entries; slots: a power of two, or 0 */
};

/* Make room for more. Ends the program where there is no memory (observer_memory.h). */
void hash_table_grow(struct hash_table *table, size_t size);
/* Forget all entries, and give back their memory. */
void hash_table_free(struct hash_table *table);

typedef uint64_t __attribute__((may_alias)) hash_key;

/* The entry in a slot. */
static inline void *hash_table_at(const struct hash_table *table, size_t size, size_t slot)
{
    return table->entries + slot * size;
}

/* Where the entry of `key` is, or belongs. Not of a table without room. */
static inline hash_key *hash_table_slot(const struct hash_table *table, size_t size, uint64_t key)
{
    for (size_t at = hash_spread(key) >> 32;; at++) {
        hash_key *entry = hash_table_at(table, size, at & (table->room - 1));
        if (*entry == key || *entry == 0)
            return entry;
    }
}

/* The entry of `key`; NULL: there is none. */
static inline void *hash_table_find(const struct hash_table *table, size_t size, uint64_t key)
{
    hash_key *entry = table->count ? hash_table_slot(table, size, key) : NULL;

    return entry && *entry ? entry : NULL;
}

/* The same, made of zeros if there is none. Valid until the next one is made. */
static inline void *hash_table_make(struct hash_table *table, size_t size, uint64_t key)
{
    if (2 * table->count >= table->room)
        hash_table_grow(table, size);
    hash_key *entry = hash_table_slot(table, size, key);
    table->count += !*entry;
    *entry = key;
    return entry;
}

#endif
