/* SPDX-License-Identifier: MIT */
#include "check/overlap.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

void overlap_stop(struct overlap *overlap)
{
    free(overlap->past);
    *overlap = (struct overlap){0};
}

void overlap_forget(struct overlap *overlap)
{
    overlap->count = 0;
    overlap->next = false;
}

void overlap_begin(struct overlap *overlap, uint32_t start)
{
    if (!overlap->next)
        overlap->count = 0;
    overlap->next = false;
    overlap->waited_first = false;
    overlap->open = overlap->count ? overlap->past[0].start : start;
}

void overlap_block_end(struct overlap *overlap, const struct block_overlap *block)
{
    overlap->waited_first |= block->waited && !block->triggered_early;
}

void overlap_end(struct overlap *overlap, const struct launch *launch, uint32_t start)
{
    if (overlap->waited_first)
        overlap->count = 0;
    MAKE_ROOM(overlap->past, overlap->count, overlap->room);
    overlap->past[overlap->count++] = (struct past_launch){*launch, start};
}

const struct launch *overlap_find(const struct overlap *overlap, uint32_t clock)
{
    size_t i = overlap->count - 1;

    while (overlap->past[i].start > clock)
        i--;
    return &overlap->past[i].launch;
}
