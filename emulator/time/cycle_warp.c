/* SPDX-License-Identifier: MIT */
/* Warps of the modelled SM: which one goes on first, what its log says that it does next, and what
 * is reported of it to the timeline. */
#include "time/cycle_sm.h"

#include <string.h>

#include "machine/observer_memory.h"

/* On a card new blocks come while the old ones wait for their first instructions. */
static bool is_new(const struct sm_warp *warp)
{
    return warp->address == 0;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
    const int block = a->warp->block->number, other = b->warp->block->number;

    return a->time != b->time                   ? a->time < b->time
           : is_new(a->warp) != is_new(b->warp) ? is_new(a->warp)
           : block != other                     ? block < other
           : a->ready != b->ready               ? a->ready < b->ready
                                                : a->number < b->number;
}

void sm_push(struct sm *sm, struct entry entry)
{
    int at = sm->heap_count++;

    while (at > 0 && is_before(&entry, &sm->heap[(at - 1) / 2])) {
        sm->heap[at] = sm->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    sm->heap[at] = entry;
}

void sm_push_ready(struct sm *sm, struct sm_warp *warp, double time)
{
    sm_push(sm, (struct entry){time, time, ++sm->pushed, warp});
}

struct entry sm_pop(struct sm *sm)
{
    const struct entry top = sm->heap[0], last = sm->heap[--sm->heap_count];
    int at = 0;

    for (int child; (child = 2 * at + 1) < sm->heap_count; at = child) {
        child += child + 1 < sm->heap_count && is_before(&sm->heap[child + 1], &sm->heap[child]);
        if (!is_before(&sm->heap[child], &last))
            break;
        sm->heap[at] = sm->heap[child];
    }
    sm->heap[at] = last;
    return top;
}

/* The timeline. */

static uint64_t clock_of(double time)
{
    return (uint64_t)(time + 0.5);
}

static uint64_t grid_number(const struct sm *sm, const struct sm_block *block)
{
    const uint64_t row = (uint64_t)block->number;

    return row * sm->work->sms + row % sm->work->ranks;
}

void sm_draw(const struct sm *sm, struct sm_warp *warp, enum timeline_state state, double until)
{
    const struct timeline *timeline = sm->work->timeline;
    const int index = (int)(warp - warp->block->warps);

    if (clock_of(until) <= clock_of(warp->drawn))
        return;
    timeline->warp(timeline->self, warp->block->first_warp + index, grid_number(sm, warp->block),
                   (uint32_t)index, state, clock_of(warp->drawn), clock_of(until));
    warp->drawn = until;
}

void sm_draw_block(const struct sm *sm, const struct sm_block *block)
{
    const struct timeline *timeline = sm->work->timeline;
    const uint64_t begin = clock_of(block->begin), end = clock_of(sm->ends[block->number]);

    if (timeline)
        timeline->block(timeline->self, TIMELINE_SM, block->first_warp / sm->work->warps,
                        grid_number(sm, block), begin, end > begin ? end : begin + 1);
}

void sm_add_point(const struct sm *sm, const struct sm_warp *warp, uint64_t count, double time)
{
    const size_t number =
        (size_t)warp->block->number * sm->work->warps + (size_t)(warp - warp->block->warps);
    struct cycle_path *path = &sm->work->paths[number];

    MAKE_ROOM(path->points, path->count, path->room);
    path->points[path->count++] = (struct cycle_point){count, time};
}

double cycle_time_on(const struct cycle_path *path, uint64_t count)
{
    const struct cycle_point *points = path->points, *last = &points[path->count - 1];
    uint32_t low = 0, high = path->count;

    while (low < high) { /* the points at or below `count` */
        const uint32_t middle = low + (high - low) / 2;
        if (points[middle].count <= count)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cycle_point *from = &points[low ? low - 1 : 0], *to = from + 1;
    if (low == path->count) {
        from = points;
        to = last;
    }
    if (to->count == from->count)
        return to->time;
    const double rate = (to->time - from->time) / (double)(to->count - from->count);
    return low == path->count ? last->time + rate * (double)(count - last->count)
                              : from->time + rate * (double)(count - from->count);
}

/* The end of the words of the basic block that begins at `at`: its requests, and words that begin
 * in the middle of it, after predicated instructions. If there is a warp, the requests go to its
 * table, as those of `copy`. */
static uint32_t behind_block(const struct sm *sm, const struct warp_log *log, uint32_t at,
                             struct sm_warp *warp, uint32_t copy)
{
    const union cycle_word *word = &log->words[at], *end = log->words + log->count;
    uint32_t last = word->head.index;
    const uint32_t block = sm->code->block_of[last];

    while ((word = word_behind(word)) < end) {
        const uint32_t index = word->head.index;
        if (word->head.kind == WORD_BEGIN) {
            if (index <= last || sm->code->block_of[index] != block)
                break;
            last = index;
        } else if (warp && index >= warp->first && index < warp->first + warp->length) {
            const union cycle_word **first =
                &warp->requests[copy * warp->length + index - warp->first];
            *first = *first ? *first : word;
        }
    }
    return (uint32_t)(word - log->words);
}

static bool begins_at(const struct warp_log *log, uint32_t at, uint32_t index)
{
    return log->words[at].head.kind == WORD_BEGIN && log->words[at].head.index == index;
}

/* Does the same block begin again so many times in a row? */
static bool repeats(const struct sm *sm, const struct warp_log *log, uint32_t at, uint32_t times)
{
    const uint32_t index = log->words[at].head.index;

    for (; times > 0 && at < log->count && begins_at(log, at, index); times--)
        at = behind_block(sm, log, at, NULL, 0);
    return times == 0;
}

bool sm_take_block(struct sm *sm, struct sm_warp *warp)
{
    const struct warp_log *log = warp->log;

    if (warp->at >= log->count)
        return false;
    const uint32_t index = log->words[warp->at].head.index;
    const struct cycle_block *block = &sm->code->blocks[sm->code->block_of[index]];
    const bool unrolled =
        block->unrolled && index == block->first && repeats(sm, log, warp->at, CYCLE_UNROLL);

    warp->jumped = index != warp->first + warp->length;
    warp->before = (uint64_t)log->words[warp->at].begin.before - index + block->first;
    warp->first = block->first;
    warp->length = block->end - block->first;
    warp->copies = unrolled ? CYCLE_UNROLL : 1;
    warp->items = unrolled ? block->unrolled : block->items;
    warp->address = unrolled ? block->unrolled_address : block->address;
    warp->item_count = unrolled ? block->unrolled_count : block->item_count;
    warp->item = 0;
    memset(warp->requests, 0, warp->copies * warp->length * sizeof(*warp->requests));
    warp->partings = 0;
    for (uint32_t copy = 0; copy < warp->copies; copy++) {
        warp->partings += log->words[warp->at].begin.parts;
        warp->at = behind_block(sm, log, warp->at, warp, copy);
    }
    if (sm->work->paths)
        sm_add_point(sm, warp, warp->before, warp->next);
    return true;
}
