/* SPDX-License-Identifier: MIT */
#include "time/cycle_cache.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

enum { SAMPLED_LINES = 1 << 16 };

void cache_start(struct cache *cache, uint64_t lines, bool has_times)
{
    cache->sets = lines < CACHE_WAYS ? 1 : lines / CACHE_WAYS;
    cache->lines = observer_reserve(cache->sets * CACHE_WAYS, sizeof(*cache->lines));
    cache->times = NULL;
    if (!has_times)
        return;
    cache->times = observer_reserve(cache->sets * CACHE_WAYS, sizeof(*cache->times));
    for (uint64_t i = 0; i < cache->sets * CACHE_WAYS; i++)
        cache->lines[i].mark = i % CACHE_WAYS;
}

void cache_stop(struct cache *cache)
{
    free(cache->lines);
    free(cache->times);
    *cache = (struct cache){0};
}

double *cache_ready(const struct cache *cache, const struct cache_line *line)
{
    const uint64_t first = (uint64_t)(line - cache->lines) / CACHE_WAYS * CACHE_WAYS;

    return cache->times[first + line->mark].ready;
}

static struct cache_line *ways_for(const struct cache *cache, uint64_t line)
{
    /* Bits apart from those that l2_sampled() looks at. */
    const uint64_t set = ((line ^ line >> 16) * 0xD6E8FEB86659FD93u >> 32) * cache->sets >> 32;

    return &cache->lines[set * CACHE_WAYS];
}

void cache_prefetch(const struct cache *cache, uint64_t line)
{
    __builtin_prefetch(ways_for(cache, line), 1);
}

struct cache_line *cache_find(struct cache *cache, uint64_t line, struct cache_line *left)
{
    struct cache_line *ways = ways_for(cache, line);
    struct cache_line found = ways[0];

    if (found.tag == line + 1)
        return ways;
    for (int rank = 1; rank < CACHE_WAYS && found.tag != line + 1; rank++) {
        const struct cache_line next = ways[rank];
        ways[rank] = found; /* one step back, as all before the one that is looked for */
        found = next;
    }
    if (found.tag != line + 1) {
        if (left)
            *left = found;
        found = (struct cache_line){.tag = line + 1, .mark = cache->times ? found.mark : 0};
    }
    ways[0] = found;
    return ways;
}

void l2_start(struct l2 *l2, const struct gpu *gpu)
{
    *l2 = (struct l2){
        .capacity = (uint64_t)((double)gpu->l2_bytes * gpu->l2_share) / LINE_BYTES,
        .dirty_ways = (int)(gpu->l2_dirty_share * CACHE_WAYS + 0.5),
    };
    cache_start(&l2->cache, l2->capacity, false);
}

void l2_stop(struct l2 *l2)
{
    cache_stop(&l2->cache);
}

/* The sampled part only shrinks: of lines outside it nothing is known. */
void l2_sample(struct l2 *l2, uint64_t bytes_in_use)
{
    int shift = l2->shift;

    while (bytes_in_use / LINE_BYTES >> shift > SAMPLED_LINES)
        shift++;
    if (shift == l2->shift)
        return;
    struct cache old = l2->cache;
    l2->shift = shift;
    cache_start(&l2->cache, l2->capacity >> shift, false);
    for (uint64_t rank = CACHE_WAYS; rank-- > 0;) /* what was used last comes last */
        for (uint64_t set = 0; set < old.sets; set++) {
            const struct cache_line line = old.lines[set * CACHE_WAYS + rank];
            if (line.tag && l2_sampled(l2, line.tag - 1))
                *cache_find(&l2->cache, line.tag - 1, NULL) = line;
        }
    cache_stop(&old);
}

void l2_launch(struct l2 *l2)
{
    l2->launch = l2->launch % MARK_MOST + 1;
    l2->near = 0;
}

bool l2_is_far(const struct l2 *l2)
{
    return l2->near * (double)(1 << l2->shift) > (double)(l2->capacity / 2);
}

/* Make sectors of the line dirty. L2 holds so many dirty lines and no more: if it was clean, the
 * one of the set that was used longest ago is written back. Returns the sectors of that. */
static uint32_t make_dirty(struct l2 *l2, struct cache_line *line, unsigned sectors)
{
    const bool was_clean = !line->dirty;
    struct cache_line *all = l2->cache.lines, *ways = &all[(line - all) / CACHE_WAYS * CACHE_WAYS];
    struct cache_line *last = NULL;
    uint32_t dirty = 0;
    int count = 0;

    line->dirty |= sectors;
    for (int rank = 0; was_clean && rank < CACHE_WAYS; rank++)
        if (ways[rank].dirty) {
            last = &ways[rank];
            count++;
        }
    if (count > l2->dirty_ways) {
        dirty = (uint32_t)__builtin_popcount(last->dirty);
        last->dirty = 0;
    }
    return dirty;
}

struct l2_traffic l2_access(struct l2 *l2, uint64_t line, unsigned sectors, bool writes,
                            double near)
{
    struct cache_line left = {0};
    struct cache_line *found = cache_find(&l2->cache, line, &left);
    struct l2_traffic traffic = {.written = (uint32_t)__builtin_popcount(left.dirty)};

    if (near > 0 && found->mark != l2->launch) {
        found->mark = l2->launch;
        l2->near += near;
    }
    if (writes)
        traffic.written += make_dirty(l2, found, sectors);
    else
        traffic.missed = (uint32_t)__builtin_popcount(sectors & ~found->valid);
    found->valid |= sectors;
    return traffic;
}

void l2_fill(struct l2 *l2, uint64_t address, uint64_t bytes, bool dirty)
{
    const uint64_t room = 2 * l2->capacity * LINE_BYTES;
    const uint64_t skipped = bytes > room ? bytes - room : 0; /* would be gone by the end */
    const uint64_t end = (address + bytes + LINE_BYTES - 1) / LINE_BYTES;

    for (uint64_t line = (address + skipped) / LINE_BYTES; line < end; line++)
        if (l2_sampled(l2, line)) {
            struct cache_line *filled = cache_find(&l2->cache, line, NULL);
            filled->valid = (1 << LINE_SECTORS) - 1;
            filled->dirty = 0;
            if (dirty)
                make_dirty(l2, filled, filled->valid);
        }
}
