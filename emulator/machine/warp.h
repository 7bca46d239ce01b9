/* SPDX-License-Identifier: MIT */
/* A warp: paths, records and frames.
 *
 * A warp has paths. A path is a set of lanes that share a program counter. Where a branch divides a
 * path, a record remembers which lanes are to meet again and where. A function called from a kernel
 * runs in a frame of its own: registers, local memory and parameters.
 */
#ifndef WARP_H
#define WARP_H

#include <string.h>

#include "op.h"
#include "progress.h"

/* More views of registers, as those of progress.h. */
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;

/* To see that the lanes of a path spin: a digest of their registers, and when it was taken. */
struct spun {
    uint32_t spins; /* backward branches since they last gave way */
    uint32_t checks, next_snapshot;
    uint32_t since, period; /* checks since they were the same; and from one such to the next */
    uint64_t snapshot, writes_then;
    /* The same at an earlier stop before an operation that orders blocks, the last but one or
     * before. */
    const struct op *stop_op;
    uint64_t stop_snapshot, stop_writes;
    uint32_t stops, next_stop;
    bool polls; /* their registers come back to what they were */
};

/* Where the lanes of a divided path meet again. */
enum { NO_PC = -1 };
struct record {
    struct spun spun; /* of the path that divided */
    int pc; /* of the reconvergence point; NO_PC: at the return of a call */
    uint32_t expected, arrived;
    struct record *parent;
    struct frame *frame; /* where they go on */
    int resume; /* program counter to go on at */
    struct frame *called; /* of a call: goes when all have returned */
};

struct frame {
    const struct code *code;
    const struct call *call; /* that made it; NULL: the kernel's */
    struct frame *caller;
    struct frame *older, *younger; /* of the warp's frames, in no other order */
    struct record record; /* lanes that have returned */
    int depth;
    uint64_t local_base; /* first local address of this frame */
    char *registers, *predicates;
    char *local, *params; /* 32 threads next to each other */
    size_t local_bytes, local_stride; /* of a thread's local memory, and from one to the next */
    struct stack *stack; /* where alloca was called, local memory is there; or NULL */
    size_t bytes; /* of registers to params */
};

enum path_state {
    PATH_FREE,
    PATH_READY,
    PATH_YIELDED, /* ready, but others go first */
    PATH_AT_BARRIER, /* of the block: `barrier` */
    PATH_AT_COLLECTIVE, /* waits for lanes of its warp */
    PATH_ASLEEP, /* polls words that nobody has changed */
};

struct path {
    enum path_state state;
    int pc;
    uint32_t mask;
    struct record *record;
    struct frame *frame;
    int barrier;
    uint32_t members; /* of the collective it waits for */
    struct spun spun;
    bool woke; /* it slept before the instruction in hand */
    bool stuck; /* and no memory changed */
};

/* WARP_HELD: before what orders blocks. WARP_ASLEEP: some path polls, the others wait. */
enum warp_state { WARP_READY, WARP_WAITING, WARP_DONE, WARP_HELD, WARP_ASLEEP };

/* Words that others write and that a lane has read, since its path was last checked for spinning.
 */
enum { WATCHED_WORDS = 4 };
struct watch {
    struct {
        const char *pointer;
        uint64_t value;
    } words[WATCHED_WORDS];
    uint8_t bytes[WATCHED_WORDS];
    uint8_t count; /* larger than WATCHED_WORDS: some were not noted */
    uint64_t writes; /* the launch's, when the last of those was read */
};

struct warp {
    char *base[FILE_COUNT]; /* of the current path */
    struct path *path; /* the current one */
    bool stop; /* the current path cannot go on now */
    uint32_t threads; /* lanes that the block has threads for */
    uint32_t live; /* of those, the ones that have not exited */
    uint32_t carry; /* condition code, a bit a lane */
    /* Lanes that have arrived at the barrier of the cluster; that may pass it, for it opened. */
    uint32_t arrived, passable;
    /* For each thread, by setmaxnreg: 0: as at its entry; it waits to have so many. */
    uint16_t registers, wanted;
    const char *awaited; /* the barrier in shared memory that it last asked in vain; or NULL */
    uint32_t index;
    uint64_t issued; /* instructions */
    uint64_t writes; /* that changed memory */
    uint64_t clocks; /* how often it read the clock where that matters (steady.c) */
    bool turning; /* it repeats a loop, and its worker keeps reports (turns.h) */
    struct progress *progress; /* the stretch under way; NULL: none is */
    struct watch *watches; /* by lane; NULL where the kernel orders no blocks */
    bool polled_again; /* stepped: it has just read once more what it had read */
    struct block *block;
    struct worker *worker;
    const struct allocation *last_allocation;
    enum warp_state state;
    int path_limit; /* paths from here on are free */
    uint32_t records_used; /* a set of records */
    struct frame *frame; /* the kernel's */
    struct frame *youngest; /* of all frames of the warp */
    char *specials;
    struct copies *copies; /* under way (copies.h); NULL: none were begun */
    struct bulk_stores *stores; /* the same (bulk_stores.h) */
    struct group_products *products; /* the same (group_products.h) */
    uint64_t scratch[8];
    _Alignas(16) char sink[32]; /* where accesses go that are left out */
    /* From here on nothing is cleared with a new block: it is filled as it comes into use. */
    struct path paths[WARP_SIZE];
    struct record records[WARP_SIZE];
};

