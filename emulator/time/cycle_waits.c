/* SPDX-License-Identifier: MIT */
#include "time/cycle_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { MOST = 1 << 21 }; /* crossings of a launch, and versions */

/* The writes of an address, in their order. */
struct written {
    uint64_t address;
    uint32_t first, last; /* numbers of versions */
};

/* The version of an address that a block saw last. */
struct seen {
    uint64_t key;
    uint32_t version;
};

/* From one crossing of a warp to the next, by their instructions. */
struct leg {
    uint64_t key;
    double clocks, count; /* sums over the logged warps */
};

/* Returns false if the version is among them. */
static bool add_source(struct cycle_waits *waits, struct crossing *crossing, uint32_t version)
{
    for (uint32_t i = 0; i < crossing->count; i++)
        if (waits->sources[crossing->first + i] == version)
            return false;
    MAKE_ROOM(waits->sources, waits->source_count, waits->source_room);
    waits->sources[waits->source_count++] = version;
    crossing->count++;
    return true;
}

/* The plain model (plain.c) takes the same accesses for waits. */
static bool reads(const struct access_event *event)
{
    return event->kind == ACCESS_LOAD || event->woke;
}

static uint32_t writer_of(const struct cycle_waits *waits, uint32_t version)
{
    return waits->all[waits->versions[version].crossing].block;
}

/* The first version, from this one on, that is another block's. */
static uint32_t skip_own(const struct cycle_waits *waits, uint32_t version, uint32_t block)
{
    while (version && writer_of(waits, version) == block)
        version = waits->versions[version].next;
    return version;
}

/* The version of the address that the block waits for: what it finds, if it slept until then or if
 * that adds to others'. Otherwise the next after what it saw last: it might be content with it. */
static void wait_for(struct cycle_waits *waits, struct crossing *crossing, uint64_t address,
                     bool slept)
{
    const struct written *written = hash_table_find(&waits->written, sizeof(*written), address);

    if (!written)
        return;
    struct seen *seen = hash_table_make(&waits->seen, sizeof(*seen),
                                        hash_spread(address) ^ hash_spread(crossing->block + 1));
    const struct version *last = &waits->versions[written->last];
    const uint32_t next = seen->version ? waits->versions[seen->version].next : written->first;
    const uint32_t at =
        last->adds_to_others ? written->last
        : slept ? (writer_of(waits, written->last) == crossing->block ? 0 : written->last)
                : skip_own(waits, next, crossing->block);
    seen->version = written->last;
    if (at && add_source(waits, crossing, at))
        waits->versions[at].readers++;
}

static void note_write(struct cycle_waits *waits, const struct crossing *crossing, uint64_t address,
                       bool adds)
{
    struct written *written = hash_table_make(&waits->written, sizeof(*written), address);
    const uint32_t before = written->last;

    if (before && waits->versions[before].crossing == waits->count) /* of another lane */
        return;
    MAKE_ROOM(waits->versions, waits->version_count, waits->version_room);
    if (waits->version_count == 0) /* that number is none */
        waits->versions[waits->version_count++] = (struct version){.time = 0};
    written->last = waits->version_count++;
    waits->versions[written->last] = (struct version){
        .crossing = waits->count,
        .before = adds ? before : 0,
        .adds_to_others =
            adds && before &&
            (waits->versions[before].adds_to_others || writer_of(waits, before) != crossing->block),
    };
    *(before ? &waits->versions[before].next : &written->first) = written->last;
}

uint32_t waits_note(struct cycle_waits *waits, const struct access_event *event, uint64_t number,
                    size_t index)
{
    struct crossing crossing = {.block = (uint32_t)number,
                                .warp = warp_id(event->warp).index,
                                .index = (uint32_t)index,
                                .first = waits->source_count,
                                .issued = warp_issued(event->warp)};

    if (waits->count == MOST || waits->version_count > MOST || waits->source_count > MOST)
        return WAITS_NONE;
    EACH_LANE(lane, reads(event) ? event->lanes : 0)
        wait_for(waits, &crossing, event->addresses[lane], event->woke);
    if (event->kind == ACCESS_LOAD && crossing.count == 0)
        return WAITS_NONE;
    MAKE_ROOM(waits->all, waits->count, waits->room);
    waits->all[waits->count] = crossing;
    EACH_LANE(lane, event->kind != ACCESS_LOAD ? event->lanes : 0)
        note_write(waits, &crossing, event->addresses[lane], event->kind == ACCESS_ATOMIC);
    return waits->count++;
}

