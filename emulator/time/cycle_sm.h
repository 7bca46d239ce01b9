/* SPDX-License-Identifier: MIT */
/* The modelled SM and its parts: cycle_sm.c lets the warps run, cycle_warp.c says what each does
 * next, cycle_barriers.c where they wait for each other, and cycle_memory.c how long their requests
 * take. */
#ifndef CYCLE_SM_H
#define CYCLE_SM_H

#include "time/cycle_parts.h"
#include "time/cycle_phases.h"

enum { SCHEDULERS_MOST = 8, SLICES_MOST = 256, GROUPS_MOST = 16, CODE_LINE = 8 };

/* What gives a register its value. */
enum origin { FROM_UNIT, FROM_MEMORY, FROM_SHARED, FROM_BARRIER };

/* What serves one after the other: since when it is free, and the clocks it was busy. */
struct server {
    double free, busy;
};

struct scheduler {
    struct server slots, pipes[PIPE_COUNT]; /* for instructions; its units */
};

/* What a warp that does not go on waits for. */
enum stop { RUNS, AT_BARRIER, AT_CLUSTER, AT_PHASE };

struct sm_warp {
    const struct cycle_trace *trace;
    uint32_t at; /* in the trace */
    struct sm_block *block;
    struct scheduler *scheduler;
    double next; /* it issues no earlier */
    uint32_t place; /* in the machine code */
    uint32_t code_line; /* that it is in, + 1; when it came there */
    double code_time;
    enum stop stop;
    double arrived; /* where it waits */
    const struct phase *phase; /* that it waits for */
    /* Copies it began: when all are there; and so for groups, the last of them at `groups` - 1. */
    double copied, group[GROUPS_MOST];
    uint32_t groups;
    uint32_t cluster_arrivals; /* barriers of the cluster that it has arrived at */
    double *ready; /* by register and copy */
    uint8_t *origins; /* likewise */
    double reported; /* to the timeline, up to then */
    const union cycle_word **requests; /* of the items in hand, by copy and index in the block */
    const struct cycle_item *items; /* in hand */
    uint32_t first, length, copies, item, item_count;
    uint64_t before; /* instructions, in front of the block in hand */
    bool jumped; /* what follows does not stand behind what was done */
};

/* The barrier of the cluster, as a block of it sees it. */
struct cluster_barrier {
    int arrived; /* warps */
    double latest; /* of them */
    uint32_t openings; /* so far */
    double opened; /* the last time */
};

struct sm_block {
    int live, waiting;
    double latest; /* at the barrier */
    double stored; /* when L2 has answered its last store */
    struct cluster_barrier cluster;
    struct phases phases; /* of barriers in shared memory */
    int number;
    int slot; /* of its first warp */
    double begin;
    struct sm_warp *warps;
};

/* A line of the machine code. */
struct code_line {
    uint64_t fetched; /* its number among all fetches of lines, the last time; 0: none */
    double ready; /* when it is here */
};

struct entry {
    double time;
    uint64_t turn;
    struct sm_warp *warp;
};

struct sm {
    const struct cycle_share *share;
    const struct gpu *gpu;
    const struct cycle_code *code;
    uint32_t register_count;
    struct scheduler schedulers[SCHEDULERS_MOST];
    struct cache l1;
    struct server pipe; /* of memory */
    double pipe_busy; /* but for shared memory */
    struct server barrier, port, l2, dram;
    struct server bulk, cluster; /* the engine of bulk copies; the way to other blocks */
    struct server slices[SLICES_MOST]; /* of L2, for atomics */
    struct server anywhere; /* any of them, for those of other SMs */
    struct server fetch; /* of instructions */
    double *owed; /* by instruction: part of a miss */
    struct sm_block *blocks; /* that are resident, */
    int resident; /* so many */
    struct sm_warp *warps; /* theirs, and what they know: */
    double *ready;
    uint8_t *origins;
    const union cycle_word **requests;
    struct entry *heap;
    int heap_count;
    uint64_t turns;
    struct code_line *code_lines;
    uint64_t fetches;
    int next_block;
    double *ends;
    double drained; /* when the last store has left */
    struct cycle_sums sums;
};

/* Serve who comes at `from`, for so many clocks. Returns when that begins; and when it is done. */
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

/* The timeline hears of what the warp did until then, since the last report; and of a block that
 * has ended. */
void sm_report(const struct sm *sm, struct sm_warp *warp, enum timeline_state state, double until);
void sm_report_block(const struct sm *sm, const struct sm_block *block);

/* The warp had issued `count` instructions by `time`: a point of its path. */
void sm_add_point(const struct sm *sm, const struct sm_warp *warp, uint64_t count, double time);

/* Take the next basic block in hand. Returns false at the end of the trace. */
bool sm_take_block(struct sm *sm, struct sm_warp *warp);

/* Memory: cycle_memory.c. Each returns when what was asked for is there. */

/* What the instruction at `index` asks for, in the words of the trace. */
double sm_access(struct sm *sm, double time, uint32_t index, const union cycle_word *request);
/* A bulk copy, line by line through an engine of its own. */
double sm_copy_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival);
/* To or from another block of the cluster, whose SM is as busy with this one. */
double sm_to_cluster(struct sm *sm, double from, double clocks);

/* Barriers: cycle_barriers.c. */

void sm_arrive(struct sm *sm, struct sm_warp *warp, double start);
/* At the barrier of the cluster, behind a fence maybe. */
void sm_arrive_in_cluster(struct sm *sm, struct sm_warp *warp, double start, double fence);
void sm_wait_in_cluster(struct sm_warp *warp, double start);
/* At barriers in shared memory. Returns when they have answered. */
double sm_at_phases(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                    const union cycle_word *request);
/* Open the barriers of the block that all of its warps, or all that are left, have come to. */
void sm_open(struct sm *sm, struct sm_block *block);
/* Nothing moves: named barriers, with some of the warps, open; and what the traces do not show has
 * come. Returns whether anybody goes on. */
bool sm_open_all(struct sm *sm, struct sm_block *block);

#endif
