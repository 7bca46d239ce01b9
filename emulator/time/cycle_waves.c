/* SPDX-License-Identifier: MIT */
#include "time/cycle_waves.h"

#include <math.h>
#include <stdlib.h>

/* A launch of up to ENOUGH warp instructions, two seconds or so, runs whole. Of a larger one, runs
 * of waves do: each has ENOUGH / RUNS instructions, and at most LONGEST waves. At first there are
 * FIRST runs, evenly spaced. */
enum { ENOUGH = 100000000, RUNS = 8, LONGEST = 64, FIRST = 5 };
/* How far from the line through its neighbours a run may be, as a part of the mean. */
static const double TOLERANCE = 0.005;

struct cycle_waves waves_of(uint64_t blocks, uint64_t at_once, uint64_t head)
{
    const uint64_t whole = blocks / at_once, tail = (blocks - 1) / at_once;

    return (struct cycle_waves){.blocks = blocks,
                                .at_once = at_once,
                                .head = head < whole ? head : whole,
                                .tail = tail < whole ? tail : whole};
}

/* A run that does not begin where another one ends has waves before it that fill L2. */
static int add_run(struct cycle_waves *waves, uint64_t first)
{
    const uint64_t fill = first == waves->head ? 0 : waves->length / 2;

    waves->runs[waves->count] =
        (struct wave_run){.first = first, .counted = first + fill, .end = first + waves->length};
    return waves->count++;
}

static void open_interval(struct cycle_waves *waves, int from, int middle, int to)
{
    waves->open[waves->open_count].from = from;
    waves->open[waves->open_count].middle = middle;
    waves->open[waves->open_count++].to = to;
}

/* The first waves have run: how long is a run, and where are the first ones? */
static void choose_runs(struct cycle_waves *waves, double issued)
{
    const uint64_t between = waves->tail > waves->head ? waves->tail - waves->head : 0;
    const double length = issued > 0 ? ENOUGH / issued / RUNS : LONGEST;

    waves->length = length < 1 ? 1 : length < LONGEST ? (uint64_t)length : LONGEST;
    if (issued * (double)between < ENOUGH || between < 2 * FIRST * waves->length) {
        waves->length = 0;
        return;
    }
    for (uint64_t i = 0; i < FIRST; i++)
        add_run(waves, waves->head + (between - waves->length) * i / (FIRST - 1));
    for (int i = 0; i + 2 < FIRST; i += 2)
        open_interval(waves, i, i + 1, i + 2);
}

/* A run in the middle of what is left out between two, or -1: there is no room. */
static int halve(struct cycle_waves *waves, int from, int to)
{
    const uint64_t end = waves->runs[from].end, first = waves->runs[to].first;

    if (waves->count == WAVE_RUNS || first - end < 2 * waves->length)
        return -1;
    return add_run(waves, end + (first - end - waves->length) / 2);
}

static bool is_on_line(const struct cycle_waves *waves, int from, int middle, int to)
{
    double sum = 0;

    for (int i = 0; i < waves->count; i++)
        sum += waves->runs[i].work;
    return fabs(waves->runs[middle].work - (waves->runs[from].work + waves->runs[to].work) / 2) <=
           TOLERANCE * sum / waves->count;
}

/* Look at the intervals that are open, until there is something to run. */
static void look_closer(struct cycle_waves *waves)
{
    while (waves->open_count > 0 && waves->given == waves->count) {
        waves->open_count--;
        const int from = waves->open[waves->open_count].from;
        const int middle = waves->open[waves->open_count].middle;
        const int to = waves->open[waves->open_count].to;
        if (is_on_line(waves, from, middle, to))
            continue;
        const int left = halve(waves, from, middle), right = halve(waves, middle, to);
        if (left >= 0)
            open_interval(waves, from, left, middle);
        if (right >= 0)
            open_interval(waves, middle, right, to);
    }
}

static int by_position(const void *a, const void *b)
{
    const struct wave_run *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static void weigh(struct cycle_waves *waves)
{
    qsort(waves->runs, (size_t)waves->count, sizeof(*waves->runs), by_position);
    for (int i = 0; i < waves->count; i++) {
        struct wave_run *run = &waves->runs[i];
        const uint64_t before = i > 0 ? run->first - run[-1].end : 0;
        const uint64_t behind = i + 1 < waves->count ? run[1].first - run->end : 0;
        run->weight = ((double)(run->end - run->first) + (double)(before + behind) / 2) /
                      (double)(run->end - run->counted);
    }
}

static void give(const struct cycle_waves *waves, uint64_t from, uint64_t to, uint64_t *first,
                 uint64_t *end)
{
    *first = from * waves->at_once;
    *end = to * waves->at_once;
}

bool waves_next(struct cycle_waves *waves, double issued, uint64_t *first, uint64_t *end)
{
    if (waves->stage == WAVES_HEAD) {
        waves->stage = WAVES_CHOICE;
        give(waves, 0, waves->head, first, end);
        if (waves->head > 0)
            return true;
    }
    if (waves->stage == WAVES_CHOICE) {
        waves->stage = WAVES_RUNS;
        choose_runs(waves, issued);
    }
    look_closer(waves);
    if (waves->given < waves->count) {
        const struct wave_run *run = &waves->runs[waves->given++];
        give(waves, run->first, run->end, first, end);
        return true;
    }
    const bool is_over = waves->stage == WAVES_REST;
    waves->stage = WAVES_REST;
    weigh(waves);
    give(waves, waves->length ? waves->tail : waves->head, 0, first, end);
    *end = waves->blocks;
    return !is_over && *first < *end;
}

struct wave_run *waves_current(struct cycle_waves *waves)
{
    return waves->stage == WAVES_RUNS && waves->given > 0 ? &waves->runs[waves->given - 1] : NULL;
}

double waves_weight(const struct cycle_waves *waves, uint64_t number)
{
    const uint64_t wave = number / waves->at_once;
    const bool left_out = waves->count > 0 && wave >= waves->head && wave < waves->tail;

    for (int i = 0; i < waves->count; i++)
        if (wave >= waves->runs[i].first && wave < waves->runs[i].end)
            return wave >= waves->runs[i].counted ? waves->runs[i].weight : 0;
    return left_out ? 0 : 1;
}
