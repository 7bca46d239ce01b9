/* SPDX-License-Identifier: MIT */
#include "time/cycle_phases.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

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

static struct phase_name name_of(int barrier, uint32_t number)
{
    return (struct phase_name){number, (uint32_t)barrier};
}

struct phase_name phase_under_way(struct phase_table *table, uint64_t address)
{
    const int at = find(table, address);

    return name_of(at, at == PHASE_BARRIERS ? 0 : table->barriers[at].over + 1);
}

struct phase_name phase_passed(struct phase_table *table, struct warp_log *log, uint64_t address)
{
    const int at = find(table, address);

    if (at == PHASE_BARRIERS || table->barriers[at].over == 0)
        return name_of(at, 0);
    log->passed[at] = table->barriers[at].passed = table->barriers[at].over;
    return name_of(at, table->barriers[at].over);
}

struct phase_name phase_to_come(struct phase_table *table, const struct warp_log *log,
                                uint64_t address)
{
    const int at = find(table, address);

    if (at == PHASE_BARRIERS)
        return name_of(at, 0);
    return name_of(at, (log->passed[at] ? log->passed[at] : table->barriers[at].passed) + 1);
}

void phase_end(struct phase_table *table, uint64_t address)
{
    const int at = find(table, address);

    if (at < PHASE_BARRIERS)
        table->barriers[at].over++;
}

/* Do something with each phase that a log names. */
static void each_phase(struct phases *phases, const struct warp_log *log,
                       void (*visit)(struct phases *phases, struct arrival arrival,
                                     struct phase_name name))
{
    const union cycle_word *end = log->count ? log->words + log->count : log->words;

    for (const union cycle_word *word = log->words; word < end; word = word_behind(word)) {
        if (word->head.kind != WORD_REQUEST || word->request.space != REQUEST_PHASE)
            continue;
        for (uint32_t i = 1; i < word->request.words; i += 2)
            if (word[i + 1].phase.number)
                visit(phases, word[i].arrival, word[i + 1].phase);
    }
}

static void widen(struct phases *phases, struct arrival arrival, struct phase_name name)
{
    uint32_t *most = &phases->first[name.barrier + 1];

    (void)arrival;
    if (name.number > *most)
        *most = name.number;
}

static void expect(struct phases *phases, struct arrival arrival, struct phase_name name)
{
    if (!arrival.waits)
        phase_of(phases, name)->expected++;
}

void phases_start(struct phases *phases, const struct warp_log *logs, int count)
{
    *phases = (struct phases){0};
    for (int i = 0; i < count; i++)
        each_phase(phases, &logs[i], widen);
    for (int i = 0; i < PHASE_BARRIERS; i++)
        phases->first[i + 1] += phases->first[i];
    phases->all = observer_allocate(phases->first[PHASE_BARRIERS] + 1, sizeof(*phases->all));
    for (int i = 0; i < count; i++)
        each_phase(phases, &logs[i], expect);
}

void phases_stop(struct phases *phases)
{
    free(phases->all);
    phases->all = NULL;
}

struct phase *phase_of(const struct phases *phases, struct phase_name name)
{
    return name.number ? &phases->all[phases->first[name.barrier] + name.number - 1] : NULL;
}

bool phase_arrive(struct phase *phase, double time, bool copied)
{
    phase->arrived++;
    if (time >= phase->latest) {
        phase->latest = time;
        phase->copied = copied;
    }
    return phase->arrived == phase->expected;
}
