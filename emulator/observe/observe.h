/* The seam between the machine and what watches it.
 *
 * The machine reports events; an observer takes those it wants (the others stay NULL and cost
 * nothing). Blocks run on several CPU threads, the machine's workers: every event names its worker,
 * and an observer keeps what it counts by worker, adding up in `launch_end`, so that no event takes a
 * lock and no result depends on how many workers there are.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "emu.h"
#include "ptx/ptx.h"

struct machine;
struct warp;
struct kernel;

struct launch {
    const struct machine *machine;
    const struct kernel *kernel;
    struct dim grid, block;
    size_t dynamic_shared; /* bytes */
    uint64_t number; /* 0, 1, 2 ... of this machine */
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
    /* By lane. Global, const: device addresses. Shared: offsets in the block's shared memory.
     * Local: offsets in the thread's local memory. */
    const uint64_t *addresses;
};

/* A conditional branch was decided. `taken` and `active ^ taken` both non-empty: it diverged. */
struct branch_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t active, taken;
};

/* A warp arrived at a barrier of its block (bar.sync and kin), or of itself (bar.warp.sync). */
struct barrier_event {
    int worker;
    const struct warp *warp;
    const struct ptx_instr *instr;
    uint32_t lanes;
    bool of_warp;
};

struct observer {
    void *self; /* handed back as the first argument */
    void (*launch_begin)(void *self, const struct launch *launch);
    void (*launch_end)(void *self, const struct launch *launch, const struct fault *fault);
    void (*block_begin)(void *self, int worker, const struct launch *launch, struct dim block);
    void (*block_end)(void *self, int worker, const struct launch *launch, struct dim block);
    void (*instruction)(void *self, const struct instruction_event *event);
    void (*access)(void *self, const struct access_event *event);
    void (*branch)(void *self, const struct branch_event *event);
    void (*barrier)(void *self, const struct barrier_event *event);
    /* All warps of the block passed the barrier they waited at. */
    void (*barrier_release)(void *self, int worker, const struct launch *launch, struct dim block);
};

#endif
