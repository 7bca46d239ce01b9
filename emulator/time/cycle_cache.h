/* SPDX-License-Identifier: MIT */
/* Caches of the cycle model: an L1 of one SM, and the L2 that all share.
 *
 * Lines are numbered from the start of device memory, so that nothing depends on where the host
 * maps it. A set of sectors is a mask of the four of a line. */
#ifndef CYCLE_CACHE_H
#define CYCLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_WAYS = 16, LINE_SECTORS = 4, MARK_MOST = (1 << 12) - 1 };

/* One word, for an L2 has half a million lines: touching them all costs more than a small launch.
 */
struct cache_line {
    uint64_t tag : 44; /* line number + 1; 0: none */
    uint64_t mark : 12; /* of an L2: the last launch in which the near half was asked for it; of an
                         * L1: its place in the times of the set */
    uint64_t valid : 4, dirty : 4; /* sectors */
};

/* When the missing sectors of a line of an L1 arrive. */
struct cache_times {
    double ready[LINE_SECTORS];
};

/* Set-associative, least recently used out first: in each set the last used stands in front. */
struct cache {
    struct cache_line *lines;
    struct cache_times *times; /* NULL: of an L2 */
    uint64_t sets;
};

/* Room for `lines` lines. */
void cache_start(struct cache *cache, uint64_t lines, bool has_times);
void cache_stop(struct cache *cache);
/* The line, now the last used of its set. If it was not there, another one leaves, and `left`,
 * unless NULL, becomes what that was. */
struct cache_line *cache_find(struct cache *cache, uint64_t line, struct cache_line *left);
/* When the sectors of a line that was just found arrive. */
double *cache_ready(const struct cache *cache, const struct cache_line *line);

/* The L2, for a sample of the lines. The more memory is in use, the fewer are sampled, so that a
 * launch costs no more than SAMPLED_LINES of them. */
struct l2 {
    struct cache cache;
    uint64_t capacity; /* lines */
    int shift; /* one line of 2^shift is sampled */
    unsigned launch; /* counts, from 1 to MARK_MOST and again */
    uint64_t near; /* different lines that SMs of one half have touched in it */
};

struct l2_traffic {
    uint32_t missed; /* sectors read from device memory */
    uint32_t written; /* sectors written back */
};

void l2_start(struct l2 *l2, uint64_t bytes);
void l2_stop(struct l2 *l2);
/* Sample for so much memory in use. */
void l2_sample(struct l2 *l2, uint64_t bytes_in_use);
/* A launch begins. */
void l2_launch(struct l2 *l2);
/* L2 is two halves, and each keeps what the SMs beside it read. Have these touched more than fits
 * their half? Then they find the rest in the other one. */
bool l2_is_far(const struct l2 *l2);
bool l2_sampled(const struct l2 *l2, uint64_t line);
/* A request for sectors of a sampled line; `near`: from an SM of the half that is modelled. */
struct l2_traffic l2_access(struct l2 *l2, uint64_t line, unsigned sectors, bool writes, bool near);
/* A copy wrote bytes from `address` on, relative to device memory. They are in memory, too: the
 * time of a copy includes that. */
void l2_fill(struct l2 *l2, uint64_t address, uint64_t bytes);

#endif
