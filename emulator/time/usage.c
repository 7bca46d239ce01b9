/* SPDX-License-Identifier: MIT */
#include "time/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

/* Shares that add up to 1 may miss it by rounding. */
static const double NOTHING = 1e-9;

/* The number of the span at `ms`, or -1 before the first. Most ask for a time near the end. */
static ptrdiff_t span_at(const struct usage *usage, double ms)
{
    ptrdiff_t i = (ptrdiff_t)usage->count - 1;

    while (i >= 0 && usage->spans[i].from > ms)
        i--;
    return i;
}

static double share_in(const struct usage *usage, ptrdiff_t i)
{
    return i < 0 ? 0 : usage->spans[i].share;
}

static double end_of(const struct usage *usage, ptrdiff_t i)
{
    return i + 1 < (ptrdiff_t)usage->count ? usage->spans[i + 1].from : INFINITY;
}

double usage_free_from(const struct usage *usage, double ms)
{
    ptrdiff_t i = span_at(usage, ms);

    for (; share_in(usage, i) > 1 - NOTHING; i++)
        ms = end_of(usage, i);
    return ms;
}

/* Let a span begin at `ms`. Returns its number. */
static ptrdiff_t split(struct usage *usage, double ms)
{
    const ptrdiff_t i = span_at(usage, ms);

    if (i >= 0 && usage->spans[i].from == ms)
        return i;
    memmove(&usage->spans[i + 2], &usage->spans[i + 1],
            (usage->count - (size_t)(i + 1)) * sizeof(*usage->spans));
    usage->spans[i + 1] = (struct usage_span){ms, share_in(usage, i)};
    usage->count++;
    return i + 1;
}

/* Make room for the two spans that a call adds. Rather than take more, forget what is past. */
static void make_room(struct usage *usage, double past)
{
    if (usage->count + 2 <= usage->room)
        return;
    const ptrdiff_t over = span_at(usage, past);
    if (over > 0) {
        usage->count -= (size_t)over;
        memmove(usage->spans, usage->spans + over, usage->count * sizeof(*usage->spans));
    }
    if (usage->count + 2 > usage->room / 2) {
        usage->room = 2 * (usage->count + 2);
        usage->spans = observer_grow(usage->spans, usage->room, sizeof(*usage->spans));
    }
}

/* Make one of span `i` and the one before, if they are alike. */
static void join(struct usage *usage, ptrdiff_t i)
{
    if (i < 1 || usage->spans[i].share != usage->spans[i - 1].share)
        return;
    usage->count--;
    memmove(&usage->spans[i], &usage->spans[i + 1],
            (usage->count - (size_t)i) * sizeof(*usage->spans));
}

double usage_take(struct usage *usage, double past, double from, double ms, double share)
{
    double delay = 0, left = ms;

    make_room(usage, past);
    const ptrdiff_t first = split(usage, from);
    for (ptrdiff_t i = first; left > 0; i++) {
        const double free = 1 - share_in(usage, i);
        const double rate = free < NOTHING ? 0 : free < share ? free / share : 1;
        const double begin = usage->spans[i].from, end = end_of(usage, i);
        const double done = rate * (end - begin) < left ? rate * (end - begin) : left;
        const double took = rate > 0 && done == left ? left / rate : end - begin;

        if (begin + took < end)
            split(usage, begin + took);
        usage->spans[i].share += rate * share;
        delay += took - rate * took;
        left -= done;
    }
    join(usage, first);
    return delay;
}

void usage_clear(struct usage *usage)
{
    free(usage->spans);
    *usage = (struct usage){0};
}
