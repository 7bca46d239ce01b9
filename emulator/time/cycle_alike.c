/* SPDX-License-Identifier: MIT */
#include "time/cycle_alike.h"

#include <stdlib.h>

#include "machine/observer_memory.h"

/* All blocks run, whatever they are like, if together they issue fewer warp instructions than
 * WORTH_IT, or use more lines than TOO_LONG. */
static const double WORTH_IT = 5e7, TOO_LONG = 5e8;
/* Units, of which a byte each is kept. */
enum { MOST_UNITS = 1 << 24 };

enum unit_state { LEFT_OUT, LOGGED, RUN };

/* Adds the unit unless it is there. Returns its index among the witnesses. */
static int add_witness(struct cycle_alike *alike, uint64_t unit)
{
    for (int i = 0; i < alike->witness_count; i++)
        if (alike->witnesses[i].unit == unit)
            return i;
    alike->witnesses[alike->witness_count] =
        (struct witness){unit, observer_allocate(alike->size, sizeof(*alike->witnesses[0].blocks))};
    return alike->witness_count++;
}

static void choose_witnesses(struct cycle_alike *alike)
{
    const struct dim units = alike->units;
    const uint64_t steps[] = {1, units.x, (uint64_t)units.x * units.y};
    const uint32_t sizes[] = {units.x, units.y, units.z};
    uint64_t dice = 1;

    add_witness(alike, 0);
    for (int i = 0; i < 3; i++)
        alike->step[i] = sizes[i] > 1 ? add_witness(alike, steps[i]) : 0;
    add_witness(alike, units.x - 1);
    add_witness(alike, (uint64_t)units.x * (units.y - 1));
    add_witness(alike, alike->count - 1);
    add_witness(alike, dim_number(units, (struct dim){units.x / 2, units.y / 2, units.z / 2}));
    while (alike->witness_count < WITNESSES / 2 + 4 && dice < 1000) {
        dice++;
        add_witness(alike, hash_spread(dice) % alike->count);
    }
}

static uint64_t unit_of(const struct cycle_alike *alike, struct dim block)
{
    const struct dim size = alike->cluster;

    return dim_number(alike->units,
                      (struct dim){block.x / size.x, block.y / size.y, block.z / size.z});
}

uint64_t alike_number(const struct cycle_alike *alike, uint64_t unit, uint64_t rank)
{
    const struct dim size = alike->cluster;
    const struct dim at = dim_at(alike->units, unit), in = dim_at(size, rank);

    return dim_number(alike->grid, (struct dim){at.x * size.x + in.x, at.y * size.y + in.y,
                                                at.z * size.z + in.z});
}

void alike_begin(struct cycle_alike *alike, const struct launch *launch, uint64_t every,
                 uint64_t logged)
{
    const struct dim grid = launch->grid, size = launch->cluster;
    const struct dim units = {grid.x / size.x, grid.y / size.y, grid.z / size.z};

    *alike = (struct cycle_alike){.grid = grid,
                                  .cluster = size,
                                  .units = units,
                                  .count = dim_count(units),
                                  .size = dim_count(size)};
    if (alike->count < 4 * WITNESSES || alike->count > MOST_UNITS)
        return;
    alike->state = observer_allocate(alike->count, sizeof(*alike->state));
    choose_witnesses(alike);
    for (uint64_t i = 0; i < logged; i++)
        alike->state[unit_of(alike, dim_at(grid, i * every))] = LOGGED;
}

void alike_end(struct cycle_alike *alike)
{
    for (int i = 0; i < alike->witness_count; i++) {
        for (uint64_t rank = 0; rank < alike->size; rank++)
            free(alike->witnesses[i].blocks[rank].all);
        free(alike->witnesses[i].blocks);
    }
    free(alike->state);
    *alike = (struct cycle_alike){0};
}

/* The line that the block's unit uses where the first one uses the use numbered `i`. */
static uint64_t line_at(const struct cycle_alike *alike, struct dim at, uint64_t rank, size_t i)
{
    const uint64_t steps[] = {at.x, at.y, at.z};
    const uint64_t first = alike->witnesses[0].blocks[rank].all[i].use.line;
    uint64_t line = first;

    for (int d = 0; d < 3; d++)
        if (alike->step[d])
            line +=
                steps[d] * (alike->witnesses[alike->step[d]].blocks[rank].all[i].use.line - first);
    return line;
}

