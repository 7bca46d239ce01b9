/* SPDX-License-Identifier: MIT */
/* What a model of time told of one launch, in a bounded size: blocks of some multiprocessors, what
 * the warps of the first one did at the beginning, span by span, and what they did all the time, in
 * shares. */
#ifndef MOMENTS_H
#define MOMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "time/timeline.h"

enum {
    MOMENT_PLACES = 128, /* warps that a multiprocessor may hold */
    MOMENT_SPANS = 512, /* kept, of each place */
    MOMENT_SHOWN_SPANS = 6000, /* of all places together */
    MOMENT_BLOCKS = 3000,
    MOMENT_BINS = 256,
};

struct block_moment {
    int sm, slot;
    uint64_t number, begin, end;
};

struct warp_moment {
    int slot;
    uint64_t number; /* of the block */
    uint32_t warp;
    enum timeline_state state;
    uint64_t begin, end;
};

/* A warp's place on the multiprocessor. Clocks by state, in equal bins of time. */
struct warp_place_moments {
    struct warp_moment spans[MOMENT_SPANS];
    int span_count;
    bool full; /* and later spans were left out */
    uint64_t bin_clocks; /* a power of two */
    uint64_t bins[MOMENT_BINS][TIMELINE_STATE_COUNT];
};

struct moments {
    int sms_shown, sms; /* blocks are kept of so many multiprocessors, of so many */
    struct block_moment *blocks;
    size_t block_count, block_room, blocks_left_out;
    struct warp_place_moments *places[MOMENT_PLACES]; /* NULL: nothing happened there */
    uint64_t clocks; /* when the last block ended */
    /* From moments_finish(). */
    struct warp_moment *spans; /* in the order of their beginning */
    size_t span_count;
    uint64_t spans_until; /* all until then are among them; 0: nobody told of warps */
    uint64_t bin_clocks;
    uint64_t bins[MOMENT_BINS][TIMELINE_STATE_COUNT];
};

/* Make room for a launch of `blocks` blocks on `sms` multiprocessors, of which `shown` at most are
 * kept: no more than MOMENT_BLOCKS. */
void moments_begin(struct moments *moments, uint64_t blocks, int sms, size_t shown);
/* As in struct timeline. */
void moments_block(struct moments *moments, int sm, int slot, uint64_t number, uint64_t begin,
                   uint64_t end);
void moments_warp(struct moments *moments, const struct warp_moment *moment);
/* Put together what was told, of spans at most `spans`. */
void moments_finish(struct moments *moments, size_t spans);
void moments_free(struct moments *moments);

#endif
