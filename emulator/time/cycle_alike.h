/* SPDX-License-Identifier: MIT */
/* Blocks of a sampled launch (emu --sample) that need not run, as they are like others: where each
 * block uses the lines that the first one does, moved by steps that are the same from each block to
 * its neighbour.
 *
 * Witnesses run first: the first block and its neighbours, which show the steps; then corners, the
 * middle and some others, whose lines must be where the steps say. If one is elsewhere, all blocks
 * run. Blocks of a cluster run together: "unit" means a cluster here, and its blocks may differ. */
#ifndef CYCLE_ALIKE_H
#define CYCLE_ALIKE_H

#include "time/cycle_notes.h"

enum { WITNESSES = 16 };

struct witness {
    uint64_t unit;
    struct raw_uses *blocks; /* of the unit, by rank */
};

struct cycle_alike {
    struct dim grid, cluster, units; /* blocks; blocks; clusters */
    uint64_t count, size; /* units; blocks of one */
    unsigned char *state; /* of each unit */
    struct witness witnesses[WITNESSES];
    int witness_count, given;
    int step[3]; /* the witness one step from the first one; 0: there is none */
    bool decided, holds; /* the witnesses have run; the others are like them */
};

/* A launch begins. The blocks whose numbers are multiples of `every`, `logged` of them, run. */
void alike_begin(struct cycle_alike *alike, const struct launch *launch, uint64_t every,
                 uint64_t logged);
void alike_end(struct cycle_alike *alike);

/* The next witness to run: positions in the order in which blocks start. False: no more. */
bool alike_next(struct cycle_alike *alike, uint64_t *first, uint64_t *end);
/* After the witnesses: the first blocks among these that must run and have not yet. False: none. */
bool alike_among(struct cycle_alike *alike, uint64_t *first, uint64_t *end);

/* Where to note all that this block uses; NULL: it is no witness. */
struct raw_uses *alike_witness(struct cycle_alike *alike, struct dim block);

/* Fill in what a block used that did not run. Returns the instructions it would have issued. */
uint64_t alike_predict(const struct cycle_alike *alike, uint64_t unit, uint64_t rank,
                       const struct l2 *l2, struct block_uses *uses);
/* Was the unit left out? */
bool alike_left_out(const struct cycle_alike *alike, uint64_t unit);
/* The number of the block in the grid. */
uint64_t alike_number(const struct cycle_alike *alike, uint64_t unit, uint64_t rank);

#endif
