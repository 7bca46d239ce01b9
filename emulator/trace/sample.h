/* SPDX-License-Identifier: MIT */
/* The sample of a launch: what some warps did, as JSON, a piece for each access, branch and
 * barrier. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "gpus/gpu.h"
#include "machine/machine.h"
#include "machine/hash_table.h"
#include "time/timing.h"

/* Of a grid, so many blocks, spread from the first to the last; of a block, so many warps, in the
 * same way; of what a warp does at one instruction, the first times and then the 8th, 16th, 32nd
 * ... */
enum { SAMPLE_BLOCKS = 4, SAMPLE_WARPS = 4, SAMPLE_TIMES = 4 };

/* What one warp did, once; or, at a barrier, one block. */
struct record {
    const struct ptx_instr *instr;
    uint64_t block; /* number in the grid */
    uint32_t warp;
    uint64_t time; /* how often the warp had been here before */
    uint32_t rank; /* the how many-th record of this instruction and warp */
    bool has_clock;
    uint64_t clock; /* of the launch */
    bool has_allocation; /* that it touched */
    uint64_t allocation; /* its number */
    size_t allocation_size;
    const char *allocation_name; /* of a variable; NULL: none */
    char *text; /* members of a JSON object, without braces */
};

struct record_list {
    struct record *records;
    size_t count, room;
};

struct sampled_warp {
    struct hash_table visits; /* struct visits */
    struct record_list list;
};

/* Warps that have come to a barrier since it last opened. */
struct gathering {
    struct record record; /* of the first to come */
    uint64_t opened; /* how often it has opened */
    size_t count, room;
    struct arrival *arrivals;
};
enum { SAMPLE_BARRIERS = 16 };

struct sampled_block {
    uint64_t number;
    struct sampled_warp warps[SAMPLE_WARPS];
    struct gathering gatherings[SAMPLE_BARRIERS];
    struct record_list list; /* of its barriers */
};

struct sample {
    const struct machine *machine;
    const struct timing *timing;
    struct dim grid;
    uint32_t warp_numbers[SAMPLE_WARPS], warp_count, warps_a_block;
    uint32_t block_count; /* 0: this launch is not sampled */
    struct sampled_block blocks[SAMPLE_BLOCKS];
};

/* Begin the sample of `launch`. */
void sample_begin(struct sample *sample, const struct machine *machine, const struct timing *timing,
                  const struct launch *launch);
/* Give all of it back. */
void sample_end(struct sample *sample);

/* What the machine tells; `active` are the lanes on the path. Others than the sampled warps are
 * passed over. Each block's events come from one thread at a time. */
void sample_access(struct sample *sample, uint32_t active, const struct access_event *event);
void sample_fetch(struct sample *sample, uint32_t active, const struct fetch_event *event);
void sample_branch(struct sample *sample, const struct branch_event *event);
void sample_barrier(struct sample *sample, const struct barrier_event *event);
void sample_barrier_open(struct sample *sample, const struct barrier_open_event *event);

/* All records in the order of their importance: first the first ones of each warp and instruction.
 * To be freed, their texts not: they are the sample's. */
struct record *sample_records(const struct sample *sample, size_t *count);

#endif
