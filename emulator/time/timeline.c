/* SPDX-License-Identifier: MIT */
#include "time/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

static int first_free(const uint64_t *free_from, int slots)
{
    int first = 0;

    for (int i = 1; i < slots; i++)
        first = free_from[i] < free_from[first] ? i : first;
    return first;
}

void timeline_draw_blocks(const struct timeline *timeline, int sms, int slots,
                          const uint64_t *lengths, uint64_t count)
{
    uint64_t *free_from = observer_allocate((size_t)slots, sizeof(*free_from));

    for (int sm = 0; sm < sms; sm++) {
        memset(free_from, 0, (size_t)slots * sizeof(*free_from));
        for (uint64_t number = (uint64_t)sm; number < count; number += (uint64_t)sms) {
            const int slot = first_free(free_from, slots);
            const uint64_t begin = free_from[slot];
            free_from[slot] += lengths[number];
            timeline->block(timeline->self, sm, slot, number, begin, free_from[slot]);
        }
    }
    free(free_from);
}
