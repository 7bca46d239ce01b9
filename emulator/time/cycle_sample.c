/* SPDX-License-Identifier: MIT */
/* A sampled launch (emu --sample): which blocks run, and what those used that did not. If witnesses
 * show that all blocks are alike, those that are logged run (cycle_alike.h). Otherwise all do, or
 * some waves of many (cycle_waves.h). */
#include "time/cycle.h"

#include <stdlib.h>

/* A wave; or all blocks, of a launch whose waves are not one after the other. */
static uint64_t blocks_at_once(const struct cycle *cycle, const struct launch *launch)
{
    const struct dim cluster = launch->cluster;
    const uint64_t wave = cycle->sms * (uint64_t)cycle_resident_blocks(cycle, launch);

    return cluster.y * cluster.z == 1 && wave % cluster.x == 0 ? wave : cycle->blocks;
}

/* Requests of each of the blocks of these waves. */
static double requests_of(const struct cycle *cycle, uint64_t first, uint64_t end)
{
    const uint64_t at_once = cycle->waves.at_once;
    uint64_t requests = 0;

    for (int i = 0; i < cycle->worker_count; i++)
        for (size_t k = 0; k < cycle->workers[i].count; k++) {
            const struct ended_block *block = &cycle->workers[i].ended[k];
            if (block->number >= first * at_once && block->number < end * at_once)
                requests += block->requests;
        }
    return (double)requests / (double)((end - first) * at_once);
}

/* Instructions of a wave of slices, by the first waves: the blocks of SM 0 run in full. */
static double issued_of_slices(const struct cycle *cycle)
{
    uint64_t issued = 0;

    for (int i = 0; i < cycle->worker_count; i++)
        for (uint64_t sm = 1; sm < cycle->sms; sm++)
            issued += cycle->workers[i].issued[sm];
    return (double)issued / (double)cycle->waves.head;
}

static bool next_waves(struct cycle *cycle, uint64_t *first, uint64_t *end)
{
    struct wave_run *run = waves_current(&cycle->waves);

    if (run)
        run->work = requests_of(cycle, run->counted, run->end);
    return waves_next(&cycle->waves, issued_of_slices(cycle), first, end);
}

static void predict(struct cycle *cycle, uint64_t unit, uint64_t rank)
{
    const uint64_t number = alike_number(&cycle->alike, unit, rank);
    struct block_uses uses = {.raw = NULL};
    const uint64_t issued = alike_predict(&cycle->alike, unit, rank, &cycle->l2, &uses);

    cycle->workers[0].issued[cycle_sm_of(cycle, number)] += issued;
    cycle_keep_ended(&cycle->workers[0], number, &uses);
}

static void predict_all(struct cycle *cycle)
{
    const struct cycle_alike *alike = &cycle->alike;

    for (uint64_t unit = 0; unit < alike->count; unit++)
        for (uint64_t rank = 0; rank < alike->size && alike_left_out(alike, unit); rank++)
            predict(cycle, unit, rank);
}

static void begin(struct cycle *cycle, const struct launch *launch)
{
    const int resident = cycle_resident_blocks(cycle, launch);

    cycle->waves = waves_of(cycle->blocks, blocks_at_once(cycle, launch),
                            (uint64_t)(cycle->logged_blocks / resident));
    cycle->next = cycle->until = 0;
    alike_begin(&cycle->alike, launch, cycle->sms, (uint64_t)cycle->logged_blocks);
}

bool cycle_next_part(void *self, const struct launch *launch, uint64_t *first, uint64_t *end)
{
    struct cycle *cycle = self;

    if (cycle->waves.blocks == 0)
        begin(cycle, launch);
    if (alike_next(&cycle->alike, first, end))
        return true;
    if (cycle->alike.holds)
        cycle->until = cycle->blocks;
    for (;;) {
        *first = cycle->next;
        *end = cycle->until;
        const bool any = alike_among(&cycle->alike, first, end);
        cycle->next = *end;
        if (any)
            return true;
        if (cycle->alike.holds) {
            predict_all(cycle);
            return false;
        }
        if (!next_waves(cycle, &cycle->next, &cycle->until))
            return false;
    }
}
