/* SPDX-License-Identifier: MIT */
/* How the machine reports what happens.
 *
 * An observer takes the events that it wants; the functions of the others stay NULL and cost
 * nothing. Blocks run on several CPU threads, the machine's workers, and every event names its
 * worker. An observer counts by worker and adds up in `launch_end`: so no event takes a lock, and
 * no result depends on how many workers there are.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "emu.h"
#include "gpus/coalesce.h"
#include "ptx/ptx.h"

struct machine;
struct warp;
struct kernel;
struct shape;

struct launch {
    const struct machine *machine;
    const struct kernel *kernel;
    struct dim grid, block;
    struct dim cluster; /* blocks; 1 x 1 x 1 where nobody asked for any */
    size_t dynamic_shared; /* bytes */
    uint64_t workspace; /* %envreg1 and 2: a cooperative launch's, or 0 */
    size_t shared_bytes; /* of a block, the dynamic ones after the static ones */
    uint64_t number; /* 0, 1, 2 ... of this machine */
    uint64_t
        sliced; /* blocks, once it has ended, that did not run in full (machine_set_sampling) */
    int workers;
};

/* A warp is about to execute an instruction. */
struct instruction_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t active; /* lanes on this path */
    uint32_t executing; /* of those, the ones its guard lets through */
};

/* Instructions that follow each other: `count` from `first` on. A warp has executed all except the
 * last one, which it is about to execute. All their other events have been reported. */
struct stretch {
    const struct ptx_instr *first;
    uint32_t count; /* 0: none */
    uint32_t active; /* lanes on this path */
    uint64_t executing; /* of those, the ones that the guards let through: the sum of all */
};
struct stretch_event {
    int worker;
    const struct warp *warp;
    const struct stretch *stretch;
};

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/* A memory instruction, with the address of every executing lane. */
struct access_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t lanes; /* a set; not empty */
    enum access_kind kind;
    enum ptx_space space; /* resolved: GLOBAL, SHARED, LOCAL, CONST or PARAM, never GENERIC */
    uint32_t bytes; /* a lane moves: element size x vector width */
    uint32_t unit; /* of these, bytes that go to or come from one register */
    /* It is known that the whole warp takes part, and each lane wants what lies after what the
     * lane before wants; or that all want the same; and which addresses are the lowest and the
     * highest. */
    bool in_row, alike;
    uint64_t low, high; /* 0: it is not known */
    bool gapless; /* from there to there, in the order of the lanes, all sectors are used */
    int part; /* where an instruction makes several requests: which it is */
    /* By lane. Global, const: device addresses. Shared: offsets in the block's shared memory.
     * Local: offsets in the thread's local memory. */
    const uint64_t *addresses;
    struct dim owner; /* the block that owns the shared memory */
    bool remote; /* `owner` is another block of the cluster */
    /* By lane, where the emulator has these bytes: still as they were before the access. */
    char *const *pointers;
    /* Other blocks may see when it happens: such accesses are reported one after the other, even
     * from several workers. `woke`: the warp slept until what it reads changed. */
    bool orders_blocks, woke;
    bool copies; /* in the background: see copy_event */
    struct shape *shape; /* of the request, for access_price(); NULL: it is not known */
    const void *op; /* for access_register() */
};

/* The lowest and the highest of the lanes' addresses. */
static inline void address_range(uint32_t lanes, const uint64_t *addresses, uint64_t *low,
                                 uint64_t *high)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (int i = 0; i < WARP_SIZE; i++) { /* no branch: the compiler makes vectors of it */
        const uint64_t in = -(uint64_t)(lanes >> i & 1);
        least = (addresses[i] | ~in) < least ? (addresses[i] | ~in) : least;
        most = (addresses[i] & in) > most ? (addresses[i] & in) : most;
    }
    *low = least;
    *high = most;
}

/* A shorter report of an access: what the request costs, without its addresses. */
struct request_event {
    int worker;
    const struct warp *warp;
    uint32_t lanes; /* a set; not empty */
    enum access_kind kind;
    enum ptx_space space; /* GLOBAL, SHARED or CONST */
    uint32_t bytes; /* a lane moves */
    const struct price *price;
    const struct stretch *stretch; /* up to this one, of what has not been reported; or none */
};

