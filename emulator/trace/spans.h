/* SPDX-License-Identifier: MIT */
/* What a time model told about one launch, in a bounded size: the blocks of some multiprocessors
 * and the warps of the first multiprocessor. For the warps there are spans, from the beginning
 * until there are too many, and the shares of the states over the whole launch. */
#ifndef SPANS_H
#define SPANS_H

#include <stdbool.h>
#include <stddef.h>

#include "time/timeline.h"

enum {
    SPAN_SLOTS = 128, /* the most warps that a multiprocessor may hold */
    SPANS_KEPT = 512, /* kept for each slot */
    SPANS_SHOWN = 6000, /* shown for all slots together */
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

/* A slot for a warp on the multiprocessor. `bins` has the clocks spent in each state, in equal
 * bins of time. */
struct warp_slot_spans {
    struct warp_span spans[SPANS_KEPT];
    int span_count;
    bool full; /* later spans were left out */
    uint64_t bin_clocks; /* a power of two */
    uint64_t bins[SPAN_BINS][TIMELINE_STATE_COUNT];
};

struct launch_spans {
    int sms_shown, sms; /* blocks are kept for the first sms_shown of the sms multiprocessors */
    struct block_span *blocks;
    size_t block_count, block_room, blocks_left_out;
    struct warp_slot_spans *slots[SPAN_SLOTS]; /* NULL: no warp was there */
    uint64_t clocks; /* when the last block ended */
    /* Set by spans_finish(). */
    struct warp_span *spans; /* ordered by their beginning */
    size_t span_count;
    uint64_t spans_until; /* they are complete up to here; 0: nothing was told about warps */
    uint64_t bin_clocks;
    uint64_t bins[SPAN_BINS][TIMELINE_STATE_COUNT];
};

/* Make room for a launch of `blocks` blocks on `sms` multiprocessors. At most `shown` blocks are
 * kept, and no more than SPAN_BLOCKS. */
void spans_begin(struct launch_spans *times, uint64_t blocks, int sms, size_t shown);
/* Take what struct timeline passes on. */
void spans_block(struct launch_spans *times, int sm, int slot, uint64_t number, uint64_t begin,
                 uint64_t end);
void spans_warp(struct launch_spans *times, const struct warp_span *span);
/* Put everything together, with at most `spans` spans. */
void spans_finish(struct launch_spans *times, size_t spans);
void spans_free(struct launch_spans *times);

#endif