/* Does the witness make the first one's requests, wherever? */
static bool asks_alike(const struct raw_uses *first, const struct raw_uses *uses)
{
    if (uses->count != first->count || uses->issued != first->issued)
        return false;
    for (size_t i = 0; i < uses->count; i++) {
        union line_use there = uses->all[i].use, here = first->all[i].use;
        here.line = there.line;
        if (here.word != there.word || uses->all[i].when != first->all[i].when)
            return false;
    }
    return true;
}

static bool is_on_steps(const struct cycle_alike *alike, const struct witness *witness,
                        uint64_t rank)
{
    const struct raw_uses *uses = &witness->blocks[rank];
    const struct dim at = dim_at(alike->units, witness->unit);

    for (size_t i = 0; i < uses->count; i++)
        if (line_at(alike, at, rank, i) != uses->all[i].use.line)
            return false;
    return true;
}

/* All have run: are the others like them? */
static bool decide(const struct cycle_alike *alike)
{
    const struct witness *first = &alike->witnesses[0], *end = first + alike->witness_count;
    double issued = 0, used = 0;

    for (uint64_t rank = 0; rank < alike->size; rank++) {
        issued += (double)first->blocks[rank].issued;
        used += (double)first->blocks[rank].count;
    }
    if (issued * (double)alike->count < WORTH_IT || used * (double)alike->count > TOO_LONG)
        return false;
    for (uint64_t rank = 0; rank < alike->size; rank++) {
        for (const struct witness *other = first + 1; other < end; other++)
            if (!asks_alike(&first->blocks[rank], &other->blocks[rank]))
                return false;
        for (const struct witness *other = first + 1; other < end; other++)
            if (!is_on_steps(alike, other, rank))
                return false;
    }
    return true;
}

bool alike_next(struct cycle_alike *alike, uint64_t *first, uint64_t *end)
{
    if (alike->given == alike->witness_count) {
        alike->holds = alike->holds || (!alike->decided && alike->state && decide(alike));
        alike->decided = true;
        return false;
    }
    const uint64_t unit = alike->witnesses[alike->given++].unit;
    alike->state[unit] = RUN;
    *first = unit * alike->size;
    *end = *first + alike->size;
    return true;
}

/* Is it to run, and has not yet? */
static bool is_wanted(const struct cycle_alike *alike, uint64_t unit)
{
    return !alike->state || alike->state[unit] == LOGGED ||
           (alike->state[unit] == LEFT_OUT && !alike->holds);
}

bool alike_among(struct cycle_alike *alike, uint64_t *first, uint64_t *end)
{
    uint64_t unit = *first / alike->size;
    const uint64_t last = *end / alike->size;

    while (unit < last && !is_wanted(alike, unit))
        unit++;
    *first = unit * alike->size;
    for (; unit < last && is_wanted(alike, unit); unit++)
        if (alike->state)
            alike->state[unit] = RUN;
    *end = unit * alike->size;
    return *first < *end;
}

struct raw_uses *alike_witness(struct cycle_alike *alike, struct dim block)
{
    const struct dim size = alike->cluster;

    if (alike->given == 0 || alike->decided)
        return NULL;
    const struct dim rank = {block.x % size.x, block.y % size.y, block.z % size.z};
    return &alike->witnesses[alike->given - 1].blocks[dim_number(size, rank)];
}

bool alike_left_out(const struct cycle_alike *alike, uint64_t unit)
{
    return alike->holds && alike->state[unit] == LEFT_OUT;
}

uint64_t alike_predict(const struct cycle_alike *alike, uint64_t unit, uint64_t rank,
                       const struct l2 *l2, struct block_uses *uses)
{
    const struct raw_uses *first = &alike->witnesses[0].blocks[rank];
    const struct dim at = dim_at(alike->units, unit);

    for (size_t i = 0; i < first->count; i++) {
        union line_use use = first->all[i].use;
        use.line = line_at(alike, at, rank, i);
        cycle_keep_use(l2, uses, use, first->all[i].when);
    }
    return first->issued;
}
