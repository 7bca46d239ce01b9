/* SPDX-License-Identifier: MIT */
/* Launches that a timing model drives.
 *
 * Usually the machine runs blocks to their ends on its workers. Here the caller does: it starts
 * blocks when its model has room for them and lets warps go on as far as it wants, stretch by
 * stretch. A stretch leaves a trace, one word an instruction, that the model gives times to
 * afterwards. What depends on time is held back until the model says "now": a warp stops in front
 * of an instruction that reads the clock, or that other blocks could see the order of (atomics,
 * volatile and ordered accesses).
 */
#ifndef STEPPED_H
#define STEPPED_H

#include "machine.h"

struct launch_state;
struct block;

/* Begin a launch. NULL where there is no memory: it has ended, and `fault` says why. */
struct launch_state *stepped_launch(struct machine *machine, const struct launch_request *request,
                                    struct fault *fault);
/* End it, all its blocks having ended; `fault` says whether it failed. */
void stepped_finish(struct launch_state *launch, struct fault *fault);
/* As observers see it; valid until it ends. Its `workers` are the CPU threads that may be used,
 * numbered from 0. */
const struct launch *stepped_info(const struct launch_state *launch);

/* Start the next block of the grid on CPU thread `thread`; NULL where there is none left or the
 * launch has failed. Not for several threads at once. */
struct block *stepped_start(struct launch_state *launch, int thread);
void stepped_end(struct block *block);
struct warp *stepped_warp(struct block *block, int index);
/* Has the block, or the launch, met a fault? */
bool stepped_failed(const struct block *block);
/* All warps of all blocks wait for what cannot come: say so of this one. */
void stepped_deadlock(struct block *block);

/* Does nothing in it order blocks or read the clock? Then any of them may run at any time. */
bool stepped_is_independent(const struct launch_state *launch);
/* Blocks that were started so far; and how many have ended, with the instructions that their warps
 * issued. */
uint64_t stepped_started(const struct launch_state *launch);
uint64_t stepped_issued(const struct launch_state *launch, uint64_t *ended);
/* Run the next `count` blocks of an independent launch to their ends, on all CPU threads: the
 * caller's other blocks stay where they are. Returns whether none failed. */
bool stepped_skip(struct launch_state *launch, uint64_t count);

/* How often memory was changed so far. */
uint64_t stepped_writes(const struct launch_state *launch);

/* What every instruction of a program is numbered by. */
int stepped_op_count(const struct launch_state *launch);
/* Hand each instruction of the program the launch comes from, and its function, to `visit`. */
void stepped_visit(const struct launch_state *launch,
                   void (*visit)(void *self, int number, const struct ptx_function *function,
                                 const struct ptx_instr *instr),
                   void *self);

/* Why a stretch ended. */
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
    STEPPED_TAKEN = 1 << 25, /* a branch that some lane took */
};

struct stepped_trace {
    uint64_t *words;
    uint32_t count, room; /* a stretch ends where it is full */
};

/* Run `warp` until one of the above; of `trace` only `count` is changed, and the upper halves of
 * its words by observers. With `pending`, the instruction it stopped in front of runs first. */
enum stepped_stop stepped_run(struct warp *warp, struct stepped_trace *trace, bool pending);
/* Was the last ordered access of the warp one that told it nothing new? */
bool stepped_polled_again(const struct warp *warp);
/* The instruction that a stopped warp stands at. */
int stepped_next(const struct warp *warp);
/* May a warp that waited go on? */
bool stepped_ready(const struct warp *warp);

#endif
