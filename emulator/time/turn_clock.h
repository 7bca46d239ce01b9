/* SPDX-License-Identifier: MIT */
/* What instructions and loads in a row do to the clock of a warp, whatever it says before.
 *
 * Each adds to the clock or to the time when the last load arrives, or brings one up to the other.
 * So after all of them both are the later of two sums: so much behind the clock before, and so much
 * behind the arrival before. */
#ifndef TURN_CLOCK_H
#define TURN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define TURN_NEVER (INT64_MIN / 2)
enum turn_start { TURN_CLOCKS, TURN_LOADED, TURN_STARTS };

struct turn_clock {
    int64_t clocks[TURN_STARTS], loaded[TURN_STARTS];
};

static inline struct turn_clock turn_clock_none(void)
{
    return (struct turn_clock){.clocks = {0, TURN_NEVER}, .loaded = {TURN_NEVER, 0}};
}

static inline int64_t turn_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Instructions that take `clocks`; the first that waits for loads and those after it, `behind`. */
static inline void turn_clock_pass(struct turn_clock *turn, uint64_t clocks, bool waits,
                                   uint64_t behind)
{
    for (int i = 0; i < TURN_STARTS; i++)
        turn->clocks[i] = turn_later(turn->clocks[i] + (int64_t)clocks,
                                     waits ? turn->loaded[i] + (int64_t)behind : TURN_NEVER);
}

/* A load that arrives `latency` clocks after it was issued. */
static inline void turn_clock_load(struct turn_clock *turn, uint64_t latency)
{
    for (int i = 0; i < TURN_STARTS; i++)
        turn->loaded[i] = turn_later(turn->loaded[i], turn->clocks[i] + (int64_t)latency);
}

/* The same so many times over. Once both have moved on alike they always will; without loads, once
 * the clock has moved on by itself. */
static inline void turn_clock_repeat(const struct turn_clock *turn, uint64_t times,
                                     uint64_t *clocks, uint64_t *loaded)
{
    while (times > 0) {
        const int64_t c = (int64_t)*clocks, l = (int64_t)*loaded;
        const int64_t further =
            turn_later(c + turn->clocks[TURN_CLOCKS], l + turn->clocks[TURN_LOADED]) - c;
        const int64_t later =
            turn_later(c + turn->loaded[TURN_CLOCKS], l + turn->loaded[TURN_LOADED]) - l;
        const bool steady = further == later || (turn->loaded[TURN_CLOCKS] == TURN_NEVER &&
                                                 further == turn->clocks[TURN_CLOCKS]);
        const uint64_t turns = steady ? times : 1;
        *clocks += turns * (uint64_t)further;
        *loaded += turns * (uint64_t)later;
        times -= turns;
    }
}

#endif
