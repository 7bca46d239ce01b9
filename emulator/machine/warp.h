/* Warps and blocks, for what moves them: warp.c, control.c, collective.c, schedule.c,
 * worker.c, launch.c. */
#ifndef WARP_H
#define WARP_H

#include "internal.h"

/* Warps (warp.c). */

/* What stays the same in all blocks of a launch; then what a block changes. */
void warp_start_once(struct warp *warp);
void warp_start(struct warp *warp);
/* Give back what a warp that was stopped still holds. */
void warp_end(struct warp *warp);
/* Run the warp's paths until all wait or have given way. */
void warp_run(struct warp *warp);
/* In rounds, of a warp that is held: run the one instruction it is held at; or, where its path
 * would only read once more what it has read, let it sleep. */
void warp_meet(struct warp *warp);
/* Let paths go on that slept and whose words have changed. Returns whether any did. */
bool warp_wake(struct warp *warp);
/* Let all its paths go on that sleep. */
void warp_rouse(struct warp *warp);
/* Note what a lane read of memory that other blocks write. */
void warp_note_read(struct warp *warp, int lane, const char *pointer, size_t bytes, uint64_t value);
/* Do all its ready paths go in circles? */
bool warp_is_stuck(const struct warp *warp);
/* Lanes that wait at a meeting point for those that go in circles go on without them: they may hold
 * what those wait for, as in a spin lock. The last resort: lanes let go too soon come to a barrier
 * apart from the others. False: nobody waits so. */
bool warp_release(struct warp *warp);
/* The instruction at which a path waits: it stands behind it. */
static inline const struct op *op_of(const struct path *path)
{
    return &path->frame->code->ops[path->pc - 1];
}
/* Make `path` the current one. */
void warp_enter(struct warp *warp, struct path *path);

/* Divide the current path: `there` goes to `target`, the others to `next`; they meet at `meet`, or
 * where the paths around them do if that is no instruction of the function. */
void path_split(struct warp *warp, uint32_t there, int target, int next, int meet);
void path_exit(struct warp *warp, uint32_t lanes);
/* `lanes` have returned from the current path's function. */
void path_return(struct warp *warp, uint32_t lanes);
/* Let the current path wait in `state`. */
void path_park(struct warp *warp, enum path_state state);
/* A backward branch (weight 1) or a sleep (more): give way now and then. */
void path_spin(struct warp *warp, uint32_t weight);
enum { SPIN_SLEEP = 4096 };

/* A function's registers and memory; NULL: no memory. */
struct frame *frame_new(struct warp *warp, const struct code *code, struct frame *caller);
void frame_free(struct warp *warp, struct frame *frame);

/* Run the collectives whose lanes have all come (collective.c). */
void collective_check(struct warp *warp);

/* Blocks (schedule.c). */
enum block_status { BLOCK_RUNNING, BLOCK_STUCK, BLOCK_HELD, BLOCK_DONE };

/* A turn for every warp. */
enum block_status block_turn(struct block *block);
/* The warp whose turn is the n-th in this round, by the schedule; `order`, of MAX_BLOCK_WARPS,
 * starts as 0, 1, 2 ... and is the caller's. */
int block_warp_at(struct block *block, int turn, int *order);
enum { MAX_BLOCK_WARPS = 64 };
/* The next number of the block's own sequence. */
uint64_t block_random(struct block *block);
/* Name a thread that waits for what cannot come. */
void block_deadlock(struct block *block);

/* Barriers (barrier.c). The current path of `warp` arrives, and waits unless `waits` is false. */
void block_arrive(struct warp *warp, const struct op *op, uint32_t lanes, int number,
                  uint32_t expected, bool waits);
/* Threads have exited: is anybody waiting for them? */
void block_check_barriers(struct block *block);

/* Lanes that its guard keeps from an instruction that waits go on alone and meet the others behind
 * it (control.c). True: the path was divided, and the instruction comes again for those it is
 * for. */
bool divide_guarded(struct warp *warp, uint32_t lanes);
/* `lanes` leave a called function with their results (call.c). */
void call_return(struct warp *warp, uint32_t lanes);

/* Launches whose blocks may meet (rounds.c). They have this many workers, parts of the work, for so
 * many CPU threads. */
int rounds_shares(int threads);
void rounds_run(struct launch_state *launch, int threads);

/* Launches (launch.c). What goes before the first block, the observers told: false, where there is
 * no memory; and what comes behind the last one, or behind that. `paced`: the caller runs the
 * blocks (paced.c). */
bool launch_begin(struct launch_state *launch, struct machine *machine,
                  const struct launch_request *request, bool paced);
void launch_end(struct launch_state *launch, struct fault *fault);
/* Note that the launch has failed for want of memory. */
void launch_fail_without_memory(struct launch_state *launch);
/* All changes of memory so far. */
uint64_t launch_writes(const struct launch_state *launch);
/* Which block is the n-th to start (schedule.c): random orders step through all by a stride that
 * misses none. */
void launch_choose_stride(struct launch_state *launch);
uint64_t launch_block_at(const struct launch_state *launch, uint64_t n);

/* Blocks of a worker (worker.c). Start the grid's next one; false: there is none, or no room. */
bool worker_start_block(struct worker *worker);
void worker_end_block(struct worker *worker, struct block **link);
/* Run blocks until there are none: what a thread of a worker's own does. */
void *worker_run(void *worker);
/* Give back what the worker keeps for its next block. */
void worker_free_spare(struct worker *worker);

#endif
