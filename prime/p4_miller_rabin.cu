/* p4: ask witnesses. A new beginning.
 *
 * Before: p3 tried a billion divisors to be sure of one prime.
 * Now:    twelve lanes of one warp raise() twelve bases to the power of the odd part of n - 1, with
 *         Montgomery's products. A prime gives 1, or n - 1 after some squarings, to every base; no
 *         composite of 64 bits does so to all twelve.
 * See:    docs/prime.md#p4
 */
#include "montgomery.h"
#include "prime.h"

enum { WARP = 32, BASES = 12 };

/* base^d, d the odd part of n - 1, from the top bit down. */
__device__ static uint64_t raise(struct modulus modulus, uint64_t base)
{
    const uint64_t exponent = (modulus.n - 1) >> (__ffsll((long long)(modulus.n - 1)) - 1);
    uint64_t power = base;

    for (int bit = 62 - __clzll((long long)exponent); bit >= 0; bit--) {
        power = multiply(modulus, power, power);
        if (exponent >> bit & 1)
            power = multiply(modulus, power, base);
    }
    return power;
}

/* One warp per number. */
__global__ void find_witness(const uint64_t *number, uint32_t *witness)
{
    const uint8_t bases[BASES] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    const uint64_t n = number[blockIdx.x];
    const uint32_t base = threadIdx.x < BASES ? bases[threadIdx.x] : 0;
    bool composite = false;
    unsigned voters;

    if (base && n != base) {
        if (n % base == 0 || n < 2) {
            composite = true;
        } else if (n & 1) {
            const struct modulus modulus = modulus_new(n);
            uint64_t form = 0;

            for (uint32_t i = 0; i < base; i++)
                form = add(modulus, form, modulus.one);
            composite = fails(modulus, raise(modulus, form));
        }
    }
    voters = __ballot_sync(0xFFFFFFFF, composite);
    if (threadIdx.x == 0)
        witness[blockIdx.x] = n < 2    ? PRIME_IS_NEITHER
                              : voters ? bases[__ffs(voters) - 1]
                                       : PRIME_IS_PRIME;
}

/* The whole device side, for `count` numbers. */
static void prime_gpu(const uint64_t *number, int count, uint32_t *witness, struct run *run)
{
    uint64_t *d_number = device_input(uint64_t, number, count);
    uint32_t *d_witness = device_output(uint32_t, run, count);

    run->blocks = count;
    run->threads = WARP;
    TIMED(run)
        find_witness<<<run->blocks, WARP>>>(d_number, d_witness);

    device_fetch(uint32_t, witness, d_witness, count);
    device_free(run, d_number);
    device_free(run, d_witness);
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.judge = prime_gpu});
}
