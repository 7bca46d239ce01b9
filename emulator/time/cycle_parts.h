/* SPDX-License-Identifier: MIT */
/* What the cycle model is made of: cycle.c watches the launch, cycle_notes.c notes what happens
 * there, and cycle_sm.c runs a part of it. */
#ifndef CYCLE_PARTS_H
#define CYCLE_PARTS_H

#include "time/cycle_cache.h"
#include "time/cycle_code.h"
#include "time/timing.h"

/* Where a request goes - and which words follow it in the log (union cycle_word). */
enum request_kind {
    REQUEST_SHARED, /* shared memory - no words */
    REQUEST_CONSTANT, /* constants whose address is in a register - a `constant_line` */
    REQUEST_TEXTURE, /* a fetch - no words */
    REQUEST_LOCAL_STORE, /* to local memory - a `line` with its cost for each line */
    REQUEST_CACHED, /* a load through L1, of local memory too - a `line` for each line */
    REQUEST_L2, /* a load past L1 - a `line` for each line */
    REQUEST_STORE, /* to global memory - a `line` with its cost for each line */
    REQUEST_ATOMIC, /* on global memory - a `line` with its cost for each line */
    REQUEST_CLUSTER, /* shared memory by a cluster address - the `bytes` that leave the SM */
    REQUEST_COPY, /* cp.async through L1 - a `line` for each line */
    REQUEST_COPY_L2, /* cp.async past L1 - a `line` for each line */
    REQUEST_BULK_STORE, /* what one lane sends - an `arrival` */
    REQUEST_SWAP, /* a loop of compare-and-swap in shared memory - a `swap` for each word */
    REQUEST_PHASE, /* barriers in shared memory - an `arrival` and a `phase` for each of them */
    REQUEST_CROSSING, /* other blocks see it, or it sees theirs (cycle_waits.h) - a `crossing` */
};

/* What a warp does with a phase of a barrier in shared memory, one of these:
 *   waits           it waits for the end of the phase;
 *   sent            `copies` lanes send a store to another block (st.async);
 *   copies, not 0   that many lanes ask for a bulk copy, of so many sectors and lines in all;
 *   none of these   it arrives.
 * In the word of a REQUEST_BULK_STORE: the sectors and lines of a bulk store by `lane`. */
struct arrival {
    uint64_t sectors : 24, lines : 24;
    uint64_t copies : 8;
    uint64_t sent : 1;
    uint64_t remote : 1; /* the barrier is another block's */
    uint64_t waits : 1;
    uint64_t lane : 5;
};

/* A phase of a barrier of the block: the first one is number 1. Number 0 stands for no phase, where
 * the block has more than PHASE_BARRIERS barriers. */
struct phase_name {
    uint32_t number, barrier;
};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* What a warp did, word by word: a basic block begins; or a request to memory, followed by words as
 * enum request_kind says. `head` is what both have in common. */
enum word_kind { WORD_BEGIN = 1, WORD_REQUEST = 2 };
union cycle_word {
    struct {
        uint64_t index : 32; /* of the instruction */
        uint64_t : 30;
        uint64_t kind : 2; /* enum word_kind */
    } head;
    struct {
        uint64_t index : 32;
        uint64_t before : 29; /* instructions that the warp had issued */
        uint64_t parts : 1; /* the warp has diverged: some lanes go another way */
        uint64_t kind : 2;
    } begin;
    struct {
        uint64_t index : 32;
        uint64_t words : 12; /* that follow */
        uint64_t passes : 14; /* clocks for which it keeps the memory pipe */
        uint64_t space : 4; /* enum request_kind */
        uint64_t kind : 2;
    } request;
    struct {
        uint64_t sectors : 4; /* a set */
        uint64_t cost : 16; /* 1/CLOCK_PARTS clocks of the L2 slice, for atomics, or requests to L2,
                             * for stores; loads have none */
        uint64_t number : 44;
    } line;
    struct {
        uint64_t rounds : 8; /* of the loop: lanes that want the word */
        uint64_t word : 56; /* its number, and the block's */
    } swap;
    struct arrival arrival;
    struct phase_name phase;
    uint64_t constant_line; /* its number */
    uint64_t bytes;
    uint64_t crossing; /* its number */
};
_Static_assert(sizeof(union cycle_word) == sizeof(uint64_t), "a word");
enum { PASSES_MOST = (1 << 14) - 1, WORDS_MOST = (1 << 12) - 1 }; /* of a request */

/* The next word that is the beginning of a block or a request. */
static inline const union cycle_word *word_behind(const union cycle_word *word)
{
    return word + 1 + (word->head.kind == WORD_REQUEST ? word->request.words : 0);
}

/* Barriers in shared memory that the model follows in a block: nobody waits at others. */
enum { PHASE_BARRIERS = 16 };

