/* The CPU's answers. */
#include "cores.h"
#include "prime.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 uint128;

static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

enum { BASES = sizeof(bases), PIECE = 4096, MAX_CORES = 1024 };

uint64_t prime_root(uint64_t n)
{
    uint64_t root = (uint64_t)sqrt((double)n);

    /* sqrt() of a number of 64 bits may be off by one either way, and by 2^32 at the upper end. */
    while (root > UINT32_MAX || root * root > n)
        root--;
    while (root < UINT32_MAX && (root + 1) * (root + 1) <= n)
        root++;
    return root;
}

uint64_t prime_loop(uint64_t n, uint64_t last)
{
    for (uint64_t d = 2; d <= last; d++)
        if (n % d == 0)
            return d;
    return PRIME_NO_DIVISOR;
}

/* An odd modulus, for products after Montgomery ("Modular multiplication without trial division",
 * Math. Comp. 44, 1985) with R = 2^64: a stands for the number a / R modulo n. */
struct modulus {
    uint64_t n;
    uint64_t inverse; /* of n modulo 2^64 */
    uint64_t one; /* R modulo n */
};

static struct modulus modulus_new(uint64_t n)
{
    struct modulus modulus = {.n = n, .inverse = n, .one = (0 - n) % n};

    /* n is its own inverse modulo 8, and each round doubles the bits: 3, 6, 12, 24, 48, 96. */
    for (int i = 0; i < 5; i++)
        modulus.inverse *= 2 - n * modulus.inverse;
    return modulus;
}

static uint64_t multiply(const struct modulus *modulus, uint64_t a, uint64_t b)
{
    const uint128 product = (uint128)a * b;
    const uint64_t quotient = (uint64_t)product * modulus->inverse;
    const uint64_t high = (uint64_t)(product >> 64);
    const uint64_t subtract = (uint64_t)(((uint128)quotient * modulus->n) >> 64);

    return high - subtract + (high < subtract ? modulus->n : 0);
}

/* base^exponent; `base` and the result in Montgomery's form. */
static uint64_t power(const struct modulus *modulus, uint64_t base, uint64_t exponent)
{
    uint64_t result = modulus->one;

    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply(modulus, result, base);
        base = multiply(modulus, base, base);
    }
    return result;
}

static bool fails(const struct modulus *modulus, uint64_t base)
{
    const uint64_t n = modulus->n, minus_one = n - modulus->one;
    const int twos = __builtin_ctzll(n - 1);
    const uint64_t form = (uint64_t)((uint128)(base % n) * modulus->one % n);
    uint64_t x;

    if (form == 0)
        return false;
    x = power(modulus, form, (n - 1) >> twos);
    if (x == modulus->one || x == minus_one)
        return false;
    for (int i = 1; i < twos; i++) {
        x = multiply(modulus, x, x);
        if (x == minus_one)
            return false;
    }
    return true;
}

bool prime_fails(uint64_t n, uint64_t base)
{
    const struct modulus modulus = modulus_new(n);

    return fails(&modulus, base);
}

bool prime_is_prime(uint64_t n)
{
    struct modulus modulus;

    for (int i = 0; i < BASES; i++)
        if (n % bases[i] == 0)
            return n == bases[i];
    if (n < 2)
        return false;
    modulus = modulus_new(n);
    for (int i = 0; i < BASES; i++)
        if (fails(&modulus, bases[i]))
            return false;
    return true;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* A proper factor of an odd composite n: x -> x^2 + c runs into a cycle modulo a factor before it
 * does modulo n. */
static uint64_t any_factor(uint64_t n)
{
    const struct modulus modulus = modulus_new(n);

    for (uint64_t c = 1;; c++) {
        uint64_t slow = 2, fast = 2, factor = 1;

        while (factor == 1) {
            slow = (multiply(&modulus, slow, slow) + (uint128)c) % n;
            fast = (multiply(&modulus, fast, fast) + (uint128)c) % n;
            fast = (multiply(&modulus, fast, fast) + (uint128)c) % n;
            factor = gcd(slow > fast ? slow - fast : fast - slow, n);
        }
        if (factor != n)
            return factor;
    }
}

/* The smallest prime factor of n > 1, without small ones. */
static uint64_t smallest_factor(uint64_t n)
{
    uint64_t factor, a, b;

    if (prime_is_prime(n))
        return n;
    factor = any_factor(n);
    a = smallest_factor(factor);
    b = smallest_factor(n / factor);
    return a < b ? a : b;
}

uint64_t prime_smallest_factor(uint64_t n)
{
    if (n < 2 || prime_is_prime(n))
        return PRIME_NO_DIVISOR;
    for (uint64_t d = 2; d < 256; d++)
        if (n % d == 0)
            return d;
    return smallest_factor(n);
}

bool prime_witness_holds(uint64_t n, uint32_t witness)
{
    if (witness == PRIME_IS_NEITHER)
        return n < 2;
    if (witness == PRIME_IS_PRIME)
        return prime_is_prime(n);
    if (witness < n && n % witness == 0)
        return true;
    return n > 2 && n % 2 == 1 && prime_fails(n, witness);
}

/* --- All cores -------------------------------------------------------------------------------- */

struct crew {
    size_t count;
    atomic_size_t next;
    void (*work)(void *self, size_t begin, size_t end);
    void *self;
};

static void *crew_member(void *data)
{
    struct crew *crew = data;
    size_t begin;

    while ((begin = atomic_fetch_add(&crew->next, PIECE)) < crew->count)
        crew->work(crew->self, begin, crew->count - begin < PIECE ? crew->count : begin + PIECE);
    return NULL;
}

void prime_parallel(size_t count, void (*work)(void *self, size_t begin, size_t end), void *self)
{
    struct crew crew = {.count = count, .work = work, .self = self};
    pthread_t member[MAX_CORES];
    const int cores = usable_cores();
    int members = 0;

    /* This thread works too; one that cannot be started leaves more to the others. */
    while (members < cores - 1 && members < MAX_CORES && (size_t)members < count / PIECE &&
           !pthread_create(&member[members], NULL, crew_member, &crew))
        members++;
    crew_member(&crew);
    while (members > 0)
        pthread_join(member[--members], NULL);
}
