/* p5a: one thread per number. A new beginning.
 *
 * Before: p4 gave a whole warp to one number, and 12 of its 32 lanes worked.
 * Now:    a batch of numbers, one thread of find_witnesses() each. A thread tries what is cheap
 *         first, and stops at the first witness: small primes, then base 2, then six more bases.
 * See:    docs/prime.md#p5a
 */
#include "sieves.h"

enum { THREADS = 256 };

__global__ void find_witnesses(const uint64_t *number, int count, uint32_t *witness)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    uint32_t found = PRIME_IS_PRIME;

    if (i >= count)
        return;
#pragma unroll
    for (int s = 0; s < SIEVES; s++)
        if (!found)
            found = sieve(s, number[i]);
    witness[i] = found;
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

    run->blocks = count ? (count - 1) / THREADS + 1 : 1; /* a grid of no block is an error */
    run->threads = THREADS;
    run_whole(run, device_side, &batch);
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.judge = prime_gpu, .batch = true});
}
