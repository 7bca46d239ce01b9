/* SPDX-License-Identifier: MIT */
/* What the cycle model is made of: cycle.c watches the launch, cycle_notes.c notes what happens
 * there, and cycle_sm.c runs a part of it. */
#ifndef CYCLE_PARTS_H
#define CYCLE_PARTS_H

#include "time/cycle_cache.h"
#include "time/cycle_code.h"
#include "time/timeline.h"

/* What a warp did, word by word. A basic block that begins: CYCLE_BEGIN, the instructions before
 * it and the index of its first one. A request to memory: CYCLE_REQUEST and the rest below, then a
 * word for each line. */
enum cycle_word { CYCLE_BEGIN = 1, CYCLE_REQUEST = 2 };
enum {
    WORD_KIND = 62, /* bits 62 and 63 */
    WORD_BEFORE = 32, /* instructions before a block */
    WORD_SPACE = 58, /* enum cycle_space */
    WORD_PASSES = 44, /* of shared memory; clocks of atomics */
    WORD_LINES = 32, /* words that follow */
    /* Below: the instruction's index. */
};
enum cycle_space {
    SPACE_SHARED,
    SPACE_TEXTURE,
    SPACE_LOCAL_STORE,
    SPACE_CACHED,
    SPACE_L2,
    SPACE_STORE,
    SPACE_ATOMIC,
    SPACE_CLUSTER, /* shared memory by an address of the cluster; a word follows: bytes that leave
                    * the SM */
    SPACE_COPY, /* cp.async, through L1 */
    SPACE_COPY_L2, /* past it */
    SPACE_PHASE, /* at barriers in shared memory: two words for each, an amount and a phase */
};
enum { WORD_BEFORE_MASK = 0x3FFFFFFF, WORD_PASSES_MASK = 0x3FFF, WORD_LINES_MASK = 0xFFF };
/* Of a line: its number, its sectors; of atomics, quarter-clocks of its slice; of stores, requests
 * to L2. */
enum { LINE_NUMBER = 20, LINE_COST = 4, LINE_COST_MASK = 0xFFFF, LINE_SECTOR_MASK = 0xF };

/* What comes to a phase: bulk copies, in sectors and lines; lanes that send to another block; an
 * arrival, which is neither. Or a warp waits for its end. */
#define AMOUNT_WAITS (UINT64_C(1) << 63)
#define AMOUNT_REMOTE (UINT64_C(1) << 62) /* to another block */
#define AMOUNT_SENT (UINT64_C(1) << 61) /* by lanes: as many as `AMOUNT_COPIES` says */
enum {
    AMOUNT_SECTORS = 0,
    AMOUNT_LINES = 24,
    AMOUNT_COPIES = 48, /* lanes that asked */
    AMOUNT_MASK = 0xFFFFFF,
    AMOUNT_COPIES_MASK = 0xFF
};

enum { PHASE_BARRIERS = 16 }; /* in shared memory, of a block: those beyond open at once */

struct cycle_trace {
    uint64_t *words;
    uint32_t count, room, limit;
    uint32_t next; /* the index expected */
    bool full; /* what came later is missing */
    uint64_t instructions, kept; /* of the warp; in the words */
    /* Of barriers in shared memory: the last request, and the instruction it was made in; what is
     * copied by a lane whose barrier is not known yet; a wait that failed, and the words before it.
     */
    uint32_t request;
    uint64_t requested;
    uint64_t amount;
    uint32_t failed, failed_count;
    uint32_t passed[PHASE_BARRIERS]; /* phases it has waited for */
};

/* When a warp was how far: points in the order of time. */
struct cycle_point {
    uint64_t count; /* instructions it had issued */
    double time;
};
struct cycle_path {
    struct cycle_point *points;
    uint32_t count, room;
};

/* Where the time of an SM went. Of units: clocks they were busy. Of warps: clocks they waited, all
 * added up. Of requests to memory: clocks from their beginning to their end, by what took them. */
struct cycle_sums {
    double end; /* of the last warp */
    double issue, load_store, shared, memory; /* busy; issue: the busiest scheduler or unit */
    double turn; /* waits for a slot or a unit, and the slots themselves */
    double result, request, shared_request, barrier; /* waits */
    double on_the_way, in_memory, latency; /* of requests */
};

/* What becomes of an instruction's sectors in L2, each a share of those that come there. */
struct cycle_misses {
    double missing; /* read from device memory */
    double written; /* of others, that make room: written back there */
    double common; /* of lines written, those that other blocks write at the same time */
};

/* The blocks of one SM, and the share of the rest of the GPU that is theirs. */
struct cycle_share {
    const struct gpu *gpu;
    const struct cycle_code *code;
    const struct cycle_trace *traces; /* warp by warp, block by block */
    int blocks, warps; /* sampled; of a block */
    int resident; /* blocks at once */
    double part; /* of all blocks, those of this SM */
    double read_clocks, write_clocks; /* of device memory, for a sector of this SM */
    const struct cycle_misses *misses; /* by instruction */
    double l2_latency; /* clocks, near or far */
    size_t l1_bytes;
    double block_clocks; /* between the starts of two blocks anywhere */
    const struct timeline *timeline; /* who hears of these blocks and warps; NULL: nobody */
    struct cycle_path *paths; /* of the warps, as of traces; NULL: nobody wants to know */
};

/* When each block of the share has ended, in clocks from the launch on. Returns when the last of
 * their stores and atomics has been served. */
double cycle_sm_run(const struct cycle_share *share, double *ends, struct cycle_sums *sums);

#endif
