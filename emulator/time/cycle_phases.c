/* SPDX-License-Identifier: MIT */
#include "time/cycle_phases.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

/* A word: the barrier's number and the phase's, from 1 on. */
enum { WORD_BARRIER = 32 };

/* The barrier's number; PHASE_BARRIERS: there are too many. */
static int find(struct phase_table *table, uint64_t address)
{
    int at = 0;

    while (at < table->count && table->barriers[at].address != address)
        at++;
    if (at == table->count && at < PHASE_BARRIERS) {
        table->barriers[at].address = address;
        table->barriers[at].over = table->barriers[at].passed = 0;
        table->count++;
    }
    return at;
}

static uint64_t word_of(int barrier, uint32_t phase)
{
    return (uint64_t)barrier << WORD_BARRIER | phase;
}

uint64_t phase_under_way(struct phase_table *table, uint64_t address)
{
    const int at = find(table, address);

    return at == PHASE_BARRIERS ? 0 : word_of(at, table->barriers[at].over + 1);
}

uint64_t phase_passed(struct phase_table *table, struct cycle_trace *trace, uint64_t address)
{
    const int at = find(table, address);

    if (at == PHASE_BARRIERS || table->barriers[at].over == 0)
        return 0;
    trace->passed[at] = table->barriers[at].passed = table->barriers[at].over;
    return word_of(at, table->barriers[at].over);
}

uint64_t phase_to_come(struct phase_table *table, const struct cycle_trace *trace, uint64_t address)
{
    const int at = find(table, address);

    if (at == PHASE_BARRIERS)
        return 0;
    return word_of(at, (trace->passed[at] ? trace->passed[at] : table->barriers[at].passed) + 1);
}

void phase_end(struct phase_table *table, uint64_t address)
{
    const int at = find(table, address);

    if (at < PHASE_BARRIERS)
        table->barriers[at].over++;
}

/* Do something with each word of a trace that names a phase. */
static void each_word(struct phases *phases, const struct cycle_trace *trace,
                      void (*visit)(struct phases *phases, uint64_t amount, uint64_t word))
{
    for (uint32_t at = 0; at < trace->count;) {
        const uint64_t word = trace->words[at++];
        if (word >> WORD_KIND != CYCLE_REQUEST)
            continue;
        const uint32_t lines = word >> WORD_LINES & WORD_LINES_MASK;
        for (uint32_t i = 0; i < lines && (word >> WORD_SPACE & 15) == SPACE_PHASE; i += 2)
            if (trace->words[at + i + 1])
                visit(phases, trace->words[at + i], trace->words[at + i + 1]);
        at += lines;
    }
}

static void widen(struct phases *phases, uint64_t amount, uint64_t word)
{
    uint32_t *most = &phases->first[(word >> WORD_BARRIER) + 1];

    (void)amount;
    if ((uint32_t)word > *most)
        *most = (uint32_t)word;
}

static void expect(struct phases *phases, uint64_t amount, uint64_t word)
{
    if (!(amount & AMOUNT_WAITS))
        phase_of(phases, word)->expected++;
}

void phases_start(struct phases *phases, const struct cycle_trace *traces, int count)
{
    *phases = (struct phases){0};
    for (int i = 0; i < count; i++)
        each_word(phases, &traces[i], widen);
    for (int i = 0; i < PHASE_BARRIERS; i++)
        phases->first[i + 1] += phases->first[i];
    phases->all = observer_allocate(phases->first[PHASE_BARRIERS] + 1, sizeof(*phases->all));
    for (int i = 0; i < count; i++)
        each_word(phases, &traces[i], expect);
}

void phases_stop(struct phases *phases)
{
    free(phases->all);
    phases->all = NULL;
}

struct phase *phase_of(const struct phases *phases, uint64_t word)
{
    return word ? &phases->all[phases->first[word >> WORD_BARRIER] + (uint32_t)word - 1] : NULL;
}

bool phase_make(struct phase *phase, double time, bool copied)
{
    phase->made++;
    if (time >= phase->latest) {
        phase->latest = time;
        phase->copied = copied;
    }
    return phase->made == phase->expected;
}
