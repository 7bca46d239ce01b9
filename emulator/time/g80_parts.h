/* SPDX-License-Identifier: MIT */
/* The modelled time of GPUs of compute capability 1.x, the G80 and those after it;
 * docs/period-gpus.md describes the model.
 *
 *   g80_code.c    what a PTX instruction was in machine code
 *   g80_sm.c      a multiprocessor: which warp issues when, what it waits for
 *   g80_line.h    warps in line for the issue port
 *   g80_notes.c   accesses, as the trace of a warp has them
 *   g80_memory.c  device memory, which all share
 *   g80_sample.c  which blocks are modelled, where there are many
 *   g80.c         a launch: blocks over the multiprocessors, and time in steps
 *
 * "The door" is the way out of a multiprocessor to device memory, where transactions queue up.
 * Times are clocks of the multiprocessors, counted from the launch's start. */
#ifndef G80_PARTS_H
#define G80_PARTS_H

#include "machine/stepped.h"
#include "time/model.h"
#include "time/g80_code.h"
#include "time/g80_line.h"
#include "time/g80_sample.h"
#include "time/texture_cache.h"

enum {
    G80_STRETCH = 512, /* instructions a warp runs ahead of its time, at most */
    G80_UNIT_BYTES = 32, /* the least that device memory moves: a unit */
    G80_NOTHING = 0, /* in place of a register: always ready */
};
#define G80_NEVER UINT64_MAX

/* A word of a trace, with what its instruction asks of memory. */
enum word_space { WORD_NONE, WORD_SHARED, WORD_CONSTANT, WORD_GLOBAL };
union g80_word {
    uint64_t all;
    struct {
        uint64_t number : STEPPED_NUMBER_BITS, partial : 1; /* as in stepped.h */
        uint64_t moved : 1; /* the instruction has moved up (rule 8 of g80_code.c) */
        uint64_t space : 2; /* enum word_space */
        uint64_t : 4;
        uint64_t count : 8; /* further passes over shared memory; transactions of half-warps */
        uint64_t single : 8; /* transactions of single threads */
        uint64_t units : 16; /* of device memory */
    };
};
_Static_assert(sizeof(union g80_word) == sizeof(uint64_t), "a word");

struct g80_sm;
struct g80_block;

enum g80_state {
    WARP_RUNS,
    WARP_AT_BARRIER, /* it has arrived, and others have not */
    WARP_AT_ORDERED, /* its atomic or ordered access runs between two steps of time */
    WARP_OVER,
};

struct g80_warp {
    struct warp *warp;
    struct g80_block *block;
    struct g80_sm *sm;
    enum g80_state state;
    enum stepped_stop stop; /* why the trace ends where it does */
    bool pending; /* its next instruction has not run yet, and is not in the trace */
    uint8_t slot; /* of its SM */
    const struct g80_op *op; /* the next instruction, */
    union g80_word word; /* its word of the trace, */
    uint32_t parts; /* and how many parts of it are left to issue */
    uint32_t head; /* of the trace: the word after that one */
    uint64_t next; /* it issues nothing before this time */
    uint64_t *ready; /* by register: when its value is there */
    struct stepped_trace trace;
    union g80_word words[G80_STRETCH];
    uint64_t drawn; /* what it did until this time has been reported to the timeline */
};

struct g80_block {
    struct block *block;
    struct g80_warp *warps;
    int warp_count, slot; /* slot: the first of its warps' */
    int live, at_barrier; /* warps */
    bool used, finished;
    uint64_t number, begin, end; /* for the timeline: of the grid; clocks */
};

/* A request to device memory. */
struct g80_request {
    uint64_t arrives; /* when it is through the multiprocessor's door */
    uint32_t units;
    const struct g80_op *op;
    uint32_t waited; /* clocks at the door */
    uint8_t slot; /* of the warp */
    uint8_t width; /* enum g80_width */
    bool load, store, pending;
};