struct warp_log {
    union cycle_word *words;
    uint32_t count, room, limit;
    uint32_t next; /* the index of the next instruction if the warp does not jump */
    uint32_t lanes; /* a set: those of its last instruction */
    bool full; /* what the warp did later is missing */
    uint64_t instructions, kept; /* that the warp has issued; of those, in the words */
    /* Of barriers in shared memory: */
    uint32_t request; /* where in `words` the last request is */
    uint64_t requested; /* `instructions` at that time: arrivals of the same instruction join it */
    struct arrival copied; /* a bulk copy by a lane whose barrier is not known yet */
    uint32_t polled; /* the index of the last poll + 1; 0: the warp did something else since */
    uint32_t poll_words; /* `count` before that poll */
    uint32_t passed[PHASE_BARRIERS]; /* phases it has waited for */
};

/* When a warp had issued how many instructions: points in the order of time. */
struct cycle_point {
    uint64_t count; /* instructions it had issued */
    double time;
};
struct cycle_path {
    struct cycle_point *points;
    uint32_t count, room;
};

/* The time at which a warp has issued `count` instructions. Between two points all instructions
 * take the same time; after the last point, the average of all before it. */
double cycle_time_on(const struct cycle_path *path, uint64_t count);

/* Where the time of an SM went, in clocks. */
struct cycle_sums {
    double end; /* of the last warp or store */
    double waits; /* since when all blocks have waited for the launch in front; 0: none has */
    double allows; /* since when all blocks let the next launch begin */
    /* Busy: the busiest scheduler or unit; the busiest part of the way to L2; shared memory; device
     * memory. */
    double issue, load_store, shared, memory;
    /* What warps spent their time on, summed over all warps: issuing, with waits for a slot or
     * unit; waiting for a result, a request to memory, shared memory, a barrier. */
    double issuing, result, request, shared_request, barrier;
    /* What the requests to memory spent theirs on: queues up to L2, device memory, latencies. */
    double on_the_way, in_memory, latency;
};

/* What happens to the sectors that an instruction asks L2 for, each as a fraction of all of them.
 */
struct cycle_misses {
    double missing; /* read from device memory */
    double waiting; /* those, and others that blocks ask for while they are on their way */
    double written; /* written back, from other lines that make room for them */
    double common; /* of the lines written: those that other blocks write at the same time */
};

/* The SM that gets the block, of so many SMs; a cluster has `ranks` blocks, or 1. */
static inline uint64_t sm_of_block(uint64_t sms, uint64_t ranks, uint64_t number)
{
    return (number + sms - number / sms % ranks) % sms;
}

/* Accesses that other blocks see, by number (cycle_waits.h), and blocks that make them. */
struct sm_waits {
    double *met; /* when a logged warp came there; below 0: none has */
    double *until; /* whoever comes earlier reads again */
    double *begins; /* of this SM's blocks */
};

/* Clocks from the answer to a read of a loop that waits to its next read. */
static inline double cycle_poll_clocks(const struct gpu *gpu)
{
    return gpu->predicate_latency + gpu->jump_latency;
}

/* The blocks of one SM, and its part of L2 and device memory. cycle_again.c goes by all of this. */
struct sm_work {
    const struct gpu *gpu;
    const struct cycle_code *code;
    const struct warp_log *logs; /* warp by warp, block by block */
    int blocks, warps; /* logged blocks; warps of a block */
    uint64_t sms, ranks; /* that have blocks; of a cluster, that these blocks have in turn */
    int resident; /* blocks at once */
    double sm_fraction; /* this SM's blocks / all: its part of L2 and device memory */
    double read_clocks, write_clocks; /* for which a sector keeps the SM's part of device memory */
    const struct cycle_misses *misses; /* by instruction */
    double l2_latency; /* clocks, near or far */
    size_t l1_bytes;
    double block_clocks; /* between the starts of two blocks anywhere */
    const struct timeline *timeline; /* to report to; NULL: none */
    struct cycle_path *paths; /* to be filled, one for each log; NULL: not wanted */
    const struct sm_waits *waits; /* NULL: no block waits for another */
};

/* Run the SM. Fills `ends` with the time at which each block ends, in clocks since the launch
 * began, and returns the time at which the last store or atomic has been served. */
double cycle_sm_run(const struct sm_work *work, double *ends, struct cycle_sums *sums);

/* Fill in the launch's shares of time and what bounds it. The kernel's `clocks` are divided in
 * proportion to what its warps spent their time on, and waiting for requests in proportion to what
 * the requests spent theirs on; `launch` is the clocks of the launch itself. */
void cycle_split_time(struct timing_launch *last, double launch, double clocks,
                      const struct cycle_sums *sums);

#endif
