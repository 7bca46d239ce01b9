/* SPDX-License-Identifier: MIT */
/* What happened before what: the order that barriers, fences and flags make between the threads of
 * a launch. Vector clocks and epochs, as FastTrack has them (Flanagan and Freund, "FastTrack:
 * Efficient and Precise Dynamic Race Detection", 2009).
 *
 * Every thread has a clock, which steps on wherever others may learn of what it did. An access is
 * stamped with its thread and that thread's clock; a thread knows of all accesses of another one up
 * to some clock. Three things bring knowledge about:
 *
 *   a barrier of the block or of the warp: each thread leaves it with what all of them knew;
 *   a fence, then a strong write (atomic, volatile, relaxed): the word written to carries what the
 *       thread knew at the fence; so does a release;
 *   a strong read of such a word, then a fence: the thread knows what the word carried; so does
 *       an acquire. A barrier in between hands on what was read, so that others may fence instead;
 *       it is no fence itself, for a plain load after it may find an old value in the SM's cache.
 *       Strong loads go past that, and may count on what came through a barrier.
 *
 * A shuffle or a vote hands on what its lanes have learnt from flags, as a barrier of the warp
 * does, but it makes no store visible.
 *
 * A store after a load needs no fence: it is enough that the storing thread knows that the load is
 * done. So `loads` keeps what is known of loads alone. Shuffles and votes pass that on, and so does
 * any strong store to global memory.
 *
 * Where launches overlap, the end of the one in front is known in the same way: first to the
 * threads that waited for it.
 *
 * Within a block almost all order comes from barriers of all threads or of whole warps: there one
 * clock a block and one a warp are enough. The rest is in clocks.h. Being in one warp orders no two
 * lanes. A thread that has ended counts as having arrived at every later barrier.
 */
#ifndef ORDER_H
#define ORDER_H

#include "check/clocks.h"
#include "machine/observer.h"

/* To which threads a fence makes things known. */
enum scope { SCOPE_BLOCK, SCOPE_GRID, SCOPE_COUNT };

/* What a thread has fenced: `far`, its block below `base`, its warp below `warp_base`, itself below
 * `clock`. */
struct fenced {
    struct clocks *far;
    uint32_t base, warp_base, clock;
};

/* What the lanes of a warp know of each other and of others. */
struct knowledge {
    uint32_t base; /* all lanes know all of the warp's accesses below */
    uint32_t (*lanes)[WARP_SIZE]; /* by lane, of each lane; NULL: `base` says it all */
    struct clocks *far[WARP_SIZE]; /* of others */
};

struct warp_order {
    struct block_order *block;
    uint32_t first_thread; /* its number in the launch */
    uint32_t clocks[WARP_SIZE];
    struct knowledge known;
    struct knowledge loads; /* of loads alone, beyond what is `known` */
    struct clocks *pending[WARP_SIZE]; /* read from flags, known after the next fence */
    struct clocks *handed_on[WARP_SIZE]; /* of that, what a barrier has passed on to all */
    struct fenced fenced[SCOPE_COUNT][WARP_SIZE];
};

enum { ORDER_BARRIERS = 16 };
struct barrier_order {
    struct clocks *known, *loads, *handed_on, *fenced[SCOPE_COUNT];
    bool partial; /* somebody does not wait */
};

struct block_order {
    struct order *order;
    uint64_t number; /* in the grid */
    uint32_t first_thread;
    uint32_t base; /* all threads know all of the block's accesses below */
    bool has_far, has_far_loads, has_fenced; /* any thread */
    struct warp_order *warps;
    struct barrier_order barriers[ORDER_BARRIERS];
    uint32_t waiting[ORDER_BARRIERS][32]; /* lanes by warp */
};

struct order {
    uint32_t start; /* clocks of this launch are not below */
    uint32_t latest; /* nor above this */
    int warp_count; /* of a block */
    uint32_t threads; /* of a block */
    uint32_t slots; /* of a block, for threads: whole warps */
    uint64_t keys; /* of a block: itself, its warps, its threads, what its threads have sent */
    int levels;
    uint64_t wait_key; /* after those of all blocks */
    struct clocks *waited; /* what a thread knows after a wait; NULL: nobody waited yet */
};