/* Where a multiprocessor's clocks went. */
struct g80_sums {
    uint64_t issue, shared; /* the issue port was busy: with instructions; with bank conflicts */
    uint64_t latency, memory, barrier; /* no warp could issue: all waited for this */
    uint64_t door; /* the door was busy */
    /* Of all loads: clocks at the door, in the queue of device memory, and of its latency. Clocks
     * of `memory` are divided in proportion to these. */
    uint64_t door_wait, memory_wait, base_wait;
    uint64_t bytes;
};

struct g80_sm {
    struct g80 *g80;
    int number;
    uint64_t now, last_busy;
    uint64_t issue_count; /* how many instructions were issued */
    uint64_t issued_last[G80_MAX_WARPS]; /* by slot: issue_count at its last one, as a key */
    /* Warps whose next instruction may issue now, by issued_last; soon, by the time; and at a later
     * time that is known. A set of the slots of all. */
    struct g80_line ready, soon, late;
    uint64_t in_line;
    struct g80_warp *slots[G80_MAX_WARPS];
    uint64_t in_memory; /* a set of slots, whose warps wait for device memory */
    int slot_count;
    uint64_t door_free;
    uint64_t returned; /* when the data of the latest load arrive */
    struct g80_request *requests; /* in order of arrival; a ring would save little */
    uint32_t request_count, request_room, request_done;
    struct g80_block *blocks;
    int finished; /* blocks to hand back */
    bool failed;
    struct g80_sums sums;
    struct texture_cache textures;
    const struct timeline *timeline; /* to report to; NULL: none */
};

/* Device memory. */
struct g80_memory {
    double clocks_per_unit[G80_WIDTHS], turnaround;
    double free; /* from when */
    double busy; /* clocks */
    bool wrote; /* last */
    uint32_t room, queued; /* units of stores: that may wait in the queue, and that do */
    double queued_clocks, stored; /* clocks that those take; when the last of them arrived */
};

void g80_memory_start(struct g80_memory *memory, const struct gpu *gpu);
/* Serve a request that arrives at `arrives`, from words of `width`; requests come in that order.
 * Returns the clocks that a load waits for others and for its own bytes. */
uint64_t g80_memory_serve(struct g80_memory *memory, uint64_t arrives, uint32_t units,
                          enum g80_width width, bool is_store);
/* When everything stored is in memory. */
uint64_t g80_memory_end(struct g80_memory *memory);

struct g80 {
    struct observer observer;
    struct machine *machine;
    struct gpu gpu;
    struct g80_op *ops; /* of the program of the launch, by number */
    uint32_t register_count; /* of all its functions, and G80_NOTHING */
    struct g80_sm *sms;
    uint64_t *arrives; /* by multiprocessor: when its next request does */
    int sm_count, resident, warps_a_block;
    struct g80_memory memory;
    struct launch_state *state;
    struct timing_clock *clock;
    uint64_t start; /* clocks before the launch */
    uint64_t until; /* the end of the current step of time */
    struct g80_sample sample; /* of the launch's blocks */
};

/* The observer's functions (g80_notes.c). A fetch goes through the multiprocessor's texture
 * cache; what that lacks comes from device memory. The latency is the same either way. */
void g80_note_access(void *self, const struct access_event *event);
void g80_note_request(void *self, const struct request_event *event);
void g80_note_fetch(void *self, const struct fetch_event *event);

/* Multiprocessors (g80_sm.c). */
void g80_sm_place(struct g80_sm *sm, struct g80_block *room, struct block *block, uint64_t when);
/* Go on until the clock is `until`. */
void g80_sm_run(struct g80_sm *sm, uint64_t until);
/* A load's data are there at `when`. */
void g80_sm_deliver(struct g80_sm *sm, const struct g80_request *request, uint64_t when);
/* Run the atomic or ordered access that a warp has waited with; returns its units of device memory.
 * Then let the warp go on. */
uint32_t g80_sm_run_ordered(struct g80_sm *sm, struct g80_request *request);
void g80_sm_ordered_done(struct g80_sm *sm, const struct g80_request *request, uint64_t when);
/* When something happens here next. */
uint64_t g80_sm_next(const struct g80_sm *sm);
/* Nothing moves here any more: let warps go on whose barrier the machine has opened. Returns
 * whether any does. */
bool g80_sm_unblock(struct g80_sm *sm);

#endif
