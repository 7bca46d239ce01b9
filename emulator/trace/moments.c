/* SPDX-License-Identifier: MIT */
#include "trace/moments.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

void moments_begin(struct moments *moments, uint64_t blocks, int sms, size_t shown_blocks)
{
    const uint64_t of_one = (blocks + (uint64_t)sms - 1) / (uint64_t)sms;
    const uint64_t shown = of_one ? shown_blocks / of_one : 1;

    *moments = (struct moments){.sms = sms, .block_room = shown_blocks};
    moments->sms_shown = shown < 1 ? 1 : shown < (uint64_t)sms ? (int)shown : sms;
    moments->blocks = observer_allocate(shown_blocks, sizeof(*moments->blocks));
}

void moments_block(struct moments *moments, int sm, int slot, uint64_t number, uint64_t begin,
                   uint64_t end)
{
    moments->clocks = end > moments->clocks ? end : moments->clocks;
    if (sm >= moments->sms_shown)
        return;
    if (moments->block_count == moments->block_room)
        moments->blocks_left_out++;
    else
        moments->blocks[moments->block_count++] =
            (struct block_moment){sm, slot, number, begin, end};
}

/* Half as many bins, twice as long. */
static void widen(uint64_t (*bins)[TIMELINE_STATE_COUNT])
{
    for (int i = 0; i < MOMENT_BINS; i++)
        for (int state = 0; state < TIMELINE_STATE_COUNT; state++) {
            const uint64_t both =
                2 * i < MOMENT_BINS ? bins[2 * i][state] + bins[2 * i + 1][state] : 0;
            bins[i][state] = both;
        }
}

static void add_to_bins(struct warp_place_moments *place, const struct warp_moment *moment)
{
    while (moment->end > place->bin_clocks * MOMENT_BINS) {
        widen(place->bins);
        place->bin_clocks *= 2;
    }
    for (uint64_t at = moment->begin; at < moment->end;) {
        const uint64_t bin = at / place->bin_clocks;
        const uint64_t end = (bin + 1) * place->bin_clocks;
        const uint64_t until = end < moment->end ? end : moment->end;
        place->bins[bin][moment->state] += until - at;
        at = until;
    }
}

void moments_warp(struct moments *moments, const struct warp_moment *moment)
{
    if (moment->slot < 0 || moment->slot >= MOMENT_PLACES)
        return;
    struct warp_place_moments *place = moments->places[moment->slot];
    if (!place) {
        place = moments->places[moment->slot] = observer_allocate(1, sizeof(*place));
        place->bin_clocks = 1;
    }
    struct warp_moment *last = place->span_count ? &place->spans[place->span_count - 1] : NULL;

    add_to_bins(place, moment);
    if (last && !place->full && last->state == moment->state && last->end == moment->begin &&
        last->number == moment->number)
        last->end = moment->end;
    else if (place->span_count == MOMENT_SPANS)
        place->full = true;
    else
        place->spans[place->span_count++] = *moment;
}

static int compare(const void *a, const void *b)
{
    const struct warp_moment *left = a, *right = b;

    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->slot - right->slot;
}

/* All spans up to where the first place ran out of room, or the page would. */
static void join_spans(struct moments *moments, size_t most)
{
    size_t room = 1;
    uint64_t until = UINT64_MAX, last = 0;

    for (int i = 0; i < MOMENT_PLACES; i++)
        room += moments->places[i] ? (size_t)moments->places[i]->span_count : 0;
    moments->spans = observer_allocate(room, sizeof(*moments->spans));
    for (int i = 0; i < MOMENT_PLACES; i++) {
        const struct warp_place_moments *place = moments->places[i];
        if (!place)
            continue;
        memcpy(&moments->spans[moments->span_count], place->spans,
               (size_t)place->span_count * sizeof(*place->spans));
        moments->span_count += (size_t)place->span_count;
        const uint64_t end = place->spans[place->span_count - 1].end;
        last = end > last ? end : last;
        if (place->full && end < until)
            until = end;
    }
    qsort(moments->spans, moments->span_count, sizeof(*moments->spans), compare);
    if (moments->span_count > most && moments->spans[most].begin < until)
        until = moments->spans[most].begin;
    while (moments->span_count && moments->spans[moments->span_count - 1].begin >= until)
        moments->span_count--;
    moments->spans_until = until < last ? until : last;
}

static void join_bins(struct moments *moments)
{
    moments->bin_clocks = 1;
    for (int i = 0; i < MOMENT_PLACES; i++)
        if (moments->places[i] && moments->places[i]->bin_clocks > moments->bin_clocks)
            moments->bin_clocks = moments->places[i]->bin_clocks;
    for (int i = 0; i < MOMENT_PLACES; i++) {
        struct warp_place_moments *place = moments->places[i];
        for (; place && place->bin_clocks < moments->bin_clocks; place->bin_clocks *= 2)
            widen(place->bins);
        for (int bin = 0; place && bin < MOMENT_BINS; bin++)
            for (int state = 0; state < TIMELINE_STATE_COUNT; state++)
                moments->bins[bin][state] += place->bins[bin][state];
    }
}

void moments_finish(struct moments *moments, size_t spans)
{
    join_spans(moments, spans);
    join_bins(moments);
    for (int i = 0; i < MOMENT_PLACES; i++) {
        free(moments->places[i]);
        moments->places[i] = NULL;
    }
}

void moments_free(struct moments *moments)
{
    for (int i = 0; i < MOMENT_PLACES; i++)
        free(moments->places[i]);
    free(moments->blocks);
    free(moments->spans);
}
