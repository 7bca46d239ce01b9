/* SPDX-License-Identifier: MIT */
/* Which blocks of a sampled launch run, and what they say of those that do not. */
#include "../../cmocka_main.h"

#include <math.h>
#include <stdlib.h>

#include "machine/observer_memory.h"
#include "time/cycle_alike.h"
#include "time/cycle_traffic.h"
#include "time/cycle_waves.h"

enum { AT_ONCE = 100, HEAD = 3 };

typedef double work_function(double at); /* of a block, by its place in the grid, from 0 to 1 */

static double same(double at)
{
    return 5 + 0 * at;
}

static double growing(double at)
{
    return 1 + 7 * at;
}

static double curved(double at)
{
    return 1 + at * at * 10;
}

static double late(double at)
{
    return at < 0.37 ? 0 : 8;
}

static double peak(double at)
{
    return at > 0.6 && at < 0.8 ? 20 : 4;
}

struct outcome {
    double kept, work, weight; /* blocks that ran; the work they stand for; blocks */
};

/* Run a launch of which a wave issues so many instructions. */
static struct outcome run_waves(uint64_t blocks, double issued, work_function *work_of)
{
    struct cycle_waves waves = waves_of(blocks, AT_ONCE, HEAD);
    unsigned char *ran = calloc(blocks, 1);
    struct outcome outcome = {0};
    uint64_t first, end;

    while (waves_next(&waves, issued, &first, &end)) {
        struct wave_run *run = waves_current(&waves);
        assert_true(first < end && end <= blocks);
        for (uint64_t i = first; i < end; i++)
            assert_int_equal(ran[i]++, 0);
        for (uint64_t i = run ? run->counted * AT_ONCE : end; i < end; i++)
            run->work +=
                work_of((double)i / (double)blocks) / (double)(end - run->counted * AT_ONCE);
    }
    for (uint64_t i = 0; i < blocks; i++) {
        const double weight = ran[i] ? waves_weight(&waves, i) : 0;
        outcome.kept += ran[i];
        outcome.weight += weight;
        outcome.work += weight * work_of((double)i / (double)blocks);
    }
    free(ran);
    return outcome;
}

/* The sum of all blocks' work, from those that ran. */
static void expect_close(work_function *work_of)
{
    enum { BLOCKS = 199950 };
    const struct outcome outcome = run_waves(BLOCKS, 1e7, work_of);
    double all = 0;

    for (int i = 0; i < BLOCKS; i++)
        all += work_of((double)i / BLOCKS);
    assert_true(outcome.kept < BLOCKS / 10);
    assert_float_equal(outcome.weight, BLOCKS, 1e-3);
    assert_float_equal(outcome.work / all, 1, 0.01);
}

TEST(work_of_waves)
{
    expect_close(same);
    expect_close(growing);
    expect_close(curved);
    expect_close(late);
    expect_close(peak);
}

/* Short launches run as a whole, and so do those of few waves. */
TEST(whole_launches)
{
    for (uint64_t blocks = 1; blocks < 2000; blocks += 37) {
        assert_true(run_waves(blocks, 1000, same).kept == (double)blocks);
        assert_true(run_waves(blocks, 1e9, same).kept == (double)blocks || blocks >= 700);
    }
}

/* Blocks that use three lines each: see uses_of(). */
struct kernel {
    struct dim grid, cluster;
    bool swizzled, guarded;
};

/* The lines of the unit's blocks; a block of another rank uses others. */
static void uses_of(const struct kernel *kernel, struct dim at, uint64_t rank,
                    struct raw_uses *uses)
{
    const uint64_t x = kernel->swizzled && at.y > 9 ? at.x ^ 1 : at.x;
    const uint64_t lines[] = {1000 + 4 * x, 90000 - 3 * at.y + rank, 5000 + x + 64 * at.y};
    const bool last = kernel->guarded && at.x + 1 == kernel->grid.x / kernel->cluster.x;

    uses->issued = 1000000;
    for (uint32_t i = 0; i < (last ? 2 : 3); i++) {
        MAKE_ROOM(uses->all, uses->count, uses->room);
        uses->all[uses->count++] = (struct raw_use){
            .use = {.index = i, .writes = i == 2, .sectors = 15, .line = lines[i]}, .when = i};
    }
}

