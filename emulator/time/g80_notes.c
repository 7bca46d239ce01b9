/* SPDX-License-Identifier: MIT */
/* Accesses on GPUs of compute capability 1.x, as the trace of a warp has them. */
#include "time/g80_parts.h"

enum { HALF_WARP = WARP_SIZE / 2 };

/* The last word of the warp's trace; NULL: its block is not modelled. */
static union g80_word *word_of(const struct warp *warp)
{
    struct g80_warp *modelled = *(struct g80_warp **)warp_scratch(warp);

    return modelled ? &modelled->words[modelled->trace.count - 1] : NULL;
}

/* Threads' own memory: word by word across the lanes, so that half-warps coalesce. */
static void note_local(union g80_word *word, const struct access_event *event)
{
    const uint32_t words = event->bytes < BANK_BYTES ? 1 : event->bytes / BANK_BYTES;
    const uint64_t halves = (event->lanes & 0xFFFF ? 1 : 0) + (event->lanes >> HALF_WARP ? 1 : 0);
    const uint64_t requests = halves * words;

    word->count += requests;
    word->units += requests * HALF_WARP * BANK_BYTES / G80_UNIT_BYTES;
    word->space |= WORD_GLOBAL;
}

/* A request to a space that observers hear of in short. */
static void note_price(union g80_word *word, enum ptx_space space, const struct price *price)
{
    const struct traffic traffic = price->global;

    switch (space) {
    case PTX_SHARED:
        word->count += price->shared.total - price->shared.ideal;
        word->space |= WORD_SHARED;
        break;
    case PTX_CONST:
        word->count += price->passes - 1;
        word->space |= WORD_CONSTANT;
        break;
    default:
        word->count += traffic.transactions - traffic.single;
        word->single += traffic.single;
        word->units += traffic.moved / G80_UNIT_BYTES;
        word->space |= WORD_GLOBAL;
    }
}

void g80_note_request(void *self, const struct request_event *event)
{
    union g80_word *word = word_of(event->warp);

    (void)self;
    if (word)
        note_price(word, event->space, event->price);
}

void g80_note_access(void *self, const struct access_event *event)
{
    (void)self;
    union g80_word *word = word_of(event->warp);

    if (!word || event->space == PTX_PARAM)
        return;
    if (event->space == PTX_LOCAL) {
        note_local(word, event);
        return;
    }
    const struct price price = access_price(event);
    note_price(word, event->space, &price);
}

void g80_note_fetch(void *self, const struct fetch_event *event)
{
    const struct gpu *gpu = &((const struct g80 *)self)->gpu;
    struct g80_warp *warp = *(struct g80_warp **)warp_scratch(event->warp);
    if (!warp)
        return;
    union g80_word *word = &warp->words[warp->trace.count - 1];
    const struct fetch_cost cost =
        texture_cache_fetch(&warp->sm->textures, gpu->texture_cache, event);
    const uint32_t passes = cost.clocks / (uint32_t)gpu->coalesced_clocks;

    word->count += passes ? passes : 1;
    word->units += cost.misses;
    word->space |= WORD_GLOBAL;
}
