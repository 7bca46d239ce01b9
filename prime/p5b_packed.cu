/* p5b: full warps.
 *
 * Before: in p5a a warp took as long as its slowest number, with most of its lanes idle.
 * Now:    a block takes `PIECE` numbers through one sieve after the other. The numbers that pass
 *         are packed together in shared memory, so that full warps go on to the next sieve.
 * See:    docs/prime.md#p5b
 */
#include "sieves.h"

enum { THREADS = 256, EACH = 8, PIECE = THREADS * EACH };

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
