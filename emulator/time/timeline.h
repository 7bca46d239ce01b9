/* SPDX-License-Identifier: MIT */
/* What a model of time tells of a launch to those who draw it. Times are clocks of the
 * multiprocessors since the launch began. */
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
    /* Block `number` of the grid had place `slot` of multiprocessor `sm`. From one thread at a time
     * and no later than the launch's end is told. */
    void (*block)(void *self, int sm, int slot, uint64_t number, uint64_t begin, uint64_t end);
    /* A warp on multiprocessor TIMELINE_SM: of its block, which is block `number`, and in place
     * `slot` of the multiprocessor. Spans of a place follow each other; each place is told of from
     * one thread at a time. */
    void (*warp)(void *self, int slot, uint64_t number, uint32_t warp, enum timeline_state state,
                 uint64_t begin, uint64_t end);
};
enum { TIMELINE_SM = 0 };

#endif
