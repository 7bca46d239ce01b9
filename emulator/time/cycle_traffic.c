/* SPDX-License-Identifier: MIT */
#include "time/cycle_traffic.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

/* Into so many parts at most the touches of a block are cut. */
enum { TURNS = 64 };

struct replay {
    struct l2 *l2;
    struct cycle_misses *misses;
    double *asked; /* by instruction: sectors */
    size_t instrs, sms;
    struct cycle_moved moved;
};

static void touch(struct replay *replay, uint64_t word, bool near)
{
    const unsigned sectors = word >> TOUCH_SECTORS & 15;
    const bool writes = word >> TOUCH_WRITES & 1;
    const size_t index = word & TOUCH_INDEX_MASK;
    const struct l2_traffic traffic =
        l2_access(replay->l2, word >> TOUCH_LINE, sectors, writes, near);

    replay->moved.read += traffic.missed;
    replay->moved.written += traffic.written;
    if (index >= replay->instrs)
        return;
    replay->asked[index] += __builtin_popcount(sectors);
    replay->misses[index].missing += traffic.missed;
    replay->misses[index].written += traffic.written;
}

/* Blocks that run at once, all at the same pace. */
static void play_wave(struct replay *replay, struct cycle_touched *first, struct cycle_touched *end)
{
    uint32_t most = 0;

    for (const struct cycle_touched *block = first; block < end; block++)
        most = block->count > most ? block->count : most;
    const uint32_t turns = most < TURNS ? most : TURNS;
    for (uint64_t turn = 0; turn < turns; turn++)
        for (const struct cycle_touched *block = first; block < end; block++) {
            const bool near = block->number % replay->sms % 2 == 0;
            const uint64_t stop = block->count * (turn + 1) / turns;
            for (uint64_t i = block->count * turn / turns; i < stop; i++)
                touch(replay, block->words[i], near);
        }
}

static int by_number(const void *a, const void *b)
{
    const struct cycle_touched *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

struct cycle_moved cycle_replay(struct l2 *l2, struct cycle_touched *blocks, size_t count,
                                size_t sms, uint64_t at_once, struct cycle_misses *misses,
                                size_t instrs)
{
    struct replay replay = {.l2 = l2, .misses = misses, .instrs = instrs, .sms = sms};

    replay.asked = observer_allocate(instrs, sizeof(*replay.asked));
    qsort(blocks, count, sizeof(*blocks), by_number);
    l2_launch(l2);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && blocks[end].number / at_once == blocks[first].number / at_once)
            end++;
        play_wave(&replay, &blocks[first], &blocks[end]);
    }
    for (size_t i = 0; i < instrs; i++)
        if (replay.asked[i] > 0) {
            misses[i].missing /= replay.asked[i];
            misses[i].written /= replay.asked[i];
        }
    free(replay.asked);
    replay.moved.read *= (double)(1 << l2->shift);
    replay.moved.written *= (double)(1 << l2->shift);
    return replay.moved;
}
