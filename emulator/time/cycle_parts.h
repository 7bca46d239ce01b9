/* SPDX-License-Identifier: MIT */
/* What the cycle model is made of: cycle.c watches the launch, cycle_notes.c notes what happens
 * there, and cycle_sm.c runs a part of it. */
#ifndef CYCLE_PARTS_H
#define CYCLE_PARTS_H

#include "time/cycle_cache.h"
#include "time/cycle_code.h"
#include "time/timing.h"

/* Where a request goes, and what follows it in the log. */
enum cycle_space {
    SPACE_SHARED, /* nothing. Constant memory, too: words at addresses that only the run knows */
    SPACE_TEXTURE, /* nothing */
    SPACE_LOCAL_STORE, /* a `line` each, with its cost; loads of local memory are SPACE_CACHED */
    SPACE_CACHED, /* a `line` each, through L1 */
    SPACE_L2, /* a `line` each, past it */
    SPACE_STORE, /* a `line` each, with its cost */
    SPACE_ATOMIC, /* a `line` each, with its cost */
    SPACE_CLUSTER, /* `bytes` that leave the SM: shared memory by an address of the cluster */
    SPACE_COPY, /* a `line` each: cp.async, through L1 */
    SPACE_COPY_L2, /* a `line` each: past it */
    SPACE_BULK_STORE, /* an `arrival`: what one lane sends */
    SPACE_PHASE, /* an `arrival` and a `phase` for each barrier in shared memory */
};

/* What a phase counts: a bulk copy, in sectors and lines; stores that lanes send to another block;
 * or threads that arrive. Or a warp that waits for the end of the phase. Or a bulk store. */
struct arrival {
    uint64_t sectors : 24, lines : 24;
    uint64_t copies : 8; /* lanes that asked */
    uint64_t sent : 1; /* by lanes: as many as `copies` says */
    uint64_t remote : 1; /* to another block */
    uint64_t waits : 1;
    uint64_t lane : 5; /* that stores */
};

/* A phase of a barrier of the block, from 1 on; 0 where there are too many barriers. */
struct phase_name {
    uint32_t number, barrier;
};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* What a warp did, word by word: a basic block begins; or a request to memory, followed by words as
 * enum cycle_space says. `head` is what both have in common. */
enum word_kind { WORD_BEGIN = 1, WORD_REQUEST = 2 };
union cycle_word {
    struct {
        uint64_t index : 32; /* of the instruction */
        uint64_t : 30;
        uint64_t kind : 2; /* enum word_kind */
    } head;
    struct {
        uint64_t index : 32;
        uint64_t before : 30; /* instructions that the warp had issued */
        uint64_t kind : 2;
    } begin;
    struct {
        uint64_t index : 32;
        uint64_t words : 12; /* that follow */
        uint64_t passes : 14; /* of the memory pipe; in shared memory, clocks of atomics */
        uint64_t space : 4; /* enum cycle_space */
        uint64_t kind : 2;
    } request;
    struct {
        uint64_t sectors : 4; /* a set */
        uint64_t cost : 16; /* of atomics, quarter-clocks of its slice; of stores, requests to L2 */
        uint64_t number : 44;
    } line;
    struct arrival arrival;
    struct phase_name phase;
    uint64_t bytes;
};
_Static_assert(sizeof(union cycle_word) == sizeof(uint64_t), "a word");
enum { PASSES_MOST = (1 << 14) - 1, WORDS_MOST = (1 << 12) - 1 }; /* of a request */

/* The next beginning or request. */
static inline const union cycle_word *word_behind(const union cycle_word *word)
{
    return word + 1 + (word->head.kind == WORD_REQUEST ? word->request.words : 0);
}

enum { PHASE_BARRIERS = 16 }; /* in shared memory, of a block: those beyond open at once */

struct warp_log {
    union cycle_word *words;
    uint32_t count, room, limit;
    uint32_t next; /* the index expected */
    bool full; /* what came later is missing */
    uint64_t instructions, kept; /* of the warp; in the words */
    /* Of barriers in shared memory: */
    uint32_t request; /* the last request, in words */
    uint64_t requested; /* `instructions` then: more arrivals in the same one join it */
    struct arrival copied; /* by a lane whose barrier is not known yet */
    uint32_t failed; /* the index of the last question + 1; 0: the warp did something else since */
    uint32_t failed_count; /* words before that question */
    uint32_t passed[PHASE_BARRIERS]; /* phases it has waited for */
};

/* How far a warp was at which time: points in the order of time. */
struct cycle_point {
    uint64_t count; /* instructions it had issued */
    double time;
};
struct cycle_path {
    struct cycle_point *points;
    uint32_t count, room;
};

/* When a warp has issued `count` instructions: between two points each took as many clocks, and
 * behind the last point as many as before it. */
double cycle_time_on(const struct cycle_path *path, uint64_t count);

/* Where the time of an SM went: the clocks that units were busy; that warps waited, summed over all
 * warps; and that requests to memory took, by what took them. */
struct cycle_sums {
    double end; /* of the last warp */
    double issue, load_store, shared, memory; /* busy; issue: the busiest scheduler or unit */
    double turn; /* waits for a slot or a unit, and the slots themselves */
    double result, request, shared_request, barrier; /* waits */
    double on_the_way, in_memory, latency; /* of requests */
};

/* What happens to the sectors that an instruction asks L2 for: shares of all of them. */
struct cycle_misses {
    double missing; /* read from device memory */
    double written; /* of others, that make room: written back there */
    double common; /* of lines written, those that other blocks write at the same time */
};

/* The blocks of one SM, and the share of the rest of the GPU that is theirs. */
struct sm_work {
    const struct gpu *gpu;
    const struct cycle_code *code;
    const struct warp_log *logs; /* warp by warp, block by block */
    int blocks, warps; /* sampled; of a block */
    int resident; /* blocks at once */
    double share; /* of all blocks, those of this SM */
    double read_clocks, write_clocks; /* of device memory, for a sector of this SM */
    const struct cycle_misses *misses; /* by instruction */
    double l2_latency; /* clocks, near or far */
    size_t l1_bytes;
    double block_clocks; /* between the starts of two blocks anywhere */
    const struct timeline *timeline; /* who hears of these blocks and warps; NULL: nobody */
    struct cycle_path *paths; /* of the warps, as of logs; NULL: nobody wants to know */
};

/* Run the SM: fills `ends` with when each block ends, in clocks from the launch on. Returns when
 * the last of their stores and atomics has been served. */
double cycle_sm_run(const struct sm_work *work, double *ends, struct cycle_sums *sums);

/* Where the time of a launch went and what bounds it: what its warps waited for, as shares of what
 * all of them did in `clocks`, and beside it the clocks of the launch itself. Requests wait by what
 * took them. */
void cycle_split_time(struct timing_launch *last, double launch, double clocks,
                      const struct cycle_sums *sums);

#endif
