/* SPDX-License-Identifier: MIT */
#include "check/sync.h"

#include <stdlib.h>

#include "check/products.h"
#include "machine/observer_memory.h"

struct check_sync {
    struct reports *reports;
    struct check_products *products;
};

enum trouble {
    TROUBLE_FAULT,
    TROUBLE_DIVERGENT,
    TROUBLE_ENDED,
    TROUBLE_ABSENT,
    TROUBLE_ELSEWHERE,
    TROUBLE_UNDEFINED
};

struct lane_instr {
    const struct warp *warp;
    const struct ptx_instr *instr;
    int lane;
};

static bool again(struct check_sync *sync, const struct lane_instr *at, enum trouble trouble)
{
    return reports_again(sync->reports, CHECK_SYNC, at->instr, NULL, trouble);
}

static void add(struct check_sync *sync, const struct lane_instr *at, const char *act,
                const char *what, const char *why)
{
    const struct finding finding = {
        .kind = CHECK_SYNC,
        .launch = warp_launch(at->warp),
        .what = what,
        .why = why,
        .parties = {{.act = act,
                     .instr = at->instr,
                     .block = warp_id(at->warp).block,
                     .thread = warp_thread(at->warp, at->lane)}},
        .party_count = 1,
    };
    reports_add(sync->reports, &finding);
}

static void on_fault(void *self, const struct fault_event *event)
{
    const struct lane_instr at = {event->warp, event->instr, event->lane};
    struct check_sync *sync = self;

    if (event->kind == FAULT_BARRIER && !again(sync, &at, TROUBLE_FAULT))
        add(sync, &at, "waiting", event->what, event->detail);
}

/* Lanes of a warp must come to bar together. Those that never come are a fault, unless they end. */
static void on_barrier(void *self, const struct barrier_event *event)
{
    const struct lane_instr at = {event->warp, event->instr, __builtin_ctz(event->lanes)};
    struct check_sync *sync = self;
    const bool aligned = event->instr->opcode == OP_BAR || ptx_has(event->instr, MOD_ALIGNED);
    char why[160];

    if (event->of_warp || !aligned || !event->before || again(sync, &at, TROUBLE_DIVERGENT))
        return;
    snprintf(why, sizeof(why),
             "lanes 0x%08x of its warp come after lanes 0x%08x: the barrier is for whole warps",
             event->lanes, event->before);
    add(sync, &at, "barrier", "divergent barrier", why);
}

/* A barrier for all threads opens without those that have ended. A GPU does the same, but no
 * program means it so. */
static void on_barrier_open(void *self, const struct barrier_open_event *event)
{
    const struct lane_instr at = {event->warp, event->instr, event->lane};
    struct check_sync *sync = self;
    char why[160];

    if (!event->warp || event->expected != 0)
        return;
    const uint32_t threads = (uint32_t)dim_count(event->launch->block);
    if (event->block_live == threads || again(sync, &at, TROUBLE_ENDED))
        return;
    snprintf(why, sizeof(why),
             "%u of the block's %u threads have ended without it; it is for all of them",
             threads - event->block_live, threads);
    add(sync, &at, "barrier", "barrier not reached by all threads", why);
}

static void on_collective(void *self, const struct collective_event *event)
{
    struct check_sync *sync = self;
    struct lane_instr at = {event->warp, event->instr, __builtin_ctz(event->lanes)};
    const uint32_t undefined = event->undefined;
    const uint32_t elsewhere = event->members & event->live & ~event->lanes;
    char why[200];

    if (event->instr->opcode == OP_WGMMA_MMA || event->instr->opcode == OP_WGMMA)
        check_products_step(sync->products, event);
    if (event->absent && !again(sync, &at, TROUBLE_ABSENT)) {
        snprintf(why, sizeof(why), "the mask 0x%08x names lanes 0x%08x, which have ended",
                 event->members, event->absent);
        add(sync, &at, event->instr->text, "mask names lanes that never come", why);
    }
    if (elsewhere && !again(sync, &at, TROUBLE_ELSEWHERE)) {
        snprintf(why, sizeof(why),
                 "the mask 0x%08x names lanes 0x%08x, which wait at another instruction",
                 event->members, elsewhere);
        add(sync, &at, event->instr->text, "mask names lanes that never come", why);
    }
    if (!undefined)
        return;
    at.lane = __builtin_ctz(undefined);
    if (again(sync, &at, TROUBLE_UNDEFINED))
        return;
    snprintf(why, sizeof(why), "lanes 0x%08x get 0: of the mask 0x%08x only lanes 0x%08x are here",
             undefined, event->members, event->lanes);
    add(sync, &at, event->instr->text, "value from a lane that takes no part", why);
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct check_sync *sync = self;
    (void)launch, (void)fault;

    check_products_forget(sync->products);
}

struct check_sync *check_sync_new(struct machine *machine, struct reports *reports)
{
    struct check_sync *sync = observer_allocate(1, sizeof(*sync));
    const struct observer observer = {.self = sync,
                                      .launch_end = on_launch_end,
                                      .fault = on_fault,
                                      .barrier = on_barrier,
                                      .barrier_open = on_barrier_open,
                                      .collective = on_collective};

    sync->reports = reports;
    sync->products = check_products_new(reports);
    machine_observe(machine, &observer);
    return sync;
}

void check_sync_free(struct check_sync *sync)
{
    if (sync)
        check_products_free(sync->products);
    free(sync);
}