/* Are blocks left out? Then compare each with what it would have used. */
static bool leaves_out(const struct kernel *kernel)
{
    const struct launch launch = {.grid = kernel->grid, .cluster = kernel->cluster};
    struct cycle_alike alike;
    struct l2 l2 = {.shift = 0};
    uint64_t first, end;

    alike_begin(&alike, &launch, 10, 30);
    while (alike_next(&alike, &first, &end)) {
        const struct dim at = dim_at(alike.units, first / alike.size);
        assert_int_equal(end - first, alike.size);
        assert_true(end <= dim_count(kernel->grid));
        for (uint64_t rank = 0; rank < alike.size; rank++) {
            const struct dim in = dim_at(kernel->cluster, rank);
            uses_of(kernel, at, rank,
                    alike_witness(&alike, (struct dim){at.x * kernel->cluster.x + in.x,
                                                       at.y * kernel->cluster.y + in.y, at.z}));
        }
    }
    const bool holds = alike.holds;
    for (uint64_t unit = 0; unit < alike.count && holds; unit++)
        for (uint64_t rank = 0; rank < alike.size && alike_left_out(&alike, unit); rank++) {
            struct raw_uses truth = {0};
            struct block_uses uses = {.raw = NULL};
            uses_of(kernel, dim_at(alike.units, unit), rank, &truth);
            assert_int_equal(alike_predict(&alike, unit, rank, &l2, &uses), truth.issued);
            assert_int_equal(uses.count, truth.count);
            for (uint32_t i = 0; i < uses.count; i++)
                assert_int_equal(uses.all[i].word, truth.all[i].use.word);
            assert_true(alike_number(&alike, unit, rank) % 10 != 0 ||
                        alike_number(&alike, unit, rank) >= 300);
            free(truth.all);
            free(uses.all);
            free(uses.when);
        }
    alike_end(&alike);
    return holds;
}

TEST(blocks_alike)
{
    const struct dim one = {1, 1, 1}, grid = {32, 40, 1};

    assert_true(leaves_out(&(struct kernel){grid, one, false, false}));
    assert_true(leaves_out(&(struct kernel){{500, 1, 1}, one, false, false}));
    assert_true(leaves_out(&(struct kernel){{1, 500, 1}, one, false, false}));
    assert_true(leaves_out(&(struct kernel){{8, 1, 500}, one, false, false}));
    assert_true(leaves_out(&(struct kernel){{32, 20, 2}, one, false, false}));
    assert_true(leaves_out(&(struct kernel){grid, {2, 1, 1}, false, false}));
    assert_true(leaves_out(&(struct kernel){grid, {1, 4, 1}, false, false}));
    assert_false(leaves_out(&(struct kernel){grid, one, true, false}));
    assert_false(leaves_out(&(struct kernel){grid, one, false, true}));
    assert_false(leaves_out(&(struct kernel){{6, 6, 1}, one, false, false})); /* not worth it */
}

/* A block's uses go in the order of time, of which there are 256 parts; in a part, as they came. */
TEST(uses_in_order)
{
    enum { COUNT = 3000 };
    static const uint32_t lasts[] = {1, 254, 255, 256, 767, 1000003, UINT32_MAX - 1, UINT32_MAX};

    for (size_t k = 0; k < sizeof(lasts) / sizeof(*lasts); k++) {
        const uint64_t span = (uint64_t)lasts[k] + 1;
        struct block_uses uses = {.count = COUNT, .room = COUNT};
        uses.all = observer_allocate(COUNT, sizeof(*uses.all));
        uses.when = observer_allocate(COUNT, sizeof(*uses.when));
        uint32_t when[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) { /* at the beginnings of parts, and just before */
            const uint64_t part = i * UINT64_C(7919) % 256, begin = (part * span + 255) / 256;
            when[i] = i == 0 ? lasts[k] : (uint32_t)(begin - (i % 2 && begin > 0));
            uses.when[i] = when[i];
            uses.all[i].word = i;
        }
        cycle_order_uses(&uses);
        for (uint32_t i = 1; i < COUNT; i++) {
            const uint64_t before = uses.all[i - 1].word, here = uses.all[i].word;
            const uint64_t last = when[before] * UINT64_C(256) / span;
            const uint64_t part = when[here] * UINT64_C(256) / span;
            assert_true(last < part || (last == part && before < here));
        }
        free(uses.all);
        free(uses.when);
    }
}

TEST_MAIN()
