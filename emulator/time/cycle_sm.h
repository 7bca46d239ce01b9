/* SPDX-License-Identifier: MIT */
/* The modelled SM and its parts: cycle_sm.c lets the warps run, cycle_warp.c says what each does
 * next, cycle_barriers.c where they wait for each other, and cycle_memory.c how long their requests
 * take. */
#ifndef CYCLE_SM_H
#define CYCLE_SM_H

#include "time/cycle_parts.h"
#include "time/cycle_phases.h"

enum { GROUPS_MOST = 16, CODE_LINE = 8 };

/* What gives a register its value. */
enum origin { FROM_UNIT, FROM_MEMORY, FROM_SHARED, FROM_BARRIER };

/* A unit that serves one request after the other: when it is free again, and how many clocks it was
 * busy in all. */
struct server {
    double free, busy;
};

struct scheduler {
    struct server slots; /* a clock for each instruction */
    struct server units[UNIT_COUNT];
};

/* Does the warp run, or what does it wait at? */
enum stop { RUNS, AT_BARRIER, AT_CLUSTER, AT_PHASE };

struct sm_warp {
    const struct warp_log *log;
    uint32_t at; /* the next word of it */
    struct sm_block *block;
    struct scheduler *scheduler;
    double next; /* it issues nothing before */
    uint32_t place; /* of its next instruction in the machine code */
    uint32_t code_line; /* the number of the line it is in, + 1 */
    double code_time; /* when it came there */
    enum stop stop;
    double arrived; /* at what it waits for, when */
    const struct phase *phase; /* the one it waits for, AT_PHASE */
    struct {
        double done; /* when all that it began have come */
        double group[GROUPS_MOST]; /* the same for its groups, in a ring: */
        uint32_t groups; /* so many there were */
    } background[BACKGROUNDS];
    uint32_t cluster_arrivals; /* how often it has arrived at the barrier of the cluster */
    double *ready; /* when each register has its value, in each copy of a loop */
    uint8_t *origins; /* and what gives it: enum origin */
    double drawn; /* the timeline knows what it did until then */
    /* The basic block in hand: its items, of which `item` is next, and what they ask of memory, by
     * copy and index. */
    const struct cycle_item *items;
    const union cycle_word **requests;
    uint32_t first, length, copies, item, item_count;
    uint64_t before; /* instructions that the warp had issued before this block */
    bool jumped; /* to it, from elsewhere than the instruction in front of it */
};

/* The barrier of the cluster, as a block of it sees it. */
struct cluster_barrier {
    int arrived; /* so many warps, since it opened last; */
    double latest; /* the last of them then */
    uint32_t openings; /* how often it has opened, */
    double opened; /* and when it did so last */
};

struct sm_block {
    int live; /* warps that have not ended */
    int waiting; /* those of them at the block's barrier; */
    double latest; /* when the last one arrived there */
    double stored; /* when L2 has answered its last store */
    struct cluster_barrier cluster;
    struct phases phases; /* of barriers in shared memory */
    int number; /* among the blocks of this SM */
    int first_warp; /* its place on the SM */
    double begin; /* when it did */
    struct sm_warp *warps;
};

/* Some instructions of the machine code, which are fetched together. */
struct code_line {
    uint64_t fetched; /* the number of its last fetch, among those of all lines; 0: none yet */
    double ready; /* when that one has come */
};

/* A warp that may go on. */
struct entry {
    double time;
    uint64_t turn; /* which of two at one time comes first */
    struct sm_warp *warp;
};

struct sm {
    const struct sm_work *work;
    const struct gpu *gpu;
    const struct cycle_code *code;
    struct scheduler schedulers[SCHEDULERS_MOST];
    struct cache l1;
    struct server barrier; /* all blocks have one unit */
    struct server fetch; /* of instructions */
    struct server load_store; /* the memory pipe */
    double load_store_busy; /* its clocks without those for shared memory */
    struct server port; /* from the SM to L2 */
    struct server l2, dram; /* this SM's share of them */
    struct server bulk; /* the engine of bulk copies */
    struct server cluster; /* the way to other blocks of the cluster */
    struct server slices[SLICES_MOST]; /* of L2, for atomics */
    struct server anywhere; /* all slices, for the atomics of other SMs on lines of their own */
    double *owed; /* by instruction: misses that its requests so far add up to, below 1 */
    struct sm_block *blocks; /* the resident ones */
    int resident;
    struct sm_warp *warps; /* theirs; and room for what each of these points to */
    double *ready;
    uint8_t *origins;
    const union cycle_word **requests;
    struct entry *heap;
    int heap_count;
    uint64_t turns; /* given out in the heap */
    struct code_line *code_lines;
    uint64_t fetches; /* of code lines, so far */
    int next_block; /* that no place was found for yet */
    double *ends; /* of the blocks */
    double drained; /* when the last store has left */
    struct cycle_sums sums;
};

/* Serve a request made at `from`, for so many clocks. begin() returns when it begins, serve() when
 * it is done. */
static inline double begin(struct server *server, double from, double clocks)
{
    const double start = later(server->free, from);

    server->free = start + clocks;
    server->busy += clocks;
    return start;
}

static inline double serve(struct server *server, double from, double clocks)
{
    return begin(server, from, clocks) + clocks;
}

/* Of a warp: cycle_warp.c. */

/* The warps that could go on, in a heap: the earliest first, and of those the one that has waited
 * longest. */
void sm_push(struct sm *sm, struct sm_warp *warp, double time);
struct entry sm_pop(struct sm *sm);

/* Tell the timeline what the warp did since the last report; and that a block has ended. */
void sm_draw(const struct sm *sm, struct sm_warp *warp, enum timeline_state state, double until);
void sm_draw_block(const struct sm *sm, const struct sm_block *block);

/* The warp had issued `count` instructions by `time`: a point of its path. */
void sm_add_point(const struct sm *sm, const struct sm_warp *warp, uint64_t count, double time);

/* Take the next basic block in hand. Returns false at the end of the log. */
bool sm_take_block(struct sm *sm, struct sm_warp *warp);

/* Memory: cycle_memory.c. Each returns when what was asked for is there. */

/* What the instruction at `index` asks for, in the words of the log. */
double sm_access(struct sm *sm, double time, uint32_t index, const union cycle_word *request);
/* A bulk copy, line by line through an engine of its own. */
double sm_copy_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival);
/* A bulk store or reduction, through the same engine. `read`: when it has left shared memory. */
double sm_store_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival,
                     double *read);
/* To or from another block of the cluster, whose SM sends as much to this one. */
double sm_to_cluster(struct sm *sm, double from, double clocks);

/* Barriers: cycle_barriers.c. */

void sm_arrive(struct sm *sm, struct sm_warp *warp, double start);
/* The warp arrives at the barrier of the cluster, behind a fence maybe. */
void sm_arrive_in_cluster(struct sm *sm, struct sm_warp *warp, double start, double fence);
void sm_wait_in_cluster(struct sm_warp *warp, double start);
/* The warp uses barriers in shared memory. Returns when they have answered. */
double sm_at_phases(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                    const union cycle_word *request);
/* Open the barriers of the block that all its warps, or all that are left, have reached. */
void sm_open(struct sm *sm, struct sm_block *block);
/* No warp can go on: open named barriers that only some of the warps have reached, and end phases
 * that wait for what the logs do not show. Returns whether any warp goes on. */
bool sm_open_all(struct sm *sm, struct sm_block *block);

#endif
