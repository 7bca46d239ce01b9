/* Montgomery's products of 64-bit numbers, in the 32-bit pieces a GPU multiplies: p4 to p5b.
 *
 * A number a is kept as a R modulo n with R = 2^64; multiply() returns a b / R modulo n, which
 * keeps that form. See docs/prime.md#montgomery.
 */
#ifndef MONTGOMERY_H
#define MONTGOMERY_H

#include <stdint.h>

/* An odd n > 1. */
struct modulus {
    uint64_t n;
    uint32_t inverse; /* of n modulo 2^32 */
    uint64_t one; /* R modulo n: what 1 becomes */
};

__device__ inline struct modulus modulus_new(uint64_t n)
{
    const uint32_t low = n;
    struct modulus modulus;

    modulus.n = n;
    modulus.inverse = (3 * low) ^ 2; /* right modulo 2^5; each round doubles the bits */
    for (int i = 0; i < 3; i++)
        modulus.inverse *= 2 - low * modulus.inverse;
    modulus.one = (0 - n) % n;
    return modulus;
}

/* a + b modulo n. */
__device__ inline uint64_t add(struct modulus modulus, uint64_t a, uint64_t b)
{
    const uint64_t room = modulus.n - b;

    return a >= room ? a - room : a + b;
}

/* a b / R modulo n: four products of pieces, then per piece of the result's lower half one for the
 * factor of n that matches it and two to take that multiple of n away. */
__device__ inline uint64_t multiply(struct modulus modulus, uint64_t a, uint64_t b)
{
    const uint32_t a0 = a, a1 = a >> 32, b0 = b, b1 = b >> 32;
    const uint32_t n0 = modulus.n, n1 = modulus.n >> 32;

    /* a b = high x 2^64 + t1 x 2^32 + t0 */
    const uint64_t low = (uint64_t)a0 * b0;
    const uint64_t cross = (uint64_t)a1 * b0 + (low >> 32);
    const uint64_t middle = (uint64_t)a0 * b1 + (uint32_t)cross;
    const uint64_t high = (uint64_t)a1 * b1 + (cross >> 32) + (middle >> 32);
    const uint32_t t0 = low, t1 = middle;

    /* m0 n has t0 as its lowest piece: what is above it is taken from the rest. */
    const uint32_t m0 = t0 * modulus.inverse;
    const uint64_t take = (uint64_t)m0 * n1 + __umulhi(m0, n0);

    /* m1 n likewise has what is left of t1; both together reach into `high`. */
    const uint32_t m1 = (t1 - (uint32_t)take) * modulus.inverse;
    const uint64_t borrow = t1 < (uint32_t)take;
    const uint64_t subtract = (uint64_t)m1 * n1 + __umulhi(m1, n0) + (take >> 32) + borrow;

    return high - subtract + (high < subtract ? modulus.n : 0);
}

/* The strong test of an odd n > 2, with base^d in Montgomery's form, d the odd part of n - 1:
 * whether n fails it and so is composite. */
__device__ inline bool fails(struct modulus modulus, uint64_t power)
{
    const uint64_t minus_one = modulus.n - modulus.one;
    int twos = __ffsll((long long)(modulus.n - 1)) - 1;

    if (power == modulus.one)
        return false;
    for (; power != minus_one && twos > 1; twos--)
        power = multiply(modulus, power, power);
    return power != minus_one;
}

#endif
