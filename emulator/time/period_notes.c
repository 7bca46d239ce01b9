/* SPDX-License-Identifier: MIT */
/* Accesses on the period GPUs, as the trace of a warp has them. */
#include "time/period_parts.h"

enum { HALF_WARP = WARP_SIZE / 2 };

static uint64_t add_to_word(uint64_t transactions, int shift, uint64_t units)
{
    return (transactions << shift) + (units << WORD_UNITS_SHIFT);
}

/* The last word of the warp's trace; NULL: its block is not modelled. */
static uint64_t *word_of(const struct warp *warp)
{
    struct period_warp *modelled = *(struct period_warp **)warp_scratch(warp);

    return modelled ? &modelled->words[modelled->trace.count - 1] : NULL;
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

/* A request to a space that observers hear of in short. */
static void note_price(uint64_t *word, enum ptx_space space, const struct price *price)
{
    const struct traffic traffic = price->global;

    switch (space) {
    case PTX_SHARED:
        *word += add_to_word(price->shared.total - price->shared.ideal, WORD_COUNT_SHIFT, 0);
        *word |= (uint64_t)WORD_SHARED << WORD_SPACE_SHIFT;
        break;
    case PTX_CONST:
        *word += add_to_word(price->passes - 1, WORD_COUNT_SHIFT, 0);
        *word |= (uint64_t)WORD_CONSTANT << WORD_SPACE_SHIFT;
        break;
    default:
        *word += add_to_word(traffic.transactions - traffic.single, WORD_COUNT_SHIFT,
                             traffic.moved / PERIOD_UNIT_BYTES) +
                 add_to_word(traffic.single, WORD_SINGLE_SHIFT, 0);
        *word |= (uint64_t)WORD_GLOBAL << WORD_SPACE_SHIFT;
    }
}

void period_note_request(void *self, const struct request_event *event)
{
    uint64_t *word = word_of(event->warp);

    (void)self;
    if (word)
        note_price(word, event->space, event->price);
}

void period_note_access(void *self, const struct access_event *event)
{
    uint64_t *word = word_of(event->warp);

    if (!word || event->space == PTX_PARAM)
        return;
    if (event->space == PTX_LOCAL) {
        *word += ask_local(event);
        *word |= (uint64_t)WORD_GLOBAL << WORD_SPACE_SHIFT;
        return;
    }
    const struct price price = access_price(&((const struct period *)self)->gpu, event);
    note_price(word, event->space, &price);
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
