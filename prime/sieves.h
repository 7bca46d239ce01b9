/* The three sieves of p5a and p5b, cheapest first: small primes, then the strong test to base 2,
 * then to six more bases. A number that passes all three is prime.
 */
#ifndef SIEVES_H
#define SIEVES_H

#include "montgomery.h"
#include "prime.h"

enum { SIEVES = 3 };

/* With these seven bases the strong test has no exception below 2^64 (Jim Sinclair, 2011; compared
 * with Feitsma and Galway's list of all base-2 pseudoprimes). */
__constant__ uint32_t bases[] = {2, 325, 9375, 28178, 450775, 9780504, 1795265022};

/* A prime of 3 to 29 that divides n, or 0. One 64-bit division leaves 32 bits to try. */
__device__ inline uint32_t small_divisor(uint64_t n)
{
    const uint32_t primes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29};
    const uint32_t rest = n % 3234846615; /* the product of these nine */

#pragma unroll
    for (int i = 0; i < 9; i++)
        if (rest % primes[i] == 0 && n != primes[i])
            return primes[i];
    return 0;
}

/* base^d, d the odd part of n - 1, two bits of it at a time. */
__device__ inline uint64_t raise(struct modulus modulus, uint64_t base)
{
    const uint64_t exponent = (modulus.n - 1) >> (__ffsll((long long)(modulus.n - 1)) - 1);
    const uint64_t square = multiply(modulus, base, base);
    const uint64_t cube = multiply(modulus, square, base);
    uint64_t power = modulus.one;

    for (int bit = (63 - __clzll((long long)exponent)) & ~1; bit >= 0; bit -= 2) {
        const int two = exponent >> bit & 3;

        power = multiply(modulus, power, power);
        power = multiply(modulus, power, power);
        power = multiply(modulus, power,
                         two == 0   ? modulus.one
                         : two == 1 ? base
                         : two == 2 ? square
                                    : cube);
    }
    return power;
}

/* 2^d: from the top bit down, a doubling for a bit. */
__device__ inline uint64_t raise_two(struct modulus modulus)
{
    const uint64_t exponent = (modulus.n - 1) >> (__ffsll((long long)(modulus.n - 1)) - 1);
    uint64_t power = add(modulus, modulus.one, modulus.one);

    for (int bit = 62 - __clzll((long long)exponent); bit >= 0; bit--) {
        power = multiply(modulus, power, power);
        if (exponent >> bit & 1)
            power = add(modulus, power, power);
    }
    return power;
}

/* The witness that sieve 0, 1 or 2 finds; PRIME_IS_PRIME if n passes. */
__device__ inline uint32_t sieve(int number, uint64_t n)
{
    struct modulus modulus;
    uint64_t square;

    if (n < 3)
        return n < 2 ? PRIME_IS_NEITHER : PRIME_IS_PRIME;
    if (number == 0)
        return n % 2 == 0 ? 2 : small_divisor(n);
    modulus = modulus_new(n);
    if (number == 1)
        return fails(modulus, raise_two(modulus)) ? 2 : PRIME_IS_PRIME;
    square = add(modulus, modulus.one, modulus.one);
    for (int i = 0; i < 6; i++) /* 2, 4, 16 ... 2^64: R^2, once in Montgomery's form */
        square = multiply(modulus, square, square);
    for (int i = 1; i < 7; i++) {
        const uint64_t form = multiply(modulus, bases[i] % n, square);

        if (form && fails(modulus, raise(modulus, form)))
            return bases[i];
    }
    return PRIME_IS_PRIME;
}

#endif