/* What a request to memory costs, by its space. */
struct price {
    struct traffic global;
    struct wavefronts shared;
    uint32_t passes; /* constant memory's; or the sectors of local memory */
};
struct price request_price(const struct gpu *gpu, enum access_kind kind, enum ptx_space space,
                           uint32_t lanes, const uint64_t *addresses, uint32_t bytes);
/* The same of an access, which mostly costs what the last one of its shape did. */
struct price access_price(const struct access_event *event);

/* Copies in the background, and products that read shared memory there. The first event says that
 * they have begun, after the events of their loads and stores. The second one says that they are
 * done for the threads that began them, which have waited for them or have ended. */
struct copy_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr; /* that began them */
    uint32_t lanes; /* whose they are */
    bool done;
    bool reads_only; /* a product, or a store that has read its source: nothing is written */
    bool unread; /* the block ends before it has waited for the store to read its source */
    bool stores; /* from `to`, in shared memory, to `from`, in global memory */
    uint32_t bytes; /* a lane's, written */
    const uint8_t *reads; /* by lane, bytes read: the others were made 0 */
    const uint64_t *from, *to; /* by lane: global addresses, offsets in shared memory */
    uint64_t *note; /* 8 bytes for one observer, from the beginning of these copies to their end */
};

/* Lanes fetched from one texture object. For each tap a lane reads a texel, if its filter gives
 * that one any weight; where the texture has a border and the tap lies outside, none. A linear
 * filter has up to two taps for each dimension, on each of up to two levels. */
struct fetch_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t lanes; /* a set; not empty */
    uint32_t bytes; /* of a texel */
    int channels; /* of it: the first registers that it gives */
    bool fixed; /* no kernel can write there: a CUDA array's memory, and no surface is about */
    int tap_count;
    struct {
        uint32_t lanes; /* a set */
        uint64_t addresses[WARP_SIZE]; /* of device memory, by lane */
    } taps[16];
};

/* A conditional branch was decided. `taken` and `active ^ taken` both non-empty: it diverged. */
struct branch_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t active, taken;
};

/* `count` consecutive reports of a warp, which it made `times` times. */
enum told_kind { TOLD_STRETCH, TOLD_REQUEST, TOLD_BRANCH };
struct told {
    enum told_kind kind;
    struct stretch stretch;
    union {
        struct request_event request;
        struct branch_event branch;
    };
    struct price price; /* the request's */
};
enum { TURN_SLOTS = 64 };
struct turns_event {
    int worker;
    const struct warp *warp; /* `told` may name another one */
    const struct told *told;
    uint32_t count;
    uint64_t times;
    /* For this launch an observer may keep, by worker and `slot`, what the reports add up to: with
     * the same `number` and `count` they are the same reports. */
    int slot;
    uint64_t number; /* not 0 */
};

/* A warp arrived at a barrier of its block (bar.sync and kin), or of itself (bar.warp.sync). */
struct barrier_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t lanes;
    bool of_warp;
    /* Of the block: which barrier, for how many threads (0: all), whether the lanes wait there. */
    int number;
    uint32_t expected;
    bool waits;
    uint32_t before; /* lanes of the warp that wait there, and have come another way */
    uint32_t live; /* lanes of the warp that have not ended */
    uint32_t block_live; /* threads of the block that have not ended */
};

/* Lanes arrive at the barrier of their cluster; it opens; lanes pass it. */
enum cluster_step { CLUSTER_ARRIVE, CLUSTER_OPEN, CLUSTER_PASS };
struct cluster_event {
    int worker;
    enum cluster_step step;
    const struct warp *warp;
    const struct ptx_instr *instr; /* NULL: it opens because threads have ended */
    uint32_t lanes, live; /* of the warp; live: those that have not ended */
    const struct dim *blocks; /* of the cluster, those that have not ended */
    int block_count;
};

/* Barriers in shared memory: a lane arrives; bytes arrive; a phase is over; a lane finds it over.
 */
enum mbarrier_step { MBARRIER_ARRIVE, MBARRIER_LAND, MBARRIER_OPEN, MBARRIER_PASS };
struct mbarrier_event {
    int worker;
    enum mbarrier_step step;
    const struct warp *warp; /* of the lane; LAND, OPEN: whichever warp was running */
    const struct ptx_instr *instr; /* LAND: that sent the bytes */
    int lane;
    struct dim owner; /* the block that owns the barrier */
    uint64_t address; /* in its shared memory */
    bool odd; /* the phase */
    /* LAND: the thread that sent them, from where (0: registers) and to. */
    struct dim block;
    uint32_t sender; /* warp of the block */
    uint64_t from, to;
    uint32_t bytes;
};

