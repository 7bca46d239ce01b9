/* SPDX-License-Identifier: MIT */
/* What a model of time reports of a launch, to be drawn. Times are clocks of the multiprocessors
 * since the launch began. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdint.h>

/* What a warp does: it issues; it waits for what it loads; it waits at a barrier; it waits for
 * anything else, as for a result of arithmetic or its turn. */
enum timeline_state {
    TIMELINE_ISSUES,
    TIMELINE_MEMORY,
    TIMELINE_BARRIER,
    TIMELINE_OTHER,
    TIMELINE_STATE_COUNT,
};

struct timeline {
    void *self;
    /* Block `number` of the grid was in slot `slot` of multiprocessor `sm`. Called by one thread at
     * a time, and before the launch's end is reported. */
    void (*block)(void *self, int sm, int slot, uint64_t number, uint64_t begin, uint64_t end);
    /* What warp `warp` of block `number`, in slot `slot` of multiprocessor TIMELINE_SM, did from
     * `begin` to `end`. The spans of a slot come in order, and from one thread at a time. */
    void (*warp)(void *self, int slot, uint64_t number, uint32_t warp, enum timeline_state state,
                 uint64_t begin, uint64_t end);
};
enum { TIMELINE_SM = 0 };

/* Draw blocks of which all that is known is how long they take: by number, `count` of them. A
 * multiprocessor starts the next one when the first of the `slots` that it holds ends. */
void timeline_draw_blocks(const struct timeline *timeline, int sms, int slots,
                          const uint64_t *lengths, uint64_t count);

#endif
