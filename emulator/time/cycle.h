/* SPDX-License-Identifier: MIT */
/* What the cycle model has while a launch is under way: cycle.c fills it as the kernel runs, and
 * cycle_end.c makes times of it. */
#ifndef CYCLE_H
#define CYCLE_H

#include "machine/kept_blocks.h"
#include "time/cycle_again.h"
#include "time/cycle_alike.h"
#include "time/cycle_phases.h"
#include "time/cycle_traffic.h"
#include "time/cycle_waits.h"
#include "time/cycle_waves.h"
#include "time/model.h"

/* A block that is running. */
struct live_block {
    struct kept_block kept;
    uint64_t number;
    struct warp_log *logs; /* one for each warp; NULL: the block is not in the sample */
    struct block_uses uses;
    struct phase_table phases;
};

/* What one worker has. */
struct worker_notes {
    _Alignas(64) struct kept_blocks blocks;
    struct ended_block *ended;
    size_t count, room; /* of `ended` */
    uint64_t *issued; /* by SM: instructions of the blocks that have ended */
};

struct cycle {
    struct observer observer;
    void *plain; /* the plain model, whose clocks a kernel reads in a dry run */
    struct timing_clock plain_clock;
    struct machine *machine;
    struct timing_clock *clock;
    struct gpu gpu;
    uint64_t base; /* of device memory */
    struct l2 l2;
    /* Of the launch under way. */
    const struct ptx_function *function;
    const struct cycle_code *code;
    struct worker_notes *workers;
    int worker_count;
    struct warp_log *logs;
    struct cycle_notes notes;
    /* Where the launch is sampled: which blocks run, and of these the positions that come next. */
    struct cycle_alike alike;
    struct cycle_waves waves;
    uint64_t next, until;
    uint64_t blocks; /* of the grid */
    int logged_blocks,
        warps; /* those of the modelled SM whose warps are logged; warps of a block */
    int logged_sms; /* 1, or WAITS_SMS if blocks may wait for each other */
    struct cycle_waits waits;
    uint64_t sms; /* that have blocks */
    uint64_t ranks; /* of a cluster, that take turns on each SM; or 1 */
    double to_come; /* blocks of SM 0 after those, as blocks_to_come() counts them */
    /* Where a launch runs twice: which run it is. In the rerun the model knows all times already,
     * and observes nothing. */
    bool dry, rerun;
    struct sm_work work;
    struct cycle_path *paths; /* of the logged warps */
    struct kept_runs runs;
    double wave_clocks; /* that each wave after the logged ones takes */
    struct timing_launch found; /* the result of the only run, or of the dry one */
    uint64_t start_clocks; /* when the launch under way began */
    struct cycle_codes codes;
};

/* Blocks that an SM holds at once. */
int cycle_resident_blocks(const struct cycle *cycle, const struct launch *launch);

/* A block has ended that used these lines: keep them. */
void cycle_keep_ended(struct worker_notes *member, uint64_t number, struct block_uses *uses);

/* The SM that gets the block. */
uint64_t cycle_sm_of(const struct cycle *cycle, uint64_t number);

/* Which blocks of a sampled launch run next: see struct observer. */
bool cycle_next_part(void *self, const struct launch *launch, uint64_t *first, uint64_t *end);

/* The launch has ended: what it took. After a dry run the logged warps have their paths. */
struct timing_launch cycle_conclude(struct cycle *cycle, const struct launch *launch);

/* Run the SM once more, now with the timeline. */
void cycle_draw(struct cycle *cycle);

#endif
