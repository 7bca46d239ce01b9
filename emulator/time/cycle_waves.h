/* SPDX-License-Identifier: MIT */
/* Which waves of a sampled launch run (emu --sample), where all of them would take long.
 *
 * The first waves run, which are logged, and the last one, which may be a part of one. Between
 * them there are five runs of a few waves each, evenly from the beginning to the end. If the blocks
 * of a run do not make as many requests as the runs on both sides let expect, there are runs in the
 * middle of both gaps as well, and so on. Then each run stands for itself and for half of what was
 * left out on each side of it. */
#ifndef CYCLE_WAVES_H
#define CYCLE_WAVES_H

#include <stdbool.h>
#include <stdint.h>

enum { WAVE_RUNS = 48 };
enum waves_stage { WAVES_HEAD, WAVES_CHOICE, WAVES_RUNS, WAVES_REST }; /* what is next */

/* Waves that follow each other. Those before `counted` only fill L2. */
struct wave_run {
    uint64_t first, counted, end;
    double work; /* requests of a block; who gave the run to the machine fills it in */
    double weight; /* blocks that each of its counted blocks stands for */
};

struct cycle_waves {
    uint64_t blocks, at_once; /* of the grid; of a wave */
    uint64_t head, tail; /* waves from `head` to `tail` - 1 may be left out */
    uint64_t length; /* waves of a run; 0: all waves run */
    enum waves_stage stage;
    struct wave_run runs[WAVE_RUNS];
    int count, given; /* of these */
    struct {
        int from, middle, to; /* runs */
    } open[WAVE_RUNS]; /* Are these on a line? */
    int open_count;
};

/* A launch of `blocks` blocks, of which `at_once` are a wave and `head` waves are logged. */
struct cycle_waves waves_of(uint64_t blocks, uint64_t at_once, uint64_t head);

/* The blocks to run next, from `first` to `end` - 1. False: no more. `issued`: instructions of a
 * wave, where the first part has just run. */
bool waves_next(struct cycle_waves *waves, double issued, uint64_t *first, uint64_t *end);

/* The run that has just been given, or NULL. */
struct wave_run *waves_current(struct cycle_waves *waves);

/* How many blocks a block that ran stands for, when all have run. */
double waves_weight(const struct cycle_waves *waves, uint64_t number);

#endif
