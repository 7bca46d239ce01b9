/* SPDX-License-Identifier: MIT */
/* The CPU's answers and the sets of numbers: against a sieve, and GMP where it is there. */
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_GMP
#include <gmp.h>
#endif

#include "../cmocka_main.h"
#include "prime.h"

enum { SIEVED = 1000000, RANDOM = 10000 };

/* The smallest prime factor of every number below SIEVED; 0 of 0, 1 and primes. */
static uint32_t *sieve(void)
{
    uint32_t *factor = calloc(SIEVED, sizeof(uint32_t));

    assert_non_null(factor);
    for (uint32_t p = 2; p * p < SIEVED; p++)
        for (uint32_t m = p * p; !factor[p] && m < SIEVED; m += p)
            if (!factor[m])
                factor[m] = p;
    return factor;
}

TEST(test_against_a_sieve)
{
    uint32_t *factor = sieve();

    for (uint32_t n = 0; n < SIEVED; n++) {
        assert_int_equal(prime_is_prime(n), n >= 2 && !factor[n]);
        if (n < SIEVED / 10) {
            assert_int_equal(prime_smallest_factor(n), factor[n]);
            assert_int_equal(prime_loop(n, prime_root(n)), factor[n]);
        }
    }
    free(factor);
}

TEST(test_root)
{
    static const uint64_t roots[] = {1,        2,          3,          94906265,
                                     94906266, 3037000499, 4294967294, UINT32_MAX};

    assert_int_equal(prime_root(0), 0);
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        assert_true(prime_root(roots[i] * roots[i]) == roots[i]);
        assert_true(prime_root(roots[i] * roots[i] - 1) == roots[i] - 1);
        assert_true(prime_root(roots[i] * roots[i] + 2 * roots[i]) == roots[i]);
    }
    assert_true(prime_root(UINT64_MAX) == UINT32_MAX);
}

TEST(test_factors)
{
    assert_true(prime_smallest_factor(18446744030759878681u) == 4294967291);
    assert_true(prime_smallest_factor(4294967291 * UINT64_C(4294967279)) == 4294967279);
    assert_true(prime_smallest_factor(3825123056546413051) == 149491);
    assert_true(prime_smallest_factor(UINT64_MAX) == 3);
    assert_true(prime_smallest_factor(UINT64_MAX - 58) == PRIME_NO_DIVISOR);
}

/* What a strong pseudoprime is: it passes base 2 and fails another. */
TEST(test_pseudoprimes)
{
    static const uint64_t passes_two[] = {2047, 3277, 4033, 3215031751, 3825123056546413051};

    for (size_t i = 0; i < sizeof(passes_two) / sizeof(passes_two[0]); i++) {
        assert_false(prime_fails(passes_two[i], 2));
        assert_false(prime_is_prime(passes_two[i]));
        assert_false(prime_witness_holds(passes_two[i], PRIME_IS_PRIME));
        assert_false(prime_witness_holds(passes_two[i], 2));
    }
    for (uint64_t base = 2; base <= 31; base++) /* passes every prime base up to 31 */
        if (prime_is_prime(base))
            assert_false(prime_fails(3825123056546413051, base));
    assert_true(prime_fails(3825123056546413051, 37));
    assert_false(prime_fails(561, 2 * 561));
}

/* A witness must prove something: neither poison, nor a lie in either direction, passes. */
TEST(test_witnesses)
{
    assert_true(prime_witness_holds(97, PRIME_IS_PRIME));
    assert_true(prime_witness_holds(2, PRIME_IS_PRIME));
    assert_true(prime_witness_holds(91, 7));
    assert_true(prime_witness_holds(91, 2));
    assert_true(prime_witness_holds(0, PRIME_IS_NEITHER));
    assert_true(prime_witness_holds(1, PRIME_IS_NEITHER));
    assert_false(prime_witness_holds(2, PRIME_IS_NEITHER));
    assert_false(prime_witness_holds(1, PRIME_IS_PRIME));
    assert_false(prime_witness_holds(0, PRIME_IS_PRIME));
    assert_false(prime_witness_holds(0, 2));
    for (uint64_t n = 0; n < 1000; n++)
        for (uint32_t witness = 2; witness < 50; witness++)
            if (n < 2 || prime_is_prime(n)) {
                assert_false(prime_witness_holds(n, witness));
                assert_false(prime_witness_holds(n, UINT32_MAX));
            }
}

TEST(test_gather)
{
    static const uint64_t none[] = {0, 0, 0}, some[] = {0, 9, 3}, hole[] = {3, UINT64_MAX, 0};

    assert_true(prime_gather(none, 3) == PRIME_NO_DIVISOR);
    assert_true(prime_gather(some, 3) == 3);
    assert_true(prime_gather(hole, 3) == PRIME_UNWRITTEN);
}

#ifdef HAVE_GMP
TEST(test_against_gmp)
{
    struct prime_numbers numbers = {NULL, 0, 0};
    mpz_t n;

    mpz_init(n);
    prime_add_awkward(&numbers, 1000, UINT64_MAX);
    prime_add_random(&numbers, RANDOM, 7, false);
    prime_add_random(&numbers, RANDOM / 10, 7, true);
    for (size_t i = 0; i < numbers.count; i++) {
        mpz_set_ui(n, numbers.value[i]);
        assert_int_equal(prime_is_prime(numbers.value[i]), mpz_probab_prime_p(n, 25) != 0);
    }
    mpz_clear(n);
    free(numbers.value);
}
#endif

TEST(test_random)
{
    struct prime_numbers one = {NULL, 0, 0}, same = {NULL, 0, 0}, primes = {NULL, 0, 0};

    prime_add_random(&one, RANDOM, 1, false);
    prime_add_random(&same, RANDOM, 1, false);
    prime_add_random(&primes, RANDOM, 1, true);
    assert_int_equal(one.count, RANDOM);
    assert_memory_equal(one.value, same.value, RANDOM * sizeof(uint64_t));
    for (size_t i = 0; i < RANDOM; i++) {
        assert_int_equal(one.value[i] % 2, 1);
        assert_true(prime_is_prime(primes.value[i]));
        assert_true(primes.value[i] >= one.value[i]);
    }
    free(one.value);
    free(same.value);
    free(primes.value);
}

static void add_up(void *self, size_t begin, size_t end)
{
    unsigned char *seen = self;

    for (size_t i = begin; i < end; i++)
        seen[i]++;
}

TEST(test_parallel)
{
    static const size_t counts[] = {0, 1, 4096, 4097, 100003};
    unsigned char *seen = calloc(100004, 1);

    assert_non_null(seen);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        memset(seen, 0, 100004);
        prime_parallel(counts[i], add_up, seen);
        for (size_t k = 0; k < 100004; k++)
            assert_int_equal(seen[k], k < counts[i]);
    }
    free(seen);
}

TEST_MAIN()
