/* SPDX-License-Identifier: MIT */
#include "trace/spans.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

void spans_begin(struct launch_spans *times, uint64_t blocks, int sms, size_t shown_blocks)
{
    const uint64_t of_one = (blocks + (uint64_t)sms - 1) / (uint64_t)sms;
    const uint64_t shown = of_one ? shown_blocks / of_one : 1;

    *times = (struct launch_spans){.sms = sms, .block_room = shown_blocks};
    times->sms_shown = shown < 1 ? 1 : shown < (uint64_t)sms ? (int)shown : sms;
    times->blocks = observer_allocate(shown_blocks, sizeof(*times->blocks));
}

void spans_block(struct launch_spans *times, int sm, int slot, uint64_t number, uint64_t begin,
                 uint64_t end)
{
    times->clocks = end > times->clocks ? end : times->clocks;
    if (sm >= times->sms_shown)
        return;
    if (times->block_count == times->block_room)
        times->blocks_left_out++;
    else
        times->blocks[times->block_count++] = (struct block_span){sm, slot, number, begin, end};
}

/* Make the bins twice as long and half as many. */
static void widen(uint64_t (*bins)[TIMELINE_STATE_COUNT])
{
    for (int i = 0; i < SPAN_BINS; i++)
        for (int state = 0; state < TIMELINE_STATE_COUNT; state++) {
            const uint64_t both =
                2 * i < SPAN_BINS ? bins[2 * i][state] + bins[2 * i + 1][state] : 0;
            bins[i][state] = both;
        }
}

static void add_to_bins(struct warp_slot_spans *slot, const struct warp_span *span)
{
    while (span->end > slot->bin_clocks * SPAN_BINS) {
        widen(slot->bins);
        slot->bin_clocks *= 2;
    }
    for (uint64_t at = span->begin; at < span->end;) {
        const uint64_t bin = at / slot->bin_clocks;
        const uint64_t end = (bin + 1) * slot->bin_clocks;
        const uint64_t until = end < span->end ? end : span->end;
        slot->bins[bin][span->state] += until - at;
        at = until;
    }
}

void spans_warp(struct launch_spans *times, const struct warp_span *span)
{
    if (span->slot < 0 || span->slot >= SPAN_SLOTS)
        return;
    struct warp_slot_spans *slot = times->slots[span->slot];
    if (!slot) {
        slot = times->slots[span->slot] = observer_allocate(1, sizeof(*slot));
        slot->bin_clocks = 1;
    }
    struct warp_span *last = slot->span_count ? &slot->spans[slot->span_count - 1] : NULL;

    add_to_bins(slot, span);
    if (last && !slot->full && last->state == span->state && last->end == span->begin &&
        last->number == span->number)
        last->end = span->end;
    else if (slot->span_count == SPANS_KEPT)
        slot->full = true;
    else
        slot->spans[slot->span_count++] = *span;
}

static int compare(const void *a, const void *b)
{
    const struct warp_span *left = a, *right = b;

    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->slot - right->slot;
}

/* Put the spans of all slots together, up to the time when a slot had no more room or the page
 * would have too many. */
static void join_spans(struct launch_spans *times, size_t most)
{
    size_t room = 1;
    uint64_t until = UINT64_MAX, last = 0;

    for (int i = 0; i < SPAN_SLOTS; i++)
        room += times->slots[i] ? (size_t)times->slots[i]->span_count : 0;
    times->spans = observer_allocate(room, sizeof(*times->spans));
    for (int i = 0; i < SPAN_SLOTS; i++) {
        const struct warp_slot_spans *slot = times->slots[i];
        if (!slot)
            continue;
        memcpy(&times->spans[times->span_count], slot->spans,
               (size_t)slot->span_count * sizeof(*slot->spans));
        times->span_count += (size_t)slot->span_count;
        const uint64_t end = slot->spans[slot->span_count - 1].end;
        last = end > last ? end : last;
        if (slot->full && end < until)
            until = end;
    }
    qsort(times->spans, times->span_count, sizeof(*times->spans), compare);
    if (times->span_count > most && times->spans[most].begin < until)
        until = times->spans[most].begin;
    while (times->span_count && times->spans[times->span_count - 1].begin >= until)
        times->span_count--;
    times->spans_until = until < last ? until : last;
}

static void join_bins(struct launch_spans *times)
{
    times->bin_clocks = 1;
    for (int i = 0; i < SPAN_SLOTS; i++)
        if (times->slots[i] && times->slots[i]->bin_clocks > times->bin_clocks)
            times->bin_clocks = times->slots[i]->bin_clocks;
    for (int i = 0; i < SPAN_SLOTS; i++) {
        struct warp_slot_spans *slot = times->slots[i];
        for (; slot && slot->bin_clocks < times->bin_clocks; slot->bin_clocks *= 2)
            widen(slot->bins);
        for (int bin = 0; slot && bin < SPAN_BINS; bin++)
            for (int state = 0; state < TIMELINE_STATE_COUNT; state++)
                times->bins[bin][state] += slot->bins[bin][state];
    }
}

void spans_finish(struct launch_spans *times, size_t spans)
{
    join_spans(times, spans);
    join_bins(times);
    for (int i = 0; i < SPAN_SLOTS; i++) {
        free(times->slots[i]);
        times->slots[i] = NULL;
    }
}

void spans_free(struct launch_spans *times)
{
    for (int i = 0; i < SPAN_SLOTS; i++)
        free(times->slots[i]);
    free(times->blocks);
    free(times->spans);
}
