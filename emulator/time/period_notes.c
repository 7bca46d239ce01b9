/* SPDX-License-Identifier: MIT */
/* Accesses on the period GPUs, as the trace of a warp has them. */
#include "gpus/coalesce.h"
#include "time/period_parts.h"

enum { HALF_WARP = WARP_SIZE / 2 };

static uint64_t add_to_word(uint64_t transactions, int shift, uint64_t units)
{
    return (transactions << shift) + (units << WORD_UNITS_SHIFT);
}

/* What a half-warp asks of device memory. */
static uint64_t ask_half(enum coalescing rule, uint32_t lanes, const uint64_t *addresses,
                         uint32_t bytes)
{
    const struct half_warp_traffic half = coalesce_half_warp(rule, lanes, addresses, bytes);

    return add_to_word(half.shared, WORD_COUNT_SHIFT, half.moved / PERIOD_UNIT_BYTES) +
           add_to_word(half.single, WORD_SINGLE_SHIFT, 0);
}

/* Threads' own memory: word by word across the lanes, so that half-warps coalesce. */
static uint64_t ask_local(const struct access_event *event)
{
    const uint32_t words = event->bytes < BANK_BYTES ? 1 : event->bytes / BANK_BYTES;
    const uint64_t halves = (event->lanes & 0xFFFF ? 1 : 0) + (event->lanes >> HALF_WARP ? 1 : 0);
    const uint64_t requests = halves * words;

    return add_to_word(requests, WORD_COUNT_SHIFT,
                       requests * HALF_WARP * BANK_BYTES / PERIOD_UNIT_BYTES);
}

void period_note_access(void *self, const struct access_event *event)
{
    const struct gpu *gpu = &((const struct period *)self)->gpu;
    struct period_warp *warp = *(struct period_warp **)warp_scratch(event->warp);
    if (!warp) /* of a block that is not modelled */
        return;
    uint64_t *word = &warp->words[warp->trace.count - 1];
    enum word_space space = WORD_GLOBAL;

    switch (event->space) {
    case PTX_SHARED: {
        space = WORD_SHARED;
        const struct wavefronts passes =
            bank_wavefronts(gpu->banks, gpu->bank_lanes, event->kind == ACCESS_LOAD, event->lanes,
                            event->addresses, event->bytes);
        *word += (uint64_t)(passes.total - passes.ideal) << WORD_COUNT_SHIFT;
        break;
    }
    case PTX_CONST:
        *word += (uint64_t)(distinct_addresses(event->lanes, event->addresses) - 1)
                 << WORD_COUNT_SHIFT;
        space = WORD_CONSTANT;
        break;
    case PTX_PARAM:
        return;
    case PTX_LOCAL:
        *word += ask_local(event);
        break;
    default:
        for (int half = 0; half < WARP_SIZE; half += HALF_WARP)
            if (event->lanes >> half & 0xFFFF)
                *word += ask_half(gpu->coalescing, event->lanes >> half & 0xFFFF,
                                  event->addresses + half, event->bytes);
    }
    *word |= (uint64_t)space << WORD_SPACE_SHIFT;
}

void period_note_fetch(void *self, const struct fetch_event *event)
{
    const struct gpu *gpu = &((const struct period *)self)->gpu;
    struct period_warp *warp = *(struct period_warp **)warp_scratch(event->warp);
    if (!warp)
        return;
    uint64_t *word = &warp->words[warp->trace.count - 1];
    const struct fetch_cost cost =
        texture_cache_fetch(&warp->sm->textures, gpu->texture_cache, event);
    const uint32_t passes = cost.clocks / (uint32_t)gpu->coalesced_clocks;

    *word += add_to_word(passes ? passes : 1, WORD_COUNT_SHIFT, cost.misses);
    *word |= (uint64_t)WORD_GLOBAL << WORD_SPACE_SHIFT;
}
