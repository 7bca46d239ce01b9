/* SPDX-License-Identifier: MIT */
/* Goals and predictions: what they mean, and what they are not. */
#include <math.h>
#include <string.h>

#include "../cmocka_main.h"
#include "goal.h"

static const struct counts counts = {
    .counters = {[PROFILE_GLOBAL_LOADS] = 10, [PROFILE_GLOBAL_LOAD_SECTORS] = 40},
    .launches = 2,
    .n = 320,
};

static double number(const char *text)
{
    char error[GOAL_TEXT];
    double value;

    assert_true(goal_number(text, &counts, &value, error, sizeof(error)));
    return value;
}

TEST(test_numbers)
{
    assert_true(number("global_load_sectors / global_loads") == 4);
    assert_true(number("1 + 2 * 3 - 4 / 2") == 5);
    assert_true(number("10 - 3 - 2") == 5);
    assert_true(number("(1 + 2) * 3") == 9);
    assert_true(number(" n/32 ") == 10);
    assert_true(number("launches") == 2);
    assert_true(number("1.5") == 1.5);
    assert_true(isnan(number("global_loads / shared_loads")));
    assert_true(isnan(number("shared_loads / shared_loads")));
}

static bool met(const char *text)
{
    char error[GOAL_TEXT];
    struct goal goal;

    assert_true(goal_read(text, &counts, &goal, error, sizeof(error)));
    return goal.met;
}

TEST(test_goals)
{
    assert_true(met("loads: global_loads <= 10"));
    assert_false(met("loads: global_loads <= 9"));
    assert_true(met("loads: global_loads >= n / 32"));
    assert_false(met("loads: global_loads >= 11"));
    assert_true(met("loads: global_loads == 10"));
    assert_false(met("loads: global_loads == 9"));
    /* Nothing was counted: that meets nothing. */
    assert_false(met("ratio: shared_wavefronts / shared_loads <= 1"));
    assert_false(met("ratio: shared_wavefronts / shared_loads >= 0"));
}

TEST(test_label)
{
    char error[GOAL_TEXT];
    struct goal goal;

    assert_true(goal_read("sectors per load: global_load_sectors / global_loads <= 3", &counts,
                          &goal, error, sizeof(error)));
    assert_string_equal(goal.label, "sectors per load");
    assert_string_equal(goal.relation, "<=");
    assert_true(goal.counted == 4 && goal.wanted == 3);
}

static void refuse(const char *text, const char *why)
{
    char error[GOAL_TEXT] = "";
    struct goal goal;

    assert_false(goal_read(text, &counts, &goal, error, sizeof(error)));
    assert_non_null(strstr(error, why));
}

TEST(test_refused)
{
    refuse("global_loads <= 4", "a label and a colon");
    refuse("loads: global_lods <= 4", "no such counter at 'global_lods");
    refuse("loads: global_load <= 4", "no such counter at 'global_load ");
    refuse("loads: nn <= 4", "no such counter at 'nn ");
    refuse("loads: global_loads < 4", "<=, >= or ==");
    refuse("loads: global_loads", "<=, >= or ==");
    refuse("loads: (global_loads <= 4", "a ) is missing");
    refuse("loads: global_loads <= 4 4", "what is this at '4'");
    refuse("loads: global_loads <=", "a number or a counter");
}

TEST_MAIN()
