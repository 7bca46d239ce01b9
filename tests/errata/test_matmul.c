/* SPDX-License-Identifier: MIT */
/* Forms of the source of the matrix product that run on the host, as printed. */
#include <math.h>

#include "../cmocka_main.h"
#include "matmul.h"

/* matgen() divides a random number by RAND_MAX * RAND_MAX, an int. Where RAND_MAX is 2^31 - 1 the
 * product wraps round to 1, and numbers that should be below 2^-31 reach 2^31. */
TEST(test_product_of_limits_overflows)
{
    const uint32_t rand_max = INT32_MAX, wrapped = rand_max * rand_max;

    assert_int_equal(wrapped, 1);
    assert_true((float)INT32_MAX / (float)(int32_t)wrapped > 1e9f);
}

/* compare_mat(), as printed. */
static float article_max_error(const float *a, const float *b, int n)
{
    float max_err = 0;

    for (int i = 0; i < n; i++) {
        if (b[i] != 0) {
            float err = fabsf((a[i] - b[i]) / b[i]);

            if (max_err < err)
                max_err = err;
        }
    }
    return max_err;
}

/* It finds no error in a NaN, nor in anything where 0 is right. */
TEST(test_comparison_passes_nan)
{
    const float result[] = {NAN, 7}, reference[] = {1, 0};
    const double exact[] = {1, 0}, tolerance[] = {1e-6, 0};

    assert_true(article_max_error(result, reference, 2) == 0);
    assert_false(compare_floats(result, exact, tolerance, 1).match);
    assert_false(compare_floats(result + 1, exact + 1, tolerance + 1, 1).match);
}

/* An error of 2.0e-6 is called too large, and 1e-6 the limit. What a plain sum of 1000 products may
 * be off by is 30 times as much, and grows with n. */
TEST(test_bound_depends_on_n)
{
    const struct matmul_step plain = {.sum = SUM_PLAIN};

    assert_true(matmul_bound(plain, 1000) > 25 * 2.01484e-6);
    assert_true(matmul_bound(plain, 10) < 1e-6);
}

/* clock() ticked 64 times a second: 0.078 s are 5 ticks, and so are 0.0703 to 0.0859 s. The kernels
 * of m5 and m6 took 0.053 and 0.042 s. */
TEST(test_five_ticks)
{
    assert_int_equal(lround(0.078 * 64), 5);
    assert_true(5.5 / 64 - 4.5 / 64 > 0.053 - 0.042);
}

/* Blocks of 5 KB: three of them, 15 KB of 16, and not the 10 KB that are printed. */
TEST(test_three_blocks_of_5_kb)
{
    assert_int_equal(16 / 5, 3);
    assert_true(3 * 5 > 10);
}

TEST_MAIN()
