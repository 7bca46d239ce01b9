/* SPDX-License-Identifier: MIT */
#include "check/flags.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

enum { FIRST_ROOM = 64 };

/* Where the place is in the table, or would be. */
static struct flag *slot_of(const struct flags *flags, uint64_t place)
{
    uint64_t hash = place * UINT64_C(0x9E3779B97F4A7C15) >> 32;

    while (flags->table[hash & (flags->room - 1)].place &&
           flags->table[hash & (flags->room - 1)].place != place)
        hash++;
    return &flags->table[hash & (flags->room - 1)];
}

struct flag *flags_find(const struct flags *flags, uint64_t place)
{
    struct flag *flag = flags->count ? slot_of(flags, place) : NULL;

    return flag && flag->place ? flag : NULL;
}

struct flag *flags_make(struct flags *flags, uint64_t place)
{
    if (2 * flags->count >= flags->room) {
        struct flag *old = flags->table;
        const size_t old_room = flags->room;
        flags->room = old_room ? 2 * old_room : FIRST_ROOM;
        flags->table = observer_allocate(flags->room, sizeof(*flags->table));
        for (size_t i = 0; i < old_room; i++)
            if (old[i].place)
                *slot_of(flags, old[i].place) = old[i];
        free(old);
    }
    struct flag *flag = slot_of(flags, place);
    flags->count += !flag->place;
    flag->place = place;
    return flag;
}

void flags_forget(struct flags *flags)
{
    for (size_t i = 0; i < flags->room; i++)
        order_flag_reset(&flags->table[i]);
    free(flags->table);
    *flags = (struct flags){0};
}
