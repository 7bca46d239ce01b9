/* A block: its warps, shared memory and barriers. */
#ifndef BLOCK_H
#define BLOCK_H

#include "warp.h"

enum { MAX_BARRIERS = 16 };

struct barrier {
    uint32_t arrived; /* threads */
    uint32_t expected; /* 0: all live threads */
    uint32_t count; /* bar.red: threads whose predicate holds */
};

struct block {
    struct launch_state *launch;
    struct worker *worker;
    struct dim index;
    uint64_t number; /* in the grid */
    uint64_t turn; /* the how many-th to start */
    int warp_count;
    struct warp *warps;
    char *specials; /* of all warps */
    struct watch *watches; /* of all warps; NULL where the kernel meets no other block */
    char *shared;
    size_t shared_bytes;
    struct barrier barriers[MAX_BARRIERS];
    int barrier_limit; /* those from here on were never used */
    uint32_t live; /* threads */
    uint64_t random; /* state of its own sequence */
    bool failed;
    bool stuck; /* when it last had a turn */
    bool done; /* in rounds: to be ended between two */
    uint32_t turns; /* without an end */
    struct block *next; /* of its worker */
};

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

#endif
