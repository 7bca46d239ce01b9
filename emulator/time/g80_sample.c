/* SPDX-License-Identifier: MIT */
#include "time/g80_sample.h"

#include <math.h>

enum {
    WARM_UP_WAVES = 8, /* until a few blocks that take longer are as many as later; or */
    WARM_UP_CLOCKS = 1 << 20, /* until multiprocessors that began together are out of step */
    WINDOW_WAVES = 2, /* at least, or one that is long, of so many clocks: */
    LONG_WINDOW = 1 << 22,
    WINDOW_STEPS = 400, /* at least: blocks are handed out between two steps */
    WINDOW_ISSUED = 1 << 20, /* at least: what is shorter is soon modelled */
    LAST_WAVES = 4,
    FIRST_STRIDE = 8, /* windows */
};
/* By how much windows that agree may differ. */
static const double agreement = 0.003;

void g80_sample_start(struct g80_sample *sample, struct launch_state *state, uint64_t blocks,
                      uint64_t wave, uint64_t step)
{
    *sample = (struct g80_sample){
        .state = stepped_is_independent(state) ? state : NULL,
        .blocks = blocks,
        .wave = wave,
        .begin = 2 * wave,
        .least_clocks = WINDOW_STEPS * step,
    };
}

static double clocks_per_block(const struct g80_window *window)
{
    return (double)window->clocks / (double)window->started;
}

static double issued_per_block(const struct g80_window *window)
{
    return (double)window->issued / (double)window->ended;
}

static bool agree(double a, double b)
{
    return fabs(a - b) <= agreement * b;
}

static bool windows_agree(const struct g80_window *a, const struct g80_window *b)
{
    return agree(clocks_per_block(a), clocks_per_block(b)) &&
           agree(issued_per_block(a), issued_per_block(b));
}

/* The clocks of a block that issues so many instructions, between two windows. If the windows
 * differ, the block counts as a mixture of their blocks; one beyond both is on the same line, if
 * that says that more instructions take longer, but not by more than in proportion. */
static double estimate(double issued, const struct g80_window *before,
                       const struct g80_window *behind)
{
    const double c0 = clocks_per_block(before), c1 = clocks_per_block(behind);
    const double i0 = issued_per_block(before), i1 = issued_per_block(behind);

    if (agree(i0, i1))
        return (c0 + c1) / (i0 + i1) * issued;
    const struct g80_window *nearer = fabs(issued - i0) < fabs(issued - i1) ? before : behind;
    const double c = clocks_per_block(nearer), i = issued_per_block(nearer);
    const double slope = (c1 - c0) / (i1 - i0);
    const bool between = (issued - i0) * (issued - i1) <= 0;
    return between || (slope >= 0 && slope <= c / i) ? c + slope * (issued - i) : c / i * issued;
}

static void count_skipped(struct g80_sample *sample, const struct g80_window *before,
                          const struct g80_window *behind)
{
    const struct g80_window *skipped = &sample->skipped;

    if (skipped->started)
        sample->clocks +=
            (double)skipped->started * estimate(issued_per_block(skipped), before, behind);
    sample->skipped = (struct g80_window){0};
}

static struct g80_window since(struct g80_window end, struct g80_window start)
{
    return (struct g80_window){end.started - start.started, end.ended - start.ended,
                               end.clocks - start.clocks, end.issued - start.issued};
}

static struct g80_window reading(const struct g80_sample *sample, uint64_t now)
{
    struct g80_window at = {.started = stepped_started(sample->state), .clocks = now};

    at.issued = stepped_issued(sample->state, &at.ended);
    return at;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Skip as many blocks as the stride says, whole waves, but leave another window and the end, which
 * is two windows where these are single waves. */
static bool skip(struct g80_sample *sample, uint64_t now)
{
    const struct g80_window at = reading(sample, now);
    const uint64_t window = sample->last.started,
                   last = smaller(LAST_WAVES * sample->wave, 2 * window) + window;
    const uint64_t left = sample->blocks - at.started;
    const uint64_t most = left > last ? left - last : 0;
    const uint64_t count = smaller(sample->stride, most) / sample->wave * sample->wave;

    if (count == 0)
        return true;
    const bool right = stepped_skip(sample->state, count);
    sample->skipped = since(reading(sample, now), at);
    sample->stride *= 2;
    return right;
}

/* A window has ended. */
static bool conclude(struct g80_sample *sample, struct g80_window at)
{
    const struct g80_window before = sample->last, window = since(at, sample->start);
    bool right = true;

    sample->last = window;
    sample->start = at;
    sample->open = (struct g80_window){0};
    if (!before.started)
        return true;
    count_skipped(sample, &before, &window);
    if (!windows_agree(&window, &before)) {
        sample->stride /= 4;
        return true;
    }
    if (!sample->stride)
        sample->stride = FIRST_STRIDE * larger(window.started, WINDOW_WAVES * sample->wave);
    right = skip(sample, at.clocks);
    if (sample->skipped.started) {
        sample->start = (struct g80_window){0};
        sample->begin = stepped_started(sample->state) + sample->wave;
    }
    return right;
}

/* Blocks that are alike start in bursts, a wave at a time. A window that ended within one would
 * have the time of two waves and the blocks of more. */
bool g80_sample_look(struct g80_sample *sample, uint64_t now)
{
    if (!sample->state || stepped_started(sample->state) < sample->begin)
        return true;
    if (sample->begin < WARM_UP_WAVES * sample->wave && now < WARM_UP_CLOCKS) {
        sample->begin += sample->wave;
        return true;
    }
    struct g80_window at = reading(sample, now);
    if (!sample->start.started) {
        sample->start = at;
        sample->start.started = sample->begin;
        return true;
    }
    const uint64_t started = at.started - sample->start.started,
                   waves = started / sample->wave * sample->wave;
    if (waves == sample->open.started || at.started == sample->blocks)
        return true;
    at.started = sample->start.started + waves;
    const struct g80_window window = sample->open = since(at, sample->start);
    if ((window.started < WINDOW_WAVES * sample->wave && window.clocks < LONG_WINDOW) ||
        window.clocks < sample->least_clocks || window.issued < WINDOW_ISSUED)
        return true;
    return conclude(sample, at);
}

/* After the blocks that were skipped last there may be too few for a window; but if these have
 * other work, they tell more than the window before. */
double g80_sample_end(struct g80_sample *sample)
{
    const struct g80_window *open = &sample->open, *last = &sample->last;
    const bool other = open->started >= sample->wave && open->ended &&
                       !agree(issued_per_block(open), issued_per_block(last));

    if (sample->state)
        count_skipped(sample, last, other ? open : last);
    return sample->clocks;
}
