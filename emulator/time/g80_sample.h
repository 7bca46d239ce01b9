/* SPDX-License-Identifier: MIT */
/* Which blocks of a launch run under the model: not all, where there are many.
 *
 * A wave is as many blocks as all multiprocessors hold at once. Once two windows of some waves
 * have taken as long for a block, blocks are skipped: they run on the plain interpreter, and count
 * for what blocks took in the windows before and after them, by the instructions that their warps
 * issued; with `emu --sample` most of them do not run at all, and count for those between them that
 * do. How many are skipped doubles as long as these windows agree. The last waves are modelled,
 * for they leave multiprocessors idle. */
#ifndef G80_SAMPLE_H
#define G80_SAMPLE_H

#include "machine/stepped.h"

/* A time in a launch, or what has come since an earlier one: blocks, clocks, and the instructions
 * of the blocks that ended. */
struct g80_window {
    uint64_t started, ended, clocks, issued;
};

struct g80_sample {
    struct launch_state *state; /* NULL: all blocks are modelled */
    uint64_t blocks, wave; /* of the grid; that run at once */
    uint64_t least_clocks; /* of a window */
    uint64_t begin; /* blocks to be started before a window begins */
    struct g80_window start; /* of the window under way; 0: none is */
    struct g80_window open; /* the whole waves of it that have started while blocks were left */
    struct g80_window last; /* the window before it */
    uint64_t stride; /* blocks to skip next; 0: not known yet */
    struct g80_window skipped; /* after `last`, and not counted yet */
    double clocks; /* that skipped blocks counted for */
};

/* Begin a launch of `blocks` blocks, `wave` of them at once. `step`: clocks between looks. */
void g80_sample_start(struct g80_sample *sample, struct launch_state *state, uint64_t blocks,
                      uint64_t wave, uint64_t step);
/* Look, at clock `now`, and skip blocks if it is time to. Returns false where one has failed. */
bool g80_sample_look(struct g80_sample *sample, uint64_t now);
/* The launch has ended. Returns the clocks that the skipped blocks count for. */
double g80_sample_end(struct g80_sample *sample);

#endif
