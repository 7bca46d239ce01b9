/* SPDX-License-Identifier: MIT */
/* The counters, and what each event of the machine adds to them. An array of counts has
 * PROFILE_COUNTER_COUNT of them. */
#ifndef COUNT_H
#define COUNT_H

#include "gpus/gpu.h"
#include "machine/hash_table.h"
#include "machine/observer.h"
#include "profile/names.h"

enum profile_counter {
#define X(id, key, label, metric) PROFILE_##id,
    PROFILE_COUNTERS(X)
#undef X
        PROFILE_COUNTER_COUNT,
};

/* "global_sectors", as JSON has it. */
const char *count_key(enum profile_counter counter);

static inline void count_instruction(uint64_t *n, const struct instruction_event *event)
{
    n[PROFILE_WARP_INSTRUCTIONS]++;
    n[PROFILE_THREAD_INSTRUCTIONS] += __builtin_popcount(event->executing);
    n[PROFILE_ACTIVE_THREADS] += __builtin_popcount(event->active);
}

static inline void count_stretch(uint64_t *n, const struct stretch *stretch)
{
    n[PROFILE_WARP_INSTRUCTIONS] += stretch->count;
    n[PROFILE_THREAD_INSTRUCTIONS] += stretch->executing;
    n[PROFILE_ACTIVE_THREADS] += (uint64_t)stretch->count * __builtin_popcount(stretch->active);
}

static inline void count_branch(uint64_t *n, const struct branch_event *event)
{
    n[PROFILE_BRANCHES]++;
    n[PROFILE_DIVERGENT_BRANCHES] += event->taken != 0 && event->taken != event->active;
}

static inline void count_barrier(uint64_t *n, const struct barrier_event *event)
{
    n[event->of_warp ? PROFILE_WARP_BARRIERS : PROFILE_BARRIERS]++;
}

void count_access(uint64_t *n, const struct access_event *event);
void count_request(uint64_t *n, const struct request_event *event);
void count_told(uint64_t *n, const struct told *told);
void count_fetch(uint64_t *n, const struct fetch_event *event);

/* The counters that follow from others. */
void count_totals(uint64_t *n);
void count_add(uint64_t *sum, const uint64_t *more);

/* Whether most sectors of global memory are those of atomics. */
bool count_is_atomic(const uint64_t *n);

/* Counts by instruction: an entry of a table of them, made if there is none. */
struct instr_counts {
    const struct ptx_instr *instr;
    uint64_t n[PROFILE_COUNTER_COUNT];
};
static inline uint64_t *count_by_instr(struct hash_table *table, const struct ptx_instr *instr)
{
    struct instr_counts *counts = hash_table_make(table, sizeof(*counts), (uintptr_t)instr);

    return counts->n;
}

#endif
