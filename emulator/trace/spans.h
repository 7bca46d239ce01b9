/* SPDX-License-Identifier: MIT */
/* What a model of time told of one launch, in a bounded size: blocks of some multiprocessors, what
 * the warps of the first one did at the beginning, span by span, and what they did all the time, in
 * shares. */
#ifndef SPANS_H
#define SPANS_H

#include <stdbool.h>
#include <stddef.h>

#include "time/timeline.h"

enum {
    SPAN_PLACES = 128, /* warps that a multiprocessor may hold */
    SPANS_KEPT = 512, /* kept, of each place */
    SPANS_SHOWN = 6000, /* of all places together */
    SPAN_BLOCKS = 3000,
    SPAN_BINS = 256,
};

struct block_span {
    int sm, slot;
    uint64_t number, begin, end;
};

struct warp_span {
    int slot;
    uint64_t number; /* of the block */
    uint32_t warp;
    enum timeline_state state;
    uint64_t begin, end;
};

/* A warp's place on the multiprocessor. Clocks by state, in equal bins of time. */
struct warp_place_spans {
    struct warp_span spans[SPANS_KEPT];
    int span_count;
    bool full; /* and later spans were left out */
    uint64_t bin_clocks; /* a power of two */
    uint64_t bins[SPAN_BINS][TIMELINE_STATE_COUNT];
};

struct launch_spans {
    int sms_shown, sms; /* blocks are kept of so many multiprocessors, of so many */
    struct block_span *blocks;
    size_t block_count, block_room, blocks_left_out;
    struct warp_place_spans *places[SPAN_PLACES]; /* NULL: nothing happened there */
    uint64_t clocks; /* when the last block ended */
    /* From spans_finish(). */
    struct warp_span *spans; /* in the order of their beginning */
    size_t span_count;
    uint64_t spans_until; /* all until then are among them; 0: nobody told of warps */
    uint64_t bin_clocks;
    uint64_t bins[SPAN_BINS][TIMELINE_STATE_COUNT];
};

/* Make room for a launch of `blocks` blocks on `sms` multiprocessors, of which `shown` at most are
 * kept: no more than SPAN_BLOCKS. */
void spans_begin(struct launch_spans *times, uint64_t blocks, int sms, size_t shown);
/* As in struct timeline. */
void spans_block(struct launch_spans *times, int sm, int slot, uint64_t number, uint64_t begin,
                 uint64_t end);
void spans_warp(struct launch_spans *times, const struct warp_span *span);
/* Put together what was told, of spans at most `spans`. */
void spans_finish(struct launch_spans *times, size_t spans);
void spans_free(struct launch_spans *times);

#endif