void waits_prepare(struct cycle_waits *waits, size_t rows)
{
    waits->times.met = observer_allocate(waits->count + 1, sizeof(double));
    waits->times.until = observer_allocate(waits->count + 1, sizeof(double));
    waits->times.begins = observer_allocate(WAITS_SMS * rows + 1, sizeof(double));
    for (uint32_t i = 0; i < waits->count; i++)
        waits->times.met[i] = -1;
}

void waits_free(struct cycle_waits *waits)
{
    hash_table_free(&waits->written);
    hash_table_free(&waits->seen);
    free(waits->versions);
    free(waits->all);
    free(waits->sources);
    free(waits->times.met);
    free(waits->times.until);
    free(waits->times.begins);
    *waits = (struct cycle_waits){.count = 0};
}

/* Where the solution is under way. */
struct solution {
    struct cycle_waits *waits;
    const struct waits_launch *launch;
    struct hash_table legs;
    uint32_t *before; /* by warp of all blocks: its last crossing + 1 */
    double *alone; /* and when that was, since the block began, if nobody waited */
    double *late; /* by block: clocks that it has waited; below 0: it has not begun */
    double *times; /* of the crossings */
};

static size_t warp_of(const struct solution *solution, const struct crossing *crossing)
{
    return (size_t)crossing->block * solution->launch->warps + crossing->warp;
}

static uint64_t key_of(const struct solution *solution, uint32_t before, uint32_t index)
{
    const uint32_t from = before ? solution->waits->all[before - 1].index + 1 : 0;

    return (uint64_t)from * (solution->launch->instrs + 2) + index + 1;
}

static void add_leg(struct solution *solution, uint32_t before, uint32_t index, double clocks)
{
    struct leg *leg =
        hash_table_make(&solution->legs, sizeof(*leg), key_of(solution, before, index));

    leg->clocks += clocks;
    leg->count++;
}

static uint64_t rows_of(const struct waits_launch *launch)
{
    return (launch->blocks + launch->sms - 1) / launch->sms;
}

/* Where the logged block is in the times of its kind, by SM and row. */
static size_t place_of(const struct waits_launch *launch, uint64_t block)
{
    return sm_of_block(launch->sms, launch->ranks, block) * rows_of(launch) + block / launch->sms;
}

/* How long the logged warps took from one crossing to the next, and to the end of the block. */
static void learn(struct solution *solution)
{
    const struct waits_launch *launch = solution->launch;
    const struct sm_waits *times = &solution->waits->times;

    for (uint32_t i = 0; i < solution->waits->count; i++) {
        const struct crossing *crossing = &solution->waits->all[i];
        uint32_t *before = &solution->before[warp_of(solution, crossing)];
        if (times->met[i] < 0)
            continue;
        const double from =
            *before ? times->met[*before - 1] : times->begins[place_of(launch, crossing->block)];
        add_leg(solution, *before, crossing->index, times->met[i] - from);
        *before = i + 1;
    }
    for (uint64_t warp = 0; warp < launch->blocks * launch->warps; warp++) {
        const uint32_t last = solution->before[warp];
        if (last)
            add_leg(solution, last, launch->instrs,
                    launch->ends[place_of(launch, warp / launch->warps)] - times->met[last - 1]);
        solution->before[warp] = 0;
    }
}

/* Clocks from the warp's last crossing to instruction `index`; 0: no logged warp has come so. */
static double leg_of(const struct solution *solution, uint32_t before, uint32_t index)
{
    const struct leg *leg =
        hash_table_find(&solution->legs, sizeof(*leg), key_of(solution, before, index));

    return leg ? leg->clocks / leg->count : 0;
}

/* The same to the next crossing: where no logged warp has come so, as in a chain of sums. */
static double clocks_to(const struct solution *solution, uint32_t before, uint32_t number)
{
    const struct crossing *all = solution->waits->all;
    const double clocks = leg_of(solution, before, all[number].index);
    const uint64_t issued = all[number].issued - (before ? all[before - 1].issued : 0);

    return clocks > 0 ? clocks : (double)issued * solution->launch->gpu->arithmetic_latency;
}

