/* p5: many numbers.
 *
 * Before: p4 kept 12 of 32 lanes of one warp busy.
 * Now:    a thread a number, in three sieves: small primes, then base 2, then six more bases. What
 *         passes a sieve is packed together in shared memory, so that full warps go on to the next.
 * See:    docs/prime.md#p5
 */
#include "montgomery.h"
#include "prime.h"

enum { THREADS = 256, EACH = 8, PIECE = THREADS * EACH, SIEVES = 3 };

/* With these seven bases the strong test has no exception below 2^64 (Jim Sinclair, 2011; compared
 * with Feitsma and Galway's list of all base-2 pseudoprimes). */
__constant__ uint32_t bases[] = {2, 325, 9375, 28178, 450775, 9780504, 1795265022};

/* A prime of 3 to 29 that divides n, or 0. One 64-bit division leaves 32 bits to try. */
__device__ static uint32_t small_divisor(uint64_t n)
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
__device__ static uint64_t raise(struct modulus modulus, uint64_t base)
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
__device__ static uint64_t raise_two(struct modulus modulus)
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

/* The witness that sieve 0, 1 or 2 finds; PRIME_IS_PRIME: none, on to the next. */
__device__ static uint32_t sieve(int number, uint64_t n)
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

/* A block takes PIECE numbers through all sieves. */
__global__ void find_witnesses(const uint64_t *number, int count, uint32_t *witness)
{
    __shared__ uint16_t list[SIEVES][PIECE];
    __shared__ int passed[SIEVES];
    const int first = blockIdx.x * PIECE;
    int todo = min(count - first, (int)PIECE);

    if (threadIdx.x < SIEVES)
        passed[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int s = 0; s < SIEVES; s++) {
        for (int i = threadIdx.x; i < todo; i += THREADS) {
            const int at = s ? list[s - 1][i] : i;
            const uint32_t found = sieve(s, number[first + at]);

            if (found || s == SIEVES - 1)
                witness[first + at] = found;
            else
                list[s][atomicAdd(&passed[s], 1)] = at;
        }
        __syncthreads();
        todo = passed[s];
    }
}

/* The numbers and where their witnesses go. */
struct batch {
    const uint64_t *number;
    int count;
    uint32_t *witness;
};

static void device_side(struct run *run, void *context)
{
    const struct batch *batch = (const struct batch *)context;
    uint64_t *d_number = device_input(uint64_t, batch->number, batch->count);
    uint32_t *d_witness = device_output(uint32_t, run, batch->count);

    TIMED(run)
        find_witnesses<<<run->blocks, THREADS>>>(d_number, batch->count, d_witness);

    device_fetch(uint32_t, batch->witness, d_witness, batch->count);
    device_free(run, d_number);
    device_free(run, d_witness);
}

/* The whole device side, for `count` numbers, timed with its copies too. */
static void prime_gpu(const uint64_t *number, int count, uint32_t *witness, struct run *run)
{
    struct batch batch = {number, count, witness};

    run->blocks = count ? (count - 1) / PIECE + 1 : 1; /* a grid of no block is an error */
    run->threads = THREADS;
    run_whole(run, device_side, &batch);
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.judge = prime_gpu, .batch = true});
}
