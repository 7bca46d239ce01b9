/* SPDX-License-Identifier: MIT */
/* In which order blocks start: each once, in groups that stay in order. */
#include <string.h>

#include "../../cmocka_main.h"
#include "machine/launch.h"
#include "test_gpu.h"

enum { MOST = 40, SEEDS = 20 };

/* The clusters of a launch, `group` at a time, in the order they start. */
static void order_of(struct schedule schedule, unsigned clusters, unsigned group, unsigned *order)
{
    const struct gpu gpu = test_gpu(80);
    struct machine *machine = machine_new(&gpu, 1);
    struct launch_state launch = {
        .machine = machine, .block_count = clusters, .cluster_size = 1, .group = group};

    assert_non_null(machine);
    machine_set_schedule(machine, schedule);
    launch_choose_stride(&launch);
    for (unsigned i = 0; i < clusters; i++)
        order[i] = (unsigned)launch_cluster_at(&launch, i);
    machine_free(machine);
}

TEST(test_in_order)
{
    static const unsigned reverse[] = {3, 2, 1, 0, 7, 6, 5, 4, 9, 8};
    unsigned order[MOST];

    order_of((struct schedule){SCHEDULE_FORWARD, 0}, 10, 4, order);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(order[i], i);
    order_of((struct schedule){SCHEDULE_REVERSE, 0}, 10, 4, order);
    assert_memory_equal(order, reverse, sizeof(reverse));
}

/* Each block of a group once, and the groups one after another. */
static void expect_groups(const unsigned *order, unsigned clusters, unsigned group)
{
    for (unsigned start = 0; start < clusters; start += group) {
        const unsigned end = start + group < clusters ? start + group : clusters;
        uint64_t seen = 0;

        for (unsigned i = start; i < end; i++) {
            assert_in_range(order[i], start, end - 1);
            assert_false(seen >> order[i] & 1);
            seen |= UINT64_C(1) << order[i];
        }
    }
}

/* Any block may be the first of all, and the next one need not be its neighbour. */
TEST(test_random)
{
    unsigned order[MOST], first_is_first = 0, next_is_next = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (unsigned group = 1; group <= 12; group++)
            for (unsigned clusters = 1; clusters <= MOST; clusters++) {
                order_of((struct schedule){SCHEDULE_RANDOM, seed}, clusters, group, order);
                expect_groups(order, clusters, group);
            }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        order_of((struct schedule){SCHEDULE_RANDOM, seed}, MOST, MOST, order);
        first_is_first += order[0] == 0;
        next_is_next += order[1] == (order[0] + 1) % MOST;
    }
    assert_in_range(first_is_first, 0, SEEDS / 2);
    assert_in_range(next_is_next, 0, SEEDS / 2);
}

/* And the blocks of a cluster. */
TEST(test_ranks)
{
    const struct gpu gpu = test_gpu(80);
    struct machine *machine = machine_new(&gpu, 1);
    struct launch_state launch = {
        .machine = machine, .block_count = 16, .cluster_size = 4, .group = 4, .first = 1};

    assert_non_null(machine);
    for (uint32_t n = 0; n < 4; n++) {
        machine_set_schedule(machine, (struct schedule){SCHEDULE_FORWARD, 0});
        assert_int_equal(launch_rank_at(&launch, n), n);
        machine_set_schedule(machine, (struct schedule){SCHEDULE_REVERSE, 0});
        assert_int_equal(launch_rank_at(&launch, n), 3 - n);
        machine_set_schedule(machine, (struct schedule){SCHEDULE_RANDOM, 7});
        assert_int_equal(launch_rank_at(&launch, n), (n + 1) % 4);
    }
    machine_free(machine);
}

TEST_MAIN()
