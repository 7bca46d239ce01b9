/* SPDX-License-Identifier: MIT */
/* A hash table with open addressing, never more than half full. */
#include "time/written.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { FIRST_BITS = 10 };

struct word {
    uint64_t address, clock; /* address 0: a free place */
};

struct written {
    struct word *words; /* NULL before the first */
    int bits;
    uint64_t count;
};

static uint64_t size_of(const struct written *written)
{
    return UINT64_C(1) << written->bits;
}

struct written *written_new(void)
{
    struct written *written = observer_allocate(1, sizeof(*written));

    written->bits = FIRST_BITS;
    return written;
}

void written_free(struct written *written)
{
    free(written->words);
    free(written);
}

void written_clear(struct written *written)
{
    if (written->count > 0)
        memset(written->words, 0, size_of(written) * sizeof(*written->words));
    written->count = 0;
}

/* Where the address is, or belongs. */
static struct word *find(const struct written *written, uint64_t address)
{
    const uint64_t mask = size_of(written) - 1;
    uint64_t at = address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - written->bits);

    while (written->words[at].address && written->words[at].address != address)
        at = (at + 1) & mask;
    return &written->words[at];
}

static void grow(struct written *written)
{
    struct word *old = written->words;
    const uint64_t size = size_of(written);

    written->bits++;
    written->words = observer_allocate(size_of(written), sizeof(*written->words));
    for (uint64_t i = 0; i < size; i++)
        if (old[i].address)
            *find(written, old[i].address) = old[i];
    free(old);
}

void written_note(struct written *written, uint64_t address, uint64_t clock)
{
    if (!written->words)
        written->words = observer_allocate(size_of(written), sizeof(*written->words));
    struct word *word = find(written, address);
    if (!word->address) {
        if (2 * ++written->count > size_of(written)) {
            grow(written);
            word = find(written, address);
        }
        word->address = address;
    }
    if (clock > word->clock)
        word->clock = clock;
}

uint64_t written_at(const struct written *written, uint64_t address)
{
    return written->count > 0 ? find(written, address)->clock : 0;
}
