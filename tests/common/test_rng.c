/* SPDX-License-Identifier: MIT */
/* rng.c: the published numbers, and what is promised of ranges. */
#include "unit.h"

/* Outputs of the published algorithm, as its reference C code (Vigna, splitmix64.c) prints them. */
TEST(test_known_answers)
{
    static const struct {
        uint64_t seed, numbers[5];
    } answers[] = {
        {0,
         {UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F4), UINT64_C(0x06C45D188009454F),
          UINT64_C(0xF88BB8A8724C81EC), UINT64_C(0x1B39896A51A8749B)}},
        {1234567,
         {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
          UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
          UINT64_C(16408922859458223821)}},
    };

    for (int i = 0; i < 2; i++) {
        struct rng rng = rng_seed(answers[i].seed);

        for (int k = 0; k < 5; k++)
            assert_int_equal(rng_next(&rng), answers[i].numbers[k]);
    }
}

TEST(test_below_stays_below)
{
    static const uint32_t bounds[] = {1, 2, 10, 100, 0x80000001, UINT32_MAX};
    struct rng rng = rng_seed(1);

    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 1000; k++)
            assert_true(rng_below(&rng, bounds[i]) < bounds[i]);
    }
}

/* Of 100000 digits each has 10000 give or take 95 (one sigma): five sigmas are allowed. */
TEST(test_below_is_uniform)
{
    int count[10] = {0};
    struct rng rng = rng_seed(7);

    for (int i = 0; i < 100000; i++)
        count[rng_below(&rng, 10)]++;
    for (int i = 0; i < 10; i++)
        assert_in_range(count[i], 10000 - 475, 10000 + 475);
}

/* With a bound of 3 x 2^30 a generator that does not reject gives the first 2^32 mod bound results
 * twice as often: the lowest third would get half of all. */
TEST(test_below_rejects)
{
    const uint32_t bound = 3u << 30;
    int divisible = 0;
    struct rng rng = rng_seed(3);

    for (int i = 0; i < 30000; i++)
        divisible += rng_below(&rng, bound) % 3 == 0;
    /* One sigma is 82; without rejection every third result has two preimages: 15000. */
    assert_in_range(divisible, 10000 - 410, 10000 + 410);
}

TEST(test_float_range)
{
    double sum = 0;
    int odd = 0;
    struct rng rng = rng_seed(5);

    for (int i = 0; i < 100000; i++) {
        const float number = rng_float(&rng);

        assert_true(number >= 0 && number < 1);
        assert_true(number * 0x1p24f == (float)(int)(number * 0x1p24f));
        odd += (int)(number * 0x1p24f) & 1;
        sum += number;
    }
    assert_in_range(odd, 50000 - 790, 50000 + 790); /* all 24 bits; one sigma is 158 */
    assert_true(sum > 49500 && sum < 50500);
}

TEST_MAIN()
