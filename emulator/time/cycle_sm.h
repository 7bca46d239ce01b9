/* SPDX-License-Identifier: MIT */
/* The modelled SM and its parts: cycle_sm.c issues the warps' instructions, cycle_warp.c reads from
 * the logs what each warp does next, cycle_barriers.c makes warps wait for each other, and
 * cycle_memory.c says how long their requests take. */
#ifndef CYCLE_SM_H
#define CYCLE_SM_H

#include "time/cycle_parts.h"
#include "time/cycle_phases.h"

/* CODE_LINE instructions are 128 bytes. Loops of 2048, 2560 and 4096 additions lose an H200 as much
 * of its instruction cache as if it had CODE_SETS sets (benchmarks/model/fetch.cu). */
enum { GROUPS_MOST = 16, SWAPS = 1024, CODE_LINE = 8, CODE_SETS = 16 };

/* What gives a register its value. */
enum origin { FROM_UNIT, FROM_MEMORY, FROM_SHARED, FROM_BARRIER };

/* A unit that serves one request after the other: the time at which it is free again, and the
 * clocks that it was busy in all. */
struct server {
    double free, busy;
};

/* A line of constants that an SM keeps. */
struct constant_line {
    uint64_t number; /* + 1; 0: none */
    double ready; /* when it is there */
};

struct scheduler {
    struct server slots; /* a clock for each instruction */
    struct server units[UNIT_COUNT];
};

/* Does the warp run, or what does it wait at? */
enum stop { RUNS, AT_BARRIER, AT_CLUSTER, AT_PHASE };

struct sm_warp {
    const struct warp_log *log;
    uint32_t at; /* the next word of the log */
    struct sm_block *block;
    struct scheduler *scheduler;
    double next; /* it issues nothing before this time */
    uint32_t address; /* of its next instruction in the machine code */
    uint32_t code_line; /* the number of the code line that it is in, + 1 */
    double code_time; /* when it entered that line */
    enum stop stop;
    double arrived; /* when it began to wait at `stop` */
    const struct phase *phase; /* the one it waits for, AT_PHASE */
    struct {
        double done; /* when all that it has begun so far are complete */
        double group[GROUPS_MOST]; /* when each of its last groups is, in a ring */
        uint32_t groups; /* committed so far */
    } background[BACKGROUNDS];
    uint32_t cluster_arrivals; /* how often it has arrived at the barrier of the cluster */
    double *ready; /* when each register has its value, in each copy of a loop */
    uint8_t *origins; /* and what gives it: enum origin */
    double drawn; /* what it did until this time has been reported to the timeline */
    /* The basic block that it executes: its items, of which `item` is next, and the first request
     * to memory of each instruction, by copy and index. */
    const struct cycle_item *items;
    const union cycle_word **requests;
    uint32_t first, length, copies, item, item_count;
    uint64_t before; /* instructions that the warp had issued before this block */
    bool jumped; /* it came here by a jump */
    bool early; /* what it has just read is not there yet: it reads again */
    uint32_t partings; /* on the way it diverged so many times */
};

/* The barrier of the cluster, as a block of it sees it. */
struct cluster_barrier {
    int arrived; /* warps, since it last opened */
    double latest; /* when the last of them arrived */
    uint32_t openings; /* how often it has opened */
    double opened; /* when it last did */
};

struct sm_block {
    int live; /* warps that have not ended */
    int waiting; /* of them, those at the block's barrier */
    double latest; /* when the last of those arrived */
    double allows; /* since when it lets the next launch begin; 0: it has not */
    double stored; /* when L2 has answered its last store */
    struct cluster_barrier cluster;
    struct phases phases; /* of barriers in shared memory */
    int number; /* among the blocks of this SM */
    int first_warp; /* the index of its first warp among the SM's */
    double begin; /* when it began */
    struct sm_warp *warps;
};

/* CODE_LINE instructions of the machine code, which are fetched together. */
struct code_line {
    uint64_t fetched; /* its last fetch, as a number in the order of its set's; 0: none yet */
    double ready; /* when that fetch was complete */
    double entered; /* when the first warp came to it */
};

/* A warp that may go on since it was `ready`, and asks its scheduler at `time`. */
struct entry {
    double time, ready;
    uint64_t number; /* in the order in which they were pushed first */
    struct sm_warp *warp;
};

