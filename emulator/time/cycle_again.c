/* SPDX-License-Identifier: MIT */
#include "time/cycle_again.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

/* Each step can be undone, so a word that differs makes another digest; two that differ make the
 * same one once in 2^128 times. */
static void digest_words(uint64_t digest[2], const void *words, size_t count)
{
    uint64_t a = digest[0] ^ count, b = digest[1];

    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (const char *)words + i * sizeof(word), sizeof(word));
        a = (a ^ word) * 0x9E3779B97F4A7C15u;
        a ^= a >> 32;
        b = (b + word) * 0xD6E8FEB86659FD93u;
        b ^= b >> 29;
    }
    digest[0] = a;
    digest[1] = b;
}

static void digest_work(uint64_t digest[2], const struct sm_work *work)
{
    const uint64_t counts[] = {(uintptr_t)work->code,    work->code->digest, (uint64_t)work->blocks,
                               (uint64_t)work->warps,    work->sms,          work->ranks,
                               (uint64_t)work->resident, work->l1_bytes};
    const double figures[] = {work->sm_fraction, work->read_clocks, work->write_clocks,
                              work->l2_latency, work->block_clocks};
    const size_t misses = (size_t)work->code->op_count + 1;

    digest_words(digest, counts, sizeof(counts) / sizeof(*counts));
    digest_words(digest, figures, sizeof(figures) / sizeof(*figures));
    digest_words(digest, work->misses, misses * sizeof(*work->misses) / sizeof(uint64_t));
    for (int i = 0; i < work->blocks * work->warps; i++)
        digest_words(digest, work->logs[i].words, work->logs[i].count);
}

double cycle_sm_run_again(struct kept_runs *runs, const struct sm_work *work, double *ends,
                          struct cycle_sums *sums)
{
    const size_t bytes = (size_t)work->blocks * sizeof(*ends);
    uint64_t digest[2] = {0};

    if (work->paths || work->timeline || work->waits)
        return cycle_sm_run(work, ends, sums);
    digest_work(digest, work);
    for (int i = 0; i < KEPT_RUNS; i++) {
        const struct kept_run *run = &runs->all[i];
        if (run->ends && memcmp(run->digest, digest, sizeof(digest)) == 0) {
            memcpy(ends, run->ends, bytes);
            *sums = run->sums;
            return run->drained;
        }
    }
    struct kept_run *run = &runs->all[runs->next++ % KEPT_RUNS];
    memcpy(run->digest, digest, sizeof(digest));
    run->drained = cycle_sm_run(work, ends, sums);
    run->sums = *sums;
    run->ends = observer_grow(run->ends, (size_t)work->blocks + 1, sizeof(*ends));
    memcpy(run->ends, ends, bytes);
    return run->drained;
}

void kept_runs_free(struct kept_runs *runs)
{
    for (int i = 0; i < KEPT_RUNS; i++)
        free(runs->all[i].ends);
}