/* Faults (fault.c): "WHAT in kernel K, FILE:LINE, block, thread: DETAIL". The first of its block
 * stops the block, the one of the lowest block is the launch's. `lane`: whose thread is named. */
void warp_fault(struct warp *warp, const struct ptx_instr *instr, int lane, enum fault_kind kind,
                const char *what, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same, but the block goes on: the launch fails when it has ended. */
void warp_complain(struct warp *warp, const struct ptx_instr *instr, int lane, enum fault_kind kind,
                   const char *what, const char *detail);

/* Has a signal come? Then it ends the launch as a fault would, and the message says where the path
 * was. */
bool warp_interrupted(struct warp *warp, const struct path *path);

/* Values of a slot. */
static inline void *slot_lanes(const struct warp *warp, struct slot slot)
{
    return warp->base[slot.file] + slot.offset;
}

static inline uint32_t slot_predicate(const struct warp *warp, struct slot slot)
{
    const uint32_t mask = *(lane_u32 *)slot_lanes(warp, slot);
    return slot.negated ? ~mask : mask;
}

static inline void slot_set_predicate(struct warp *warp, struct slot slot, uint32_t lanes,
                                      uint32_t mask)
{
    lane_u32 *word = slot_lanes(warp, slot);
    *word = (*word & ~lanes) | (mask & lanes);
}

/* One lane's value of a slot, zero-extended. */
static inline uint64_t slot_read(const struct warp *warp, struct slot slot, int lane)
{
    const char *lanes = slot_lanes(warp, slot);
    return slot.bytes == 8 ? ((const lane_u64 *)lanes)[lane] : ((const lane_u32 *)lanes)[lane];
}

/* Write one lane, cut to the register's width. */
static inline void slot_write(const struct warp *warp, struct slot slot, int lane, uint64_t value)
{
    char *lanes = slot_lanes(warp, slot);
    if (slot.bytes == 8)
        ((lane_u64 *)lanes)[lane] = value;
    else
        ((lane_u32 *)lanes)[lane] = slot.width == 2   ? (uint16_t)value
                                    : slot.width == 1 ? (uint8_t)value
                                                      : (uint32_t)value;
}

static inline int first_lane(uint32_t lanes)
{
    return __builtin_ctz(lanes);
}

/* The special registers of a warp: 32-bit ones by number, the grid's number in 64 bits, and a slot
 * for results that nobody wants. */
enum {
    SPECIALS_ROW = WARP_SIZE * 4,
    SPECIALS_WIDE = SREG_FIRST_VOLATILE * SPECIALS_ROW,
    SPECIALS_SINK = SPECIALS_WIDE + WARP_SIZE * 8,
    SPECIALS_BYTES = SPECIALS_SINK + WARP_SIZE * 8,
};

static inline uint32_t special_offset(int sreg, bool wide)
{
    return wide ? SPECIALS_WIDE : (uint32_t)sreg * SPECIALS_ROW;
}

/* Warps (warp.c). */

/* Run the warp's paths until all wait or have given way. */
void warp_run(struct warp *warp);
/* Not as far: make the path that goes next the current one; NULL: all wait, or
 * `polls`, they spin. And run one instruction of it. */
struct path *warp_advance(struct warp *warp, bool *polls);
void warp_step(struct warp *warp);
/* Does any observer want its instructions? */
bool warp_is_heard(const struct warp *warp);
/* Is there a path that does not wait? */
bool warp_has_ready(const struct warp *warp);
/* In lockstep, of a warp that is held: run the one instruction it is held at; or, where its path
 * would only read once more what it has read, let it sleep. */
void warp_run_ordering(struct warp *warp);
/* Wake the paths that sleep and whose words have changed. Returns whether there were any. */
bool warp_wake(struct warp *warp);
/* Wake all its paths that sleep. Returns whether there were any. */
bool warp_rouse(struct warp *warp);
/* Do all its ready paths spin? */
bool warp_is_stuck(const struct warp *warp);
/* The instruction at which a path waits: it stands after it. */
static inline const struct op *op_of(const struct path *path)
{
    return &path->frame->code->ops[path->pc - 1];
}
/* Make `path` the current one. */
void warp_enter(struct warp *warp, struct path *path);

/* Run the collectives whose lanes have all come (collective.c). */
void collective_check(struct warp *warp);
/* All live lanes wait at collectives: run each with the lanes that are there. False: none waits. */
bool collective_run_apart(struct warp *warp);

/* Lanes that its guard keeps from an instruction that waits go on alone and meet the others after
 * it (control.c). True: the path was divided, and the instruction comes again for those it is
 * for. */
bool divide_guarded(struct warp *warp, uint32_t lanes);
/* `lanes` leave a called function with their results (call.c). */
void call_return(struct warp *warp, uint32_t lanes);

#endif