struct sm {
    const struct sm_work *work;
    const struct gpu *gpu;
    const struct cycle_code *code;
    struct scheduler schedulers[SCHEDULERS_MOST];
    struct cache l1;
    struct server barrier; /* the unit that counts arrivals at barriers, of all blocks */
    struct server code_fetch; /* of code lines that have left the instruction cache */
    struct constant_line uniform_constants[UNIFORM_LINES], loaded_constants[LOADED_LINES];
    double uniform_ready; /* they come in the order in which they were asked for */
    struct server constant_fetch; /* of lines that are not among them */
    struct server load_store; /* the memory pipe */
    struct server write_back; /* from shared memory to registers, a word per lane and clock */
    double load_store_busy; /* its busy clocks without those for shared memory */
    struct server port; /* from the SM to L2 */
    struct server l2, dram; /* this SM's share of them */
    struct server bulk; /* the engine of bulk copies */
    struct server cluster; /* the way to other blocks of the cluster */
    struct server slices[SLICES_MOST]; /* of L2, for atomics */
    uint64_t slice_lines[SLICES_MOST]; /* the last line of each, + 1 */
    struct server swaps[SWAPS]; /* words of shared memory, for compare-and-swap */
    struct server all_slices; /* together: other SMs' atomics on other lines, bulk reductions */
    double *misses_due; /* by instruction: see goes_beyond(); below 1 */
    struct sm_block *blocks; /* the resident ones */
    int resident;
    struct sm_warp *warps; /* of these blocks; and room for what each warp points to */
    double *ready;
    uint8_t *origins;
    const union cycle_word **requests;
    struct entry *heap;
    int heap_count;
    uint64_t pushed; /* entries so far */
    struct code_line *code_lines;
    uint64_t fetches[CODE_SETS]; /* of code lines into each set of the instruction cache, so far */
    int next_block; /* the number of the next block to start */
    double *ends; /* of the blocks */
    double drained; /* when the last store or atomic has been served */
    struct cycle_sums sums;
};

/* Keep the server busy for so many clocks, for a request made at time `from`. begin() returns when
 * it begins to serve the request, serve() when it is done. */
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

/* The warps that can go on, in a heap: who asks first comes first; of several at the same time, who
 * has issued nothing yet, then those of the oldest block, and of them who is ready for longest. */
void sm_push(struct sm *sm, struct entry entry);
/* The warp is ready at `time`. */
void sm_push_ready(struct sm *sm, struct sm_warp *warp, double time);
struct entry sm_pop(struct sm *sm);

/* Report to the timeline what the warp did since the last report; and a block that has ended. */
void sm_draw(const struct sm *sm, struct sm_warp *warp, enum timeline_state state, double until);
void sm_draw_block(const struct sm *sm, const struct sm_block *block);

/* The warp had issued `count` instructions by `time`: a point of its path. */
void sm_add_point(const struct sm *sm, const struct sm_warp *warp, uint64_t count, double time);

/* Go on to the next basic block of the log. Returns false at the end of the log. */
bool sm_take_block(struct sm *sm, struct sm_warp *warp);

/* Memory: cycle_memory.c. Each returns the time at which the request is complete. */

/* The request of the instruction at `index`, as the log has it. */
double sm_access(struct sm *sm, double time, uint32_t index, const union cycle_word *request);
/* The warp begins, and reads its parameters and the sizes of blocks and grids. */
void sm_load_parameters(struct sm *sm, struct sm_warp *warp);
/* A constant whose address is in a register. For one in uniform registers the warp waits. */
double sm_load_constant(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                        const union cycle_word *request);
/* A bulk copy, line by line through an engine of its own. */
double sm_copy_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival);
/* A bulk store or reduction, through the same engine. *read: when its source has been read. */
double sm_store_bulk(struct sm *sm, double from, uint32_t index, struct arrival arrival,
                     double *read);
/* To or from another block of the cluster, whose SM sends as much to this one. */
double sm_to_cluster(struct sm *sm, double from, double clocks);

/* Barriers: cycle_barriers.c. */

void sm_arrive(struct sm *sm, struct sm_warp *warp, double start);
/* The warp arrives at the barrier of the cluster, after a fence maybe. */
void sm_arrive_in_cluster(struct sm *sm, struct sm_warp *warp, double start, double fence);
void sm_wait_in_cluster(struct sm_warp *warp, double start);
/* The warp arrives or waits at barriers in shared memory, or asks for bulk copies, which arrive
 * there. Returns the time of the answer. */
double sm_at_phases(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                    const union cycle_word *request);
/* Open the barriers of the block that all its warps, or all that are left, have reached. */
void sm_open(struct sm *sm, struct sm_block *block);
/* No warp can go on. Open named barriers that only some of the warps have reached, and end phases
 * that wait for something which is not in the logs. Returns whether any warp goes on. */
bool sm_open_all(struct sm *sm, struct sm_block *block);

#endif
