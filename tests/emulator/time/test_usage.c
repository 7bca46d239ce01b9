/* SPDX-License-Identifier: MIT */
/* Kernels that share a GPU: how much longer each takes, and when the GPU is free. */
#include "../../cmocka_main.h"

#include "time/usage.h"

TEST(room_for_both)
{
    struct usage usage = {0};

    assert_true(usage_take(&usage, 0, 0, 10, 0.5) == 0);
    assert_true(usage_take(&usage, 0, 2, 10, 0.25) == 0);
    assert_true(usage_free_from(&usage, 3) == 3);
    /* A quarter is left until 10, three quarters until 12. */
    assert_float_equal(usage_take(&usage, 0, 4, 10, 1), (10 - 4) * 0.75 + (12 - 10) * 0.25, 1e-9);
    usage_clear(&usage);
}

TEST(one_after_the_other)
{
    struct usage usage = {0};

    for (int i = 0; i < 1000; i++) {
        assert_true(usage_free_from(&usage, 0) == 10.0 * i);
        assert_true(usage_take(&usage, 0, 10.0 * i, 10, 1) == 0);
    }
    assert_true(usage.room < 10); /* one span */
    usage_clear(&usage);
}

/* Who comes later waits for the rest, and slows nobody down. */
TEST(later_is_slower)
{
    struct usage usage = {0};

    assert_true(usage_take(&usage, 0, 0, 10, 0.75) == 0);
    assert_float_equal(usage_take(&usage, 0, 0, 10, 0.75), 20.0 / 3, 1e-9);
    assert_true(usage_free_from(&usage, 0) == 10);
    assert_true(usage_free_from(&usage, 9) == 10);
    /* Shares that make 1 but for rounding leave nothing. */
    assert_true(usage_take(&usage, 0, 100, 10, 0.1) == 0);
    for (int i = 0; i < 3; i++)
        assert_true(usage_take(&usage, 0, 100, 10, 0.3) < 1e-6);
    assert_true(usage_free_from(&usage, 100) >= 110);
    usage_clear(&usage);
}

/* What is over is forgotten when there would be no room. */
TEST(forgets)
{
    struct usage usage = {0};

    for (int i = 0; i < 10000; i++)
        assert_true(usage_take(&usage, 10.0 * i, 10.0 * i, 5, i % 2 ? 0.5 : 0.25) == 0);
    assert_true(usage.room < 100);
    usage_clear(&usage);
}

TEST_MAIN()