/* A launch begins: all that was done before is known to all. */
void order_begin(struct order *order, const struct launch *launch);
void order_end(struct order *order);

/* Blocks of the launch. */
void order_block_start(struct order *order, struct block_order *block, uint64_t number);
void order_block_free(struct block_order *block);

/* A thread's number in the launch, as stamps have it: whole warps count. */
static inline uint32_t order_thread(const struct warp_order *warp, int lane)
{
    return warp->first_thread + (uint32_t)lane;
}

/* When an access was: at its thread's `clock`; `sent`: when something arrived that the thread had
 * sent (order_land()). */
struct epoch {
    uint32_t thread, clock;
    bool sent;
};

/* Does the thread know of another thread's access in this launch? */
bool order_knows(const struct warp_order *warp, int lane, struct epoch epoch);
/* The same of a load, where order_knows() said no. */
bool order_knows_load(const struct warp_order *warp, int lane, struct epoch epoch);

/* Lanes arrive at a barrier of their block, and it opens. */
void order_arrive(struct warp_order *warp, const struct barrier_event *event);
void order_open(struct block_order *block, const struct barrier_open_event *event);
/* `lanes` of the warp, of those `live`, are at its barrier. */
void order_warp_barrier(struct warp_order *warp, uint32_t lanes, uint32_t live);
/* They shuffle or vote. */
void order_collective(struct warp_order *warp, uint32_t lanes, uint32_t live);
void order_fence(struct warp_order *warp, uint32_t lanes, enum scope scope);

/* Lanes of the warp, of those `live`, arrive at the barrier of their cluster, where `barrier`
 * gathers what they know; and they are after it. */
void order_cluster_arrive(struct warp_order *warp, uint32_t lanes, uint32_t live,
                          struct barrier_order *barrier);
/* The same where they do not release: it gathers what they have fenced. */
void order_cluster_publish(struct warp_order *warp, uint32_t lanes, struct barrier_order *barrier);
void order_cluster_pass(struct warp_order *warp, uint32_t lanes,
                        const struct barrier_order *barrier);
/* What was gathered is forgotten. */
void order_barrier_reset(struct barrier_order *barrier);
/* What the threads of the block know of others, all together; the caller's to release. */
struct clocks *order_all_known(const struct block_order *block);
/* Is the access in what is known? */
bool order_heard(const struct order *order, const struct clocks *known, struct epoch epoch);

/* The lanes wait for the launches in front to end. */
void order_wait(struct warp_order *warp, uint32_t lanes);
/* Does the thread know that they have ended? */
bool order_behind_wait(const struct warp_order *warp, int lane);

/* What a word of memory carries to those who read it. */
struct flag {
    uint64_t key; /* of the word, see flag_key(); not 0 */
    uint64_t block; /* that wrote `carried[SCOPE_BLOCK]` */
    struct clocks *carried[SCOPE_COUNT];
    struct clocks *loads; /* that were done when it was stored to */
};

/* The thread writes `flag`: it carries what the thread has fenced, and, where the write is the
 * second half of a read, what it carried before. */
void order_publish(struct warp_order *warp, int lane, struct flag *flag, bool adds);
/* The thread stores to `flag`: it carries which loads are done; `adds`: as above. */
void order_publish_loads(struct warp_order *warp, int lane, struct flag *flag, bool adds);
/* The thread has read `flag`; `acquires`: it needs no fence to know. */
void order_acquire(struct warp_order *warp, int lane, const struct flag *flag, bool acquires);
/* The thread arrives at a barrier in shared memory: `flag` carries what it knows, or, where it does
 * not release, which loads are done. */
void order_mbarrier_arrive(struct warp_order *warp, int lane, struct flag *flag, bool releases);
/* What thread `sender` of the launch has sent arrives, at the clock returned; `flag` carries it,
 * and nothing else that the thread did. */
uint32_t order_land(struct order *order, struct flag *flag, uint32_t sender);
/* From here on the thread's clock is above that of all that has been sent and has arrived so far.
 */
static inline void order_step(struct warp_order *warp, int lane)
{
    warp->clocks[lane] = ++warp->block->order->latest;
}
/* `flag` carries nothing. */
void order_flag_reset(struct flag *flag);
/* Has the thread anything to publish? */
bool order_has_fenced(const struct warp_order *warp, int lane);

#endif
