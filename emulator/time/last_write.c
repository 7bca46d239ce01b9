/* SPDX-License-Identifier: MIT */
/* A hash table with open addressing, never more than half full. */
#include "time/last_write.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { FIRST_BITS = 10 };

struct word {
    uint64_t address, clock; /* address 0: a free place */
};

struct last_writes {
    struct word *words; /* NULL before the first */
    int bits;
    uint64_t count;
};

static uint64_t size_of(const struct last_writes *writes)
{
    return UINT64_C(1) << writes->bits;
}

struct last_writes *last_writes_new(void)
{
    struct last_writes *writes = observer_allocate(1, sizeof(*writes));

    writes->bits = FIRST_BITS;
    return writes;
}

void last_writes_free(struct last_writes *writes)
{
    free(writes->words);
    free(writes);
}

void last_writes_clear(struct last_writes *writes)
{
    if (writes->count > 0)
        memset(writes->words, 0, size_of(writes) * sizeof(*writes->words));
    writes->count = 0;
}

/* Where the address is, or belongs. */
static struct word *find(const struct last_writes *writes, uint64_t address)
{
    const uint64_t mask = size_of(writes) - 1;
    uint64_t at = address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - writes->bits);

    while (writes->words[at].address && writes->words[at].address != address)
        at = (at + 1) & mask;
    return &writes->words[at];
}

static void grow(struct last_writes *writes)
{
    struct word *old = writes->words;
    const uint64_t size = size_of(writes);

    writes->bits++;
    writes->words = observer_allocate(size_of(writes), sizeof(*writes->words));
    for (uint64_t i = 0; i < size; i++)
        if (old[i].address)
            *find(writes, old[i].address) = old[i];
    free(old);
}

void last_writes_note(struct last_writes *writes, uint64_t address, uint64_t clock)
{
    if (!writes->words)
        writes->words = observer_allocate(size_of(writes), sizeof(*writes->words));
    struct word *word = find(writes, address);
    if (!word->address) {
        if (2 * ++writes->count > size_of(writes)) {
            grow(writes);
            word = find(writes, address);
        }
        word->address = address;
    }
    if (clock > word->clock)
        word->clock = clock;
}

uint64_t last_writes_at(const struct last_writes *writes, uint64_t address)
{
    return writes->count > 0 ? find(writes, address)->clock : 0;
}
