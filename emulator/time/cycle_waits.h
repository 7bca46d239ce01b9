/* SPDX-License-Identifier: MIT */
/* Blocks that wait for each other by reading device memory, in the cycle model.
 *
 * The machine runs such blocks in lockstep and reports one access after the other. A read that
 * finds what another block has written in this launch comes no earlier than that write. How long a
 * warp takes from one such access to the next is known of the logged warps, which run first as if
 * nobody waited; they are those of two SMs, since all blocks of SM 0 may be of one kind. From both
 * follows when each block reads and writes (waits_solve()). On the modelled SM a warp then reads
 * again and again until the time of the write. */
#ifndef CYCLE_WAITS_H
#define CYCLE_WAITS_H

#include "machine/hash_table.h"
#include "machine/observer.h"
#include "time/cycle_parts.h"

/* SMs whose blocks are logged where blocks wait for each other; WAITS_NONE: not a crossing. */
enum { WAITS_SMS = 2, WAITS_NONE = UINT32_MAX };

/* An access that other blocks see, or that sees what they wrote. */
struct crossing {
    uint32_t block, warp, index; /* `index`: of the instruction */
    uint32_t first, count; /* of `sources`: what it waits for */
    uint64_t issued; /* instructions of the warp so far */
};

struct cycle_waits {
    struct crossing *all; /* in the order in which they happened */
    uint32_t count, room;
    uint32_t *sources; /* numbers of versions */
    uint32_t source_count, source_room;
    struct version { /* of what is at an address */
        uint32_t crossing, next; /* that wrote it; the next version, or 0 */
        uint32_t before; /* the one that an atomic added to; or 0, which has no time */
        uint32_t readers; /* crossings that wait for it */
        bool adds_to_others; /* to what other blocks have written */
        double time; /* since when it, and what it adds to, is there */
    } * versions;
    uint32_t version_count, version_room;
    struct hash_table written, seen; /* versions, by address; and by block */
    struct sm_waits times;
    double excess; /* clocks for which others still run when SM 0 has ended */
};

/* What the times depend on. Rows are of a block for each SM. */
struct waits_launch {
    const struct gpu *gpu;
    uint64_t blocks, sms, ranks; /* blocks that were noted; of a cluster, in turns on each SM */
    uint32_t warps, resident, instrs; /* warps of a block; blocks on an SM; of the code */
    double block_clocks; /* between the starts of two blocks anywhere */
    double poll_clocks; /* between two reads of a loop that waits */
    const double *ends; /* of the logged blocks, if nobody waits: SM 0's by row, then the other's */
};

/* A warp of block `number` accesses memory. Returns the crossing's number. */
uint32_t waits_note(struct cycle_waits *waits, const struct access_event *event, uint64_t number,
                    size_t index);
/* Make room for the times, before the SMs run. */
void waits_prepare(struct cycle_waits *waits, size_t rows);
/* Find until when each crossing waits, from the times of the logged ones. */
void waits_solve(struct cycle_waits *waits, const struct waits_launch *launch);
void waits_free(struct cycle_waits *waits);

#endif
