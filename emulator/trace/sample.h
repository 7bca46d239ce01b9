/* SPDX-License-Identifier: MIT */
/* The sample of a launch: records of what some warps did, one for each access, branch and
 * barrier, as JSON. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "machine/machine.h"
#include "machine/hash_table.h"
#include "time/timing.h"

/* How many blocks of a grid are sampled, spread from the first to the last, and how many warps
 * of a block, spread in the same way. Of one instruction in one warp, the first times are
 * recorded, and then the 8th, the 16th, the 32nd and so on. */
enum { SAMPLE_BLOCKS = 4, SAMPLE_WARPS = 4, SAMPLE_TIMES = 4 };

/* What one warp did once, or, for a barrier, what one block did. */
struct record {
    const struct ptx_instr *instr;
    uint64_t block; /* its number in the grid */
    uint32_t warp;
    uint64_t time; /* how often the warp had been there before */
    uint32_t rank; /* how many records of this instruction and warp come before it */
    bool has_clock;
    uint64_t clock; /* the clock of the launch */
    bool has_allocation; /* it touched an allocation */
    uint64_t allocation; /* its number */
    size_t allocation_size;
    const char *allocation_name; /* if it is a variable; or NULL */
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

/* The warps that have come to a barrier since it last opened. */
struct gathering {
    struct record record; /* of the warp that came first */
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
/* Free the sample. */
void sample_end(struct sample *sample);

/* These pass on events of the machine; `active` are the lanes on the path. Events of warps that
 * are not sampled are ignored. For one block they must come from one thread at a time. */
void sample_access(struct sample *sample, uint32_t active, const struct access_event *event);
void sample_fetch(struct sample *sample, uint32_t active, const struct fetch_event *event);
void sample_branch(struct sample *sample, const struct branch_event *event);
void sample_barrier(struct sample *sample, const struct barrier_event *event);
void sample_barrier_open(struct sample *sample, const struct barrier_open_event *event);

/* All records, the most important first: the first record of each warp and instruction, then the
 * second ones, and so on. The caller frees the array, and the sample the texts. */
struct record *sample_records(const struct sample *sample, size_t *count);

#endif