/* A barrier of a block let its threads go. */
struct barrier_open_event {
    int worker;
    const struct launch *launch;
    struct dim block;
    int number;
    uint32_t expected; /* threads; 0: all */
    uint32_t block_live;
    /* The first that waited there; NULL: all had only arrived. */
    const struct warp *warp;
    const struct ptx_instr *instr;
    int lane;
};

/* Lanes of a warp are about to shuffle, vote or pass the warp's barrier: all have arrived, and
 * their registers are still as they were. */
struct collective_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr; /* of the lowest path */
    uint32_t lanes; /* took part */
    uint32_t members; /* that the mask names */
    uint32_t live; /* of the warp, that have not ended */
    uint32_t absent; /* of the members, those that have ended */
    uint32_t undefined; /* lanes that read a lane which takes no part, and get 0 */
    bool barrier; /* bar.warp.sync: it orders memory accesses */
};

/* A kernel did what it must not. */
struct fault_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    int lane;
    enum fault_kind kind;
    const char *what, *detail;
};

struct observer {
    void *self; /* handed back as the first argument */
    const bool *muted; /* while this is true, a launch that begins reports only its begin and end */
    void (*launch_begin)(void *self, const struct launch *launch);
    void (*launch_end)(void *self, const struct launch *launch, const struct fault *fault);
    void (*block_begin)(void *self, int worker, const struct launch *launch, struct dim block);
    /* `issued`: instructions, by all its warps. */
    void (*block_end)(void *self, int worker, const struct launch *launch, struct dim block,
                      uint64_t issued);
    void (*instruction)(void *self, const struct instruction_event *event);
    /* One call for several instructions. If any observer has `instruction` and not this function,
     * each instruction is reported by itself. */
    void (*stretch)(void *self, const struct stretch_event *event);
    /* Does it want the instructions of this block? NULL: those of all blocks. Of other blocks it
     * may hear of no instructions, and of accesses to global memory alone. */
    bool (*samples)(void *self, const struct launch *launch, struct dim block);
    /* Where most blocks run as slices (machine_set_sampling): which of them run next? Those
     * that start from number `first` to `end` - 1, cluster by cluster. Asked first, and whenever
     * these have ended; the others are left out. False: no more. NULL: all run. */
    bool (*next_part)(void *self, const struct launch *launch, uint64_t *first, uint64_t *end);
    void (*access)(void *self, const struct access_event *event);
    /* Called for some accesses in place of `access`. If any observer has `access` and not this
     * function, it is called for none. */
    void (*request)(void *self, const struct request_event *event);
    /* Called for many of `stretch`, `request` and `branch` at once. If any observer has one of
     * these or `access` and not this function, it is called for none. */
    void (*turns)(void *self, const struct turns_event *event);
    void (*copy)(void *self, const struct copy_event *event);
    void (*fetch)(void *self, const struct fetch_event *event);
    void (*branch)(void *self, const struct branch_event *event);
    void (*barrier)(void *self, const struct barrier_event *event);
    /* All warps of the block passed the barrier they waited at. */
    void (*barrier_release)(void *self, int worker, const struct launch *launch, struct dim block);
    void (*barrier_open)(void *self, const struct barrier_open_event *event);
    void (*cluster)(void *self, const struct cluster_event *event);
    void (*mbarrier)(void *self, const struct mbarrier_event *event);
    void (*collective)(void *self, const struct collective_event *event);
    /* The same of products of matrices alone. */
    void (*product)(void *self, const struct collective_event *event);
    /* membar and fence. */
    void (*fence)(void *self, const struct instruction_event *event);
    /* griddepcontrol. */
    void (*dependency)(void *self, const struct instruction_event *event);
    void (*fault)(void *self, const struct fault_event *event);
};
/* All of these but launch_begin and launch_end. */
/* clang-format off */
#define EVENTS_OF_BLOCKS(X)                                                                      \
    X(block_begin) X(block_end) X(instruction) X(stretch) X(samples) X(next_part) X(access)      \
    X(request) X(turns) X(copy) X(fetch) X(branch) X(barrier) X(barrier_release) X(barrier_open) \
    X(cluster) X(mbarrier) X(collective) X(product) X(fence) X(dependency) X(fault)
/* clang-format on */

#endif
