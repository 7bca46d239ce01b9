/* SPDX-License-Identifier: MIT */
/* A block: its warps, shared memory and barriers. */
#ifndef BLOCK_H
#define BLOCK_H

#include "warp.h"

/* A block's own barriers; behind them the one of its cluster, and the wait for registers. */
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
struct block {
    struct launch_state *launch;
    struct worker *worker;
    struct dim index;
    uint64_t number; /* in the grid */
    uint64_t turn; /* the how many-th to start */
    struct cluster *cluster; /* NULL: nobody asks for it */
    uint32_t rank; /* in it */
    int warp_count;
    struct warp *warps;
    char *specials; /* of all warps */
    struct watch *watches; /* of all warps; NULL where the kernel orders no blocks */
    char *shared;
    size_t shared_bytes;
    struct barrier barriers[ALL_BARRIERS];
    int barrier_limit; /* those from here on were never used */
    uint32_t live; /* threads */
    uint32_t registers; /* given back, for one thread of each warp that takes them */
    uint64_t random; /* state of its own sequence */
    bool failed;
    bool sampled; /* an observer wants its instructions */
    bool stuck; /* when it last had a turn */
    bool done; /* in lockstep: to be ended between two */
    uint32_t turns; /* without an end */
    struct delivery *deliveries, *last_delivery; /* on their way here (mbarrier.h) */
    struct block *next; /* of its worker */
};

/* Blocks (schedule.c). */
enum block_status { BLOCK_RUNNING, BLOCK_STUCK, BLOCK_HELD, BLOCK_DONE };

/* A turn for every warp. */
enum block_status block_turn(struct block *block);
/* The warp whose turn is the n-th of all, by the schedule. Turns come in order, from 0 on; `order`,
 * of MAX_BLOCK_WARPS, is theirs from turn to turn. */
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
