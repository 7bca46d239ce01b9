/* SPDX-License-Identifier: MIT */
/* Forms of the source of the reduction that run on the host, as printed. */
#include <math.h>
#include <stdbool.h>

#include "../cmocka_main.h"
#include "compare.h"

/* The comparison of check(): it says something only where this is true. */
static bool article_differs(float result, float reference)
{
    return fabs((double)(result - reference)) > 0.0001;
}

TEST(test_check_passes_nan)
{
    assert_false(article_differs(NAN, 1));
    assert_false(compare_float((double)NAN, 1, 0.0001).match);
}

enum { ELEMENTS = 32 * 1024 * 1024, BLOCKS = ELEMENTS / 256 };

/* A block of 128 threads adds up 256 numbers, and the macro without parentheses gives their number.
 * What it says, 128 threads, would make it four times as many. */
TEST(test_macro_is_right_by_luck)
{
#define ThreadsPerBlock 256 / 2 /* NOLINT(bugprone-macro-parentheses) */
    assert_int_equal(ELEMENTS / ThreadsPerBlock * 2, BLOCKS);
#undef ThreadsPerBlock
#define ThreadsPerBlock (256 / 2)
    assert_int_equal(ELEMENTS / ThreadsPerBlock * 2, 4 * BLOCKS);
#undef ThreadsPerBlock
}

/* The CPU check pairs as the kernel does, so the two agree; against every element they do not. */
TEST(test_check_repeats_the_pairing)
{
    enum { THREADS = 4, GRID = 3, COUNT = 2 * THREADS * GRID };
    int times[COUNT] = {0};
    int twice = 0, never = 0;

    for (int i = 0; i < THREADS * GRID; i++) {
        times[i]++;
        times[i + GRID]++;
    }
    for (int i = 0; i < COUNT; i++) {
        twice += times[i] == 2;
        never += times[i] == 0;
    }
    assert_int_equal(twice, THREADS * GRID - GRID);
    assert_int_equal(never, THREADS * GRID - GRID);
}

TEST_MAIN()
