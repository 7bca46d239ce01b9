/* SPDX-License-Identifier: MIT */
/* A block: its warps, shared memory and barriers. */
#ifndef BLOCK_H
#define BLOCK_H

#include "warp.h"

#include <string.h>

/* A block's own barriers; after them the one of its cluster, and the wait for registers. */
enum { MAX_BARRIERS = 16, CLUSTER_BARRIER = MAX_BARRIERS, REGISTER_POOL, ALL_BARRIERS };

struct barrier {
    uint32_t arrived; /* threads */
    uint32_t expected; /* 0: all live threads */
    uint32_t count, against; /* bar.red: threads whose predicate holds, and does not */
};

/* Blocks that live together and reach each other's shared memory. */
struct cluster {
    struct dim index;
    int size, left; /* blocks: all, and those that have not ended */
    struct block *blocks[MAX_CLUSTER]; /* by rank; NULL: it has ended */
    bool failed; /* one of them has */
};

struct delivery;
struct listeners;
struct block {
    struct launch_state *launch;
    struct listeners *listeners; /* who hears of it */
    struct worker *worker;
    struct dim index;
    uint64_t number; /* in the grid */
    uint64_t position; /* in the order in which the blocks of the launch start, from 0 on */
    struct cluster *cluster; /* NULL: it is alone, and the program uses no clusters */
    uint32_t rank; /* in the cluster */
    int warp_count;
    struct warp *warps;
    char *specials; /* of all warps */
    struct watch *watches; /* of all warps; NULL where the kernel orders no blocks */
    char *shared;
    size_t shared_bytes;
    struct barrier barriers[ALL_BARRIERS];
    int barrier_limit; /* the barriers from this number on were never used */
    uint32_t live; /* threads */
    uint32_t
        registers; /* that warps have given back (setmaxnreg), counted for one thread of each */
    uint64_t random; /* state of its own sequence */
    bool failed;
    bool sampled; /* an observer wants its instructions */
    bool sliced; /* only the slice of the kernel runs */
    char *copied; /* of that, by COPIED_BYTES of shared memory: a copy was to bring them; or NULL */
    bool stuck; /* in its last turn: all its warps waited for other blocks */
    bool done; /* in lockstep: it is to be ended between two steps */
    uint32_t turns; /* that it has had */
    uint64_t fed; /* instructions that translation_feed() knows of */
    struct delivery *deliveries, *last_delivery; /* on their way here (mbarrier.h) */
    struct block *next; /* of its worker */
};

enum { COPIED_BYTES = 16 };
static inline void block_note_copied(const struct block *block, uint64_t to, uint64_t bytes)
{
    if (block->copied && bytes)
        memset(&block->copied[to / COPIED_BYTES], 1,
               (to + bytes - 1) / COPIED_BYTES - to / COPIED_BYTES + 1);
}

/* Blocks (schedule.c). */
enum block_status { BLOCK_RUNNING, BLOCK_STUCK, BLOCK_HELD, BLOCK_DONE };

/* Give every warp of the block a turn. */
enum block_status block_turn(struct block *block);
/* The warp that has turn number `turn` where each warp has one, according to the schedule. To be
 * called for all turns from 0 on, with the same `order`, an array of MAX_BLOCK_WARPS. */
int block_warp_at(struct block *block, int turn, int *order);
enum { MAX_BLOCK_WARPS = 64 };
/* The next number of the block's own sequence. */
uint64_t block_random(struct block *block);
/* Report a deadlock: name a thread that waits for what cannot happen. */
void block_deadlock(struct block *block);

/* Barriers (barrier.c). The current path of `warp` arrives, and waits unless `waits` is false. */
void block_arrive(struct warp *warp, const struct op *op, uint32_t lanes, int number,
                  uint32_t expected, bool waits);
/* Threads have exited: is anybody waiting for them? */
void block_check_barriers(struct block *block);
/* The paths of `warp` that wait at barrier `number` go on. The event gets the first of them all. */
void barrier_let_go(struct warp *warp, int number, struct barrier_open_event *event);

/* Clusters (cluster.c). `lanes` arrive at the barrier of all their threads, or wait for it to open.
 */
void cluster_arrive(struct warp *warp, const struct op *op, uint32_t lanes);
void cluster_wait(struct warp *warp, const struct op *op, uint32_t lanes);
/* Threads of a block in a cluster have exited: was anybody waiting for them? */
void cluster_check(struct warp *warp, const struct ptx_instr *instr);
/* Does the block wait for another one at the barrier of their cluster? */
bool cluster_may_open(const struct block *block);
/* Count the threads of the cluster that have arrived there, and those alive. */
void cluster_count(const struct cluster *cluster, uint32_t *arrived, uint32_t *live);
/* A block of it has ended. */
void cluster_leave(struct block *block);

#endif
