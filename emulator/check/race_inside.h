/* SPDX-License-Identifier: MIT */
/* What the race checker keeps, for its own files: race.c follows what threads do,
 * race_cells.c judges accesses, race_report.c says what is wrong with them. */
#ifndef RACE_INSIDE_H
#define RACE_INSIDE_H

#include "machine/kept_blocks.h"
#include "check/texture_race.h"
#include "check/order.h"
#include "check/overlap.h"
#include "check/proxy.h"
#include "check/race.h"
#include "check/race_shadow.h"
#include "machine/hash_table.h"
#include "machine/launch.h"

/* A block that is running. */
struct block_race {
    struct kept_block kept;
    struct block_order order;
    struct block_overlap overlap;
    struct proxy_fences proxies;
    struct shadow_page shared;
    bool visited; /* other blocks of the cluster used its shared memory */
    struct cluster_race *cluster; /* NULL: it has reached no barrier of its cluster yet */
};

/* The barrier of a cluster: what is gathered until it opens, and what was when it last did. */
struct cluster_race {
    struct barrier_order gathering, opened;
    int blocks; /* that have this, and have not ended */
};

struct check_race {
    struct reports *reports;
    struct order order;
    struct overlap overlap;
    const struct launch *launch;
    struct kept_blocks blocks;
    struct shadow global;
    struct texture_race textures;
    /* Instructions by number. */
    const struct ptx_instr **instrs;
    size_t instr_count, instr_room;
    struct {
        const struct ptx_instr *instr;
        uint32_t what;
        uint64_t address; /* where its first lane last went */
    } recent[64];
    struct hash_table flags; /* struct flag (order.h) */
};

/* Where the instruction is among the recent ones. */
static inline size_t race_recent(const struct ptx_instr *instr)
{
    return (uintptr_t)instr / sizeof(*instr) % 64;
}

/* One lane's access while it is judged: the visitor. */
struct visit {
    struct check_race *race;
    const struct access_event *event;
    struct block_race *block;
    struct block_race *owner; /* of the shared memory */
    struct warp_order *warp;
    int lane;
    struct stamp stamp;
    uint64_t address;
    uint32_t bytes;
    /* A bulk copy's store to the shared memory of its own block, or a load from there by a product
     * of four warps: neither waits for ordinary accesses. */
    bool of_engine;
};
enum { BULK_PIECE = 32 }; /* no wider than any other access, and never across two pages */

/* Does it read shared memory in the background, as the copy engine does? */
static inline bool race_multiplies(const struct ptx_instr *instr)
{
    return instr->opcode == OP_WGMMA_MMA;
}

/* Does it read shared memory in the background, until its thread waits for that? */
static inline bool race_reads_behind(const struct ptx_instr *instr)
{
    return race_multiplies(instr) || ptx_is_bulk_store(instr);
}

static inline bool race_is_atomic(const struct ptx_instr *instr)
{
    return ptx_effect_of(instr) == EFFECT_UPDATES;
}

static inline bool is_count(uint32_t what)
{
    return (what & STAMP_COUNTS) == STAMP_COUNTS;
}

static inline bool is_sent(const struct stamp *stamp)
{
    return stamp->what & STAMP_SENT && !is_count(stamp->what);
}

static inline struct epoch epoch_of(const struct stamp *stamp)
{
    return (struct epoch){stamp->thread, stamp->clock, is_sent(stamp)};
}

/* The same among what the thread sent: whoever knows of a later arrival of that knows of this. */
static inline struct epoch epoch_of_sent(const struct stamp *stamp)
{
    return (struct epoch){stamp->thread, stamp->clock, true};
}

/* Judge the visitor's access to the cells of `page` from `offset` on, and stamp them. */
void race_visit_cells(struct visit *visit, struct shadow_page *page, uint64_t offset);
/* Judge several lanes at once, from the visitor's on, if they are at a row of the page and there is
 * no race. Their accesses must be weak, and they must know the same. Returns how many lanes it has
 * judged; 0: judge one by itself. */
int race_visit_row(const struct visit *visit, struct shadow_page *page, uint64_t offset);
/* What `copy` did to the cells from `offset` on counts as done at the clock `now`. */
void race_settle(struct shadow_page *page, uint64_t offset, uint32_t bytes,
                 const struct stamp *copy, uint32_t now);

/* Report the visitor's access and an earlier one. Either nothing orders them; or a barrier does,
 * but the visitor is a copy or a product that may not see the earlier access without a fence, or a
 * copy that may not see that its barrier was initialised there. */
enum lack { LACKS_ORDER, LACKS_FENCE, LACKS_FENCE_OF_BARRIER, LACKS_FENCE_OF_PRODUCT };
void race_report(const struct visit *visit, const struct stamp *before, enum lack lack);
/* Report that a block may end before `copy`, which a thread of it began, has read its source. */
void race_report_unread(struct check_race *race, const struct block_race *block,
                        const struct stamp *copy, uint64_t address);
/* Report another block's access to the block's shared memory: the block may have ended by then. */
void race_report_end(struct check_race *race, const struct block_race *block,
                     const struct stamp *stamp, uint64_t address);

#endif
