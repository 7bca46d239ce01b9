/* SPDX-License-Identifier: MIT */
#include "time/cycle_traffic.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

/* The blocks of a wave take turns, in each of which a block uses 1/TURNS of its lines. */
enum { TURNS = 64 };
/* The turns of a wave are divided into INTERVALS. Two blocks that write a line in the same interval
 * count as writing it at the same time. A table of 2^WRITTEN_BITS entries holds the lines written.
 */
enum { INTERVALS = 16, WRITTEN_BITS = 14 };
/* A line that one block reads from device memory is on its way for all that ask for it in the same
 * turn. A table of 2^READ_BITS entries holds the lines that were read. */
enum { READ_BITS = 14 };
/* The host's caches hold little of an L2: they fetch what a block uses so many uses later. */
enum { AHEAD = 4 };

/* A line that was written, when, and by which block last. */
struct written_line {
    uint64_t key, interval, block;
};

/* A line that was read from device memory, in which turn, and for which block. */
struct read_line {
    uint64_t line, turn, block;
};

struct replay {
    struct l2 *l2;
    struct cycle_misses *misses;
    double *asked; /* by instruction: sectors */
    size_t instrs, sms;
    struct cycle_moved moved;
    struct written_line *written;
    double *writes; /* by instruction: lines that each block writes */
    struct read_line *read;
    uint64_t waves, turn, interval, block; /* the current ones; waves count from 1 */
    double weight; /* the current block's */
};

/* A block writes a line: has another one written it at the same time? */
static void note_writing(struct replay *replay, union line_use use)
{
    const size_t index = use.index;
    const uint64_t key = (union line_use){.index = index, .line = use.line}.word;
    struct written_line *line = &replay->written[hash_spread(key) >> (64 - WRITTEN_BITS)];
    const bool known = line->key == key && line->interval == replay->interval;

    if (known && line->block == replay->block)
        return;
    replay->writes[index] += replay->weight;
    replay->misses[index].common += known * replay->weight;
    *line = (struct written_line){key, replay->interval, replay->block};
}

/* A block reads a line of which so many sectors were missing in L2: how many it waits for. */
static double count_waiting(struct replay *replay, union line_use use, uint32_t missed)
{
    struct read_line *line = &replay->read[hash_spread(use.line) >> (64 - READ_BITS)];

    if (missed)
        *line = (struct read_line){use.line, replay->turn, replay->block};
    else if (line->line == use.line && line->turn == replay->turn && line->block != replay->block)
        return __builtin_popcount(use.sectors);
    return missed;
}

static void replay_use(struct replay *replay, union line_use use, bool is_near)
{
    const size_t index = use.index;
    const struct l2_traffic traffic =
        l2_access(replay->l2, use.line, use.sectors, use.writes, is_near ? replay->weight : 0);

    const double missed = traffic.missed * replay->weight;
    const double written = traffic.written * replay->weight;

    replay->moved.read += missed;
    replay->moved.written += written;
    if (index >= replay->instrs)
        return;
    replay->asked[index] += __builtin_popcount(use.sectors) * replay->weight;
    replay->misses[index].missing += missed;
    replay->misses[index].waiting +=
        use.writes ? 0 : count_waiting(replay, use, traffic.missed) * replay->weight;
    replay->misses[index].written += written;
    if (use.writes)
        note_writing(replay, use);
}

/* Blocks that run at once, all at the same pace. */
static void play_wave(struct replay *replay, struct ended_block *first, struct ended_block *end)
{
    uint32_t most = 0;

    for (const struct ended_block *block = first; block < end; block++)
        most = block->count > most ? block->count : most;
    const uint32_t turns = most < TURNS ? most : TURNS;
    replay->waves++;
    for (uint64_t turn = 0; turn < turns; turn++) {
        replay->interval = replay->waves * INTERVALS + turn * INTERVALS / turns;
        replay->turn = replay->waves * TURNS + turn;
        for (const struct ended_block *block = first; block < end; block++) {
            /* How many SMs are near counts, not which. */
            const bool near = block->number % replay->sms % 2 == 0;
            const uint64_t stop = block->count * (turn + 1) / turns;
            replay->block = block->number;
            replay->weight = block->weight;
            for (uint64_t i = block->count * turn / turns; i < stop; i++) {
                cache_prefetch(&replay->l2->cache,
                               block->all[i + AHEAD < block->count ? i + AHEAD : i].line);
                replay_use(replay, block->all[i], near);
            }
        }
    }
}

static int by_number(const void *a, const void *b)
{
    const struct ended_block *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

void cycle_order_uses(struct block_uses *uses)
{
    enum { PARTS = 256 };
    const uint32_t count = uses->count;
    uint32_t starts[PARTS + 1] = {0};
    uint32_t most = 0;
    bool ordered = true;

    for (uint32_t i = 0; i < count; i++) {
        ordered &= uses->when[i] >= most;
        most = uses->when[i] > most ? uses->when[i] : most;
    }
    if (ordered)
        return;
    /* Rounded down as integers would be: no such quotient is so near to the next integer that a
     * double would not tell them apart. */
    for (uint32_t i = 0; i < count; i++)
        uses->when[i] = (uint32_t)((double)uses->when[i] * PARTS / ((double)most + 1));
    union line_use *all = observer_grow(NULL, uses->room, sizeof(*all));
    for (uint32_t i = 0; i < count; i++)
        starts[uses->when[i] + 1]++;
    for (int part = 0; part < PARTS; part++)
        starts[part + 1] += starts[part];
    for (uint32_t i = 0; i < count; i++)
        all[starts[uses->when[i]]++] = uses->all[i];
    free(uses->all);
    uses->all = all;
}

struct cycle_moved l2_replay(struct l2 *l2, struct ended_block *blocks, size_t count, size_t sms,
                             uint64_t at_once, struct cycle_misses *misses, size_t instrs)
{
    struct replay replay = {.l2 = l2, .misses = misses, .instrs = instrs, .sms = sms};

    replay.asked = observer_allocate(instrs, sizeof(*replay.asked));
    replay.writes = observer_allocate(instrs, sizeof(*replay.writes));
    replay.written = observer_reserve((size_t)1 << WRITTEN_BITS, sizeof(*replay.written));
    replay.read = observer_reserve((size_t)1 << READ_BITS, sizeof(*replay.read));
    qsort(blocks, count, sizeof(*blocks), by_number);
    l2_launch(l2);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && blocks[end].number / at_once == blocks[first].number / at_once)
            end++;
        play_wave(&replay, &blocks[first], &blocks[end]);
    }
    for (size_t i = 0; i < instrs; i++) {
        if (replay.asked[i] > 0) {
            misses[i].missing /= replay.asked[i];
            misses[i].waiting /= replay.asked[i];
            misses[i].written /= replay.asked[i];
        }
        /* Of a single counter, whose line may not be sampled, all blocks' writes are common. */
        misses[i].common = replay.writes[i] > 0 ? misses[i].common / replay.writes[i] : 1;
    }
    free(replay.read);
    free(replay.written);
    free(replay.writes);
    free(replay.asked);
    replay.moved.read *= (double)(1 << l2->shift);
    replay.moved.written *= (double)(1 << l2->shift);
    return replay.moved;
}