/* The block, if it begins now, is late by as much as the one in whose place it comes. */
static double *late(const struct solution *solution, uint64_t block)
{
    const uint64_t at_once = solution->launch->sms * solution->launch->resident;
    double *late = &solution->late[block];

    if (*late < 0)
        *late = block < at_once ? 0 : fmax(solution->late[block - at_once], 0);
    return late;
}

/* When the block begins if nobody waits: all begin one after the other. */
static double begin_of(const struct solution *solution, uint64_t block)
{
    const struct waits_launch *launch = solution->launch;

    return solution->waits->times.begins[block / launch->sms] +
           (double)(block % launch->sms) * launch->block_clocks;
}

/* When all that wait for the version have found it. Where they read one word more often than L2
 * answers, they queue there: the write behind their reads, then each for a read that comes too
 * early and for the one that finds it. */
static double found(const struct solution *solution, uint32_t number)
{
    const struct waits_launch *launch = solution->launch;
    const struct version *version = &solution->waits->versions[number];
    const double all_read = (version->readers - 1) * launch->gpu->atomic_line_clocks;

    return version->time + 3 * fmax(all_read - launch->poll_clocks, 0);
}

/* The crossing writes these versions, of which each may add to one before. */
static void write(const struct solution *solution, uint32_t *next, uint32_t number)
{
    struct version *versions = solution->waits->versions;

    for (; *next < solution->waits->version_count && versions[*next].crossing == number; ++*next)
        versions[*next].time = fmax(solution->times[number], versions[versions[*next].before].time);
}

/* When the warp comes here; if that is too early, when it has read so often that it is not. */
static void cross(struct solution *solution, uint32_t number)
{
    const struct crossing *crossing = &solution->waits->all[number];
    const size_t warp = warp_of(solution, crossing);
    double *until = &solution->waits->times.until[number];
    double *behind = late(solution, crossing->block);

    solution->alone[warp] += clocks_to(solution, solution->before[warp], number);
    solution->before[warp] = number + 1;
    for (uint32_t i = 0; i < crossing->count; i++)
        *until = fmax(*until, found(solution, solution->waits->sources[crossing->first + i]));
    const double first = begin_of(solution, crossing->block) + solution->alone[warp] + *behind;
    const double polls = fmax(ceil((*until - first) / solution->launch->poll_clocks), 0);
    *behind += polls * solution->launch->poll_clocks;
    solution->times[number] = first + polls * solution->launch->poll_clocks;
}

/* When the block ends: its last crossing tells. */
static double end_of(const struct solution *solution, uint64_t block)
{
    const struct waits_launch *launch = solution->launch;
    const uint32_t *before = &solution->before[block * launch->warps];
    double end = 0;

    for (uint32_t warp = 0; warp < launch->warps; warp++)
        if (before[warp])
            end = fmax(end, solution->times[before[warp] - 1] +
                                leg_of(solution, before[warp], launch->instrs));
    return end > 0 ? end : launch->ends[block / launch->sms] + *late(solution, block);
}

/* By how much the last block of all ends later than the last one of SM 0. */
static double excess_of(const struct solution *solution)
{
    const struct waits_launch *launch = solution->launch;
    double last = 0, last_here = 0;

    for (uint64_t block = 0; block < launch->blocks; block++) {
        const double end = end_of(solution, block);
        last = fmax(last, end);
        if (sm_of_block(launch->sms, launch->ranks, block) == 0)
            last_here = fmax(last_here, end);
    }
    return last - last_here;
}

void waits_solve(struct cycle_waits *waits, const struct waits_launch *launch)
{
    const size_t warps = launch->blocks * launch->warps;
    struct solution solution = {
        .waits = waits,
        .launch = launch,
        .before = observer_allocate(warps, sizeof(*solution.before)),
        .alone = observer_allocate(warps, sizeof(*solution.alone)),
        .late = observer_allocate(launch->blocks, sizeof(*solution.late)),
        .times = observer_allocate(waits->count + 1, sizeof(*solution.times)),
    };

    for (uint64_t block = 0; block < launch->blocks; block++)
        solution.late[block] = -1;
    learn(&solution);
    for (uint32_t i = 0, version = 1; i < waits->count; i++) {
        cross(&solution, i);
        write(&solution, &version, i);
    }
    waits->excess = excess_of(&solution);
    hash_table_free(&solution.legs);
    free(solution.before);
    free(solution.alone);
    free(solution.late);
    free(solution.times);
}
