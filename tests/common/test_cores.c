/* SPDX-License-Identifier: MIT */
/* cores.c: of a machine's cores, those that were left to us. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "cores.h"

#include <sched.h>

#include "unit.h"

TEST(test_no_more_than_allowed)
{
    cpu_set_t all, one;
    int first = 0;

    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    assert_int_equal(usable_cores(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(usable_cores(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

TEST_MAIN()
