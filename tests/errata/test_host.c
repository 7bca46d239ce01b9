/* SPDX-License-Identifier: MIT */
/* What the article's host code gets wrong, beside what is right. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "../cmocka_main.h"
#include "sumsq.h"

enum { N = 100003 };

/* The article's CPU check, as it was meant: it adds into one variable and prints another. */
static int article_cpu_check(const int *data, int n)
{
    int final_sum = 0, sum = 0;

    for (int i = 0; i < n; i++)
        sum += data[i] * data[i];
    (void)sum;
    return final_sum;
}

TEST(cpu_check_prints_zero)
{
    int *data = memory_host(N * sizeof(int));

    sumsq_generate(data, N, 1);
    assert_int_equal(article_cpu_check(data, N), 0);
    assert_true(sumsq_cpu(data, N) > 0);
    free(data);
}

/* The numbers of sumsq_generate, one after the other, until a 32-bit sum overflows. The mean square
 * of 0 to 9 is 28.5, and 2^31 / 28.5 is 75.35 million. */
TEST(sum_overflows_at_75_million)
{
    struct rng rng = rng_seed(1);
    int64_t wide = 0;
    uint32_t narrow = 0;
    int n = 0;

    while (wide <= INT_MAX) {
        const uint32_t number = rng_below(&rng, 10);

        assert_int_equal((int32_t)narrow, wide);
        wide += number * number;
        narrow += number * number;
        n++;
    }
    assert_true((int32_t)narrow < 0);
    assert_in_range(n, 75200000, 75500000);
}

/* Two blocks of 100 cycles each at the same time, on multiprocessors whose clocks started apart. */
TEST(clocks_of_two_multiprocessors)
{
    const long long start[] = {1000, 5000001000}, end[] = {1100, 5000001100};
    const long long span = end[1] - start[0]; /* the article: last end less first start */

    assert_int_equal(end[0] - start[0], 100);
    assert_int_equal(end[1] - start[1], 100);
    assert_true(span > 1000 * 100);
    assert_true((int32_t)span != span); /* and %d prints 32 bits of it */
}

/* Cycles at 1.5 GHz, 4 MiB: which unit gives the article's figure. */
TEST(article_bandwidth_is_in_mebibytes)
{
    const double seconds = 8.3e6 / 1.5e9;

    assert_int_equal(lround(4 / seconds), 723);
    assert_int_equal(lround(4 * 1.048576 / seconds), 758);
}

TEST_MAIN()
