/* SPDX-License-Identifier: MIT */
/* Launches that a timing model drives.
 *
 * Usually the machine runs blocks to their ends on its workers. Here the caller does: it starts a
 * block when its model has room for one, and lets each warp run ahead by some instructions. These
 * leave a trace, one word per instruction, and the model gives them their times afterwards. A warp
 * stops before an instruction that reads the clock, and of one whose order other blocks could
 * see (an atomic, a volatile or ordered access), until the model says that its time has come.
 */
#ifndef STEPPED_H
#define STEPPED_H

#include "machine.h"

struct launch_state;
struct block;

/* Begin a launch. Returns NULL if there is no memory: the launch has ended, and `fault` says why.
 */
struct launch_state *stepped_launch(struct machine *machine, const struct launch_request *request,
                                    struct fault *fault);
/* End the launch, all of whose blocks have ended; `fault` says whether it failed. */
void stepped_finish(struct launch_state *launch, struct fault *fault);
/* As observers see it; valid until it ends. Its `workers` are the CPU threads that may be used,
 * numbered from 0. */
const struct launch *stepped_info(const struct launch_state *launch);

/* Start the next block of the grid; NULL where there is none left or the launch has failed. */
struct block *stepped_start(struct launch_state *launch);
void stepped_end(struct block *block);
struct warp *stepped_warp(struct block *block, int index);
/* Has the block, or the launch, met a fault? */
bool stepped_failed(const struct block *block);
/* All warps of all blocks wait for ever: report a deadlock of this block. */
void stepped_deadlock(struct block *block);

/* Does no instruction of it read the clock, or order blocks? Then any block may run at any time. */
bool stepped_is_independent(const struct launch_state *launch);
/* The number of blocks that were started so far. The instructions that the warps of all blocks
 * issued that have ended, and in *ended how many these are. */
uint64_t stepped_started(const struct launch_state *launch);
uint64_t stepped_issued(const struct launch_state *launch, uint64_t *ended);
/* Run the next `count` blocks of an independent launch to their ends, on all CPU threads: the
 * caller's other blocks stay where they are. Where a sample is enough (machine_set_sampling), most
 * of them do not run, nor count as ended. Returns whether none failed. */
bool stepped_skip(struct launch_state *launch, uint64_t count);

/* Instructions so far that wrote memory. */
uint64_t stepped_writes(const struct launch_state *launch);

/* All instructions of the program: they have numbers below this. */
int stepped_op_count(const struct launch_state *launch);
/* Hand each instruction of the program the launch comes from, and its function, to `visit`. */
void stepped_visit(const struct launch_state *launch,
                   void (*visit)(void *self, int number, const struct ptx_function *function,
                                 const struct ptx_instr *instr),
                   void *self);

/* Why a warp stopped. */
enum stepped_stop {
    STEPPED_LIMIT, /* enough instructions */
    STEPPED_CLOCK, /* the next instruction reads the clock */
    STEPPED_ORDERED, /* the next one's order others may see */
    STEPPED_WAITING, /* at a barrier, or for lanes of its own */
    STEPPED_POLLING, /* it spins until memory changes */
    STEPPED_DONE,
};

/* A word of a trace: the instruction's number below, what happened above. */
enum {
    STEPPED_NUMBER_BITS = 24,
    STEPPED_PARTIAL = 1 << 24, /* other lanes of the warp have yet to come here: a barrier */
};

struct stepped_trace {
    uint64_t *words;
    uint32_t count, room; /* the warp stops when it is full */
};

/* Run `warp` until one of the above; of `trace` only `count` is changed, and the upper halves of
 * its words by observers. With `pending`, the instruction it stopped before runs first. */
enum stepped_stop stepped_run(struct warp *warp, struct stepped_trace *trace, bool pending);
/* Was the last ordered access of the warp one that told it nothing new? */
bool stepped_polled_again(const struct warp *warp);
/* The instruction that a stopped warp stands at. */
int stepped_next(const struct warp *warp);
/* May a warp that waited go on? */
bool stepped_ready(const struct warp *warp);

#endif
