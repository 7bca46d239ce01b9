/* SPDX-License-Identifier: MIT */
/* compare.c: what matches, and above all what does not. */
#include <math.h>

#include "unit.h"

TEST(test_integers)
{
    struct verdict verdict = compare_integer(42, 42);

    assert_true(verdict.match);
    assert_string_equal(verdict.result, "42");
    assert_true(verdict.error == 0);
    assert_string_equal(verdict.why, "");

    verdict = compare_integer(-1, 1);
    assert_false(verdict.match);
    assert_true(verdict.error == 2);
    assert_string_equal(verdict.result, "-1");
    assert_string_equal(verdict.reference, "1");
    assert_true(verdict.why[0] != '\0');

    /* A difference that doubles do not see. */
    assert_false(compare_integer(INT64_MAX, INT64_MAX - 1).match);
    /* A difference that 64 bits do not hold. */
    assert_false(compare_integer(INT64_MIN, INT64_MAX).match);
}

TEST(test_float)
{
    assert_true(compare_float(1.0, 1.0, 0).match);
    assert_true(compare_float(1.5, 1.0, 0.5).match);
    assert_false(compare_float(1.5, 1.0, 0.25).match);
    assert_true(compare_float(1.5, 1.0, 0.25).error == 0.5);
    assert_false(compare_float(NAN, 1.0, 1e30).match);
    assert_false(compare_float(1.0, NAN, 1e30).match);
    assert_false(compare_float(1.0, 1.0, NAN).match);
    assert_false(compare_float(INFINITY, INFINITY, 1).match);
    assert_false(compare_float(-INFINITY, 0, INFINITY).match);
    assert_true(isnan(compare_float(NAN, 1.0, 1).error));
    assert_contains(compare_float(NAN, 1.0, 1).why, "finite");
    assert_string_equal(compare_float(1.5, 1.0, 0.5).why, "");
}

TEST(test_floats_match)
{
    const float result[] = {1, 2, 3.5f};
    const double reference[] = {1, 2.25, 3.5}, tolerance[] = {0, 0.25, 0};
    const struct verdict verdict = compare_floats(result, reference, tolerance, 3);

    assert_true(verdict.match);
    assert_true(verdict.error == 0.25);
    assert_true(verdict.tolerance == 0.25);
    assert_string_equal(verdict.result, "2");
    assert_string_equal(verdict.reference, "2.25");
}

/* Each element has a tolerance of its own: a large one elsewhere excuses nothing. */
TEST(test_floats_own_tolerance)
{
    const float result[] = {1, 3};
    const double reference[] = {2, 3}, tolerance[] = {0.5, 100};
    const struct verdict verdict = compare_floats(result, reference, tolerance, 2);

    assert_false(verdict.match);
    assert_string_equal(verdict.result, "1");
    assert_string_equal(verdict.reference, "2");
    assert_string_equal(verdict.why, "1 of 2 elements differ, the first is [0]");
}

/* Of several wrong elements the first is named, and its numbers shown. */
TEST(test_floats_first_wrong)
{
    const float result[] = {1, 5, 6, 9};
    const double reference[] = {1, 2, 6, 4}, tolerance[] = {0, 0.5, 0, 1};
    const struct verdict verdict = compare_floats(result, reference, tolerance, 4);

    assert_false(verdict.match);
    assert_true(verdict.error == 5);
    assert_true(verdict.tolerance == 0.5);
    assert_string_equal(verdict.result, "5");
    assert_string_equal(verdict.reference, "2");
    assert_string_equal(verdict.why, "2 of 4 elements differ, the first is [1]");
}

TEST(test_floats_nan)
{
    const double reference[] = {1, 2, 3, 4}, tolerance[] = {9, 9, 9, INFINITY};
    static const float odd[] = {NAN, INFINITY, -INFINITY};

    for (int i = 0; i < 3; i++) {
        for (int at = 0; at < 4; at++) {
            float result[] = {1, 2, 3, 4};
            struct verdict verdict;

            result[at] = odd[i];
            verdict = compare_floats(result, reference, tolerance, 4);
            assert_false(verdict.match);
            assert_false(isfinite(verdict.error));
        }
    }
}

/* NaN is the worst error, wherever it stands. */
TEST(test_floats_nan_is_worst)
{
    const float result[] = {NAN, 100, INFINITY};
    const double reference[] = {1, 2, 3}, tolerance[] = {0, 0, 0};

    assert_true(isnan(compare_floats(result, reference, tolerance, 3).error));
}

TEST(test_no_floats)
{
    const struct verdict verdict = compare_floats(NULL, NULL, NULL, 0);

    assert_true(verdict.match);
    assert_true(verdict.error == 0);
}

TEST(test_sum_tolerance)
{
    assert_true(compare_sum_tolerance(0, 5) == 0);
    assert_true(compare_sum_tolerance(1, 5) == 0);
    assert_true(compare_sum_tolerance(2, 1) == 0x1p-24);
    assert_true(compare_sum_tolerance(1025, 2) == 0x1p-13);
    /* Still a number where (n - 1) u is above 1. */
    assert_true(compare_sum_tolerance(INT64_C(1) << 30, 1) > 63);
    assert_true(isfinite(compare_sum_tolerance(INT64_C(1) << 30, 1)));
}

/* The bound holds, and not by orders of magnitude, for numbers chosen to round badly. */
TEST(test_sum_tolerance_holds)
{
    enum { COUNT = 1000 };
    double exact = 0, magnitudes = 0;
    float sum = 0;

    for (int i = 0; i < COUNT; i++) {
        const float number = i == 0 ? 1 : 0x1.8p-24f;

        sum += number;
        exact += number;
        magnitudes += number;
    }
    assert_true(fabs(sum - exact) > 0);
    assert_true(fabs(sum - exact) <= compare_sum_tolerance(COUNT, magnitudes));
    assert_true(fabs(sum - exact) > compare_sum_tolerance(COUNT, magnitudes) / 10);
}

/* The values of FNV-1a for nothing and for "a" (RFC 9923), and a bit that differs. */
TEST(test_digest)
{
    const float zeros[] = {0.0f, -0.0f};
    char text[COMPARE_DIGEST_SIZE], other[COMPARE_DIGEST_SIZE];

    compare_digest("", 0, text);
    assert_string_equal(text, "cbf29ce484222325");
    compare_digest("a", 1, text);
    assert_string_equal(text, "af63dc4c8601ec8c");
    compare_digest(&zeros[0], sizeof(float), text);
    compare_digest(&zeros[1], sizeof(float), other);
    assert_string_not_equal(text, other);
}

TEST_MAIN()
