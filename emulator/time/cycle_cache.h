/* SPDX-License-Identifier: MIT */
/* Caches of the cycle model: an L1 of one SM, and the L2 that all share.
 *
 * Lines are numbered from the start of device memory, so that nothing depends on where the host
 * maps it. A set of sectors is a mask of the four of a line. */
#ifndef CYCLE_CACHE_H
#define CYCLE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpus/coalesce.h"

enum { CACHE_WAYS = 16, LINE_SECTORS = 4, ALL_SECTORS = 15, MARK_MOST = (1 << 12) - 1 };

/* One word: an L2 has half a million lines, and touching them all takes longer than a small launch.
 */
struct cache_line {
    uint64_t tag : 44; /* line number + 1; 0: none */
    uint64_t mark : 12; /* in an L2: the last launch in which an SM of the near half used it; in an
                         * L1: its index in the `times` of its set */
    uint64_t valid : 4, dirty : 4; /* sectors */
};

/* When the missing sectors of a line of an L1 arrive. */
struct cache_times {
    double ready[LINE_SECTORS];
};

/* Set-associative; the least recently used line is replaced. In each set the line that was used
 * last comes first. */
struct cache {
    struct cache_line *lines;
    struct cache_times *times; /* NULL: of an L2 */
    uint64_t sets;
};

/* Room for `lines` lines. */
void cache_start(struct cache *cache, uint64_t lines, bool has_times);
void cache_stop(struct cache *cache);
/* The line, which is the last used of its set now. If it was not there it replaces another one,
 * which is copied to *left unless `left` is NULL. */
struct cache_line *cache_find(struct cache *cache, uint64_t line, struct cache_line *left);
/* Have this machine's caches fetch what cache_find() will want. */
void cache_prefetch(const struct cache *cache, uint64_t line);
/* When the sectors of a line that was just found arrive. */
double *cache_ready(const struct cache *cache, const struct cache_line *line);

/* The L2, for a sample of the lines: the more memory is in use, the smaller a part, so that they
 * are never more than SAMPLED_LINES. */
struct l2 {
    struct cache cache;
    uint64_t capacity; /* lines */
    int dirty_ways; /* of a set, at most */
    int shift; /* one line of 2^shift is sampled */
    unsigned launch; /* the launch, counted from 1 to MARK_MOST and again from 1 */
    double near; /* different lines that SMs of the near half have used in it */
};

struct l2_traffic {
    uint32_t missed; /* sectors read from device memory */
    uint32_t written; /* sectors written back */
};

void l2_start(struct l2 *l2, const struct gpu *gpu);
void l2_stop(struct l2 *l2);
/* Sample for so much memory in use. */
void l2_sample(struct l2 *l2, uint64_t bytes_in_use);
/* A launch begins. */
void l2_launch(struct l2 *l2);
/* L2 is two halves, and each keeps what the SMs beside it read. Have the SMs of the near half used
 * more than fits in it? Then they find part of it in the far one. */
bool l2_is_far(const struct l2 *l2);
/* Is it in the sample? */
static inline bool l2_sampled(const struct l2 *l2, uint64_t line)
{
    return hash_spread(line ^ line >> 20) <= UINT64_MAX >> l2->shift;
}
/* A request for sectors of a sampled line. From an SM of the near half, `near` says as how many
 * lines it counts, otherwise it is 0. */
struct l2_traffic l2_access(struct l2 *l2, uint64_t line, unsigned sectors, bool writes,
                            double near);
/* Something beside a kernel wrote bytes from `address` on, relative to device memory; `dirty`: they
 * are still to be written back. */
void l2_fill(struct l2 *l2, uint64_t address, uint64_t bytes, bool dirty);

#endif
