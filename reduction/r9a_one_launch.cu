/* r9a: one launch, one number. A new beginning.
 *
 * Before: in r8b the CPU fetched one sum per block and added them up.
 * Now:    in reduction() the block that starts last adds them up. Every block leaves its sum in a
 *         word of its own, marked with the launch's number. When the last block starts, all the
 *         others are running or done, so it can wait for their words. Which block adds what, and in
 *         which order, is fixed, and so is the result.
 * See:    docs/reduction.md#r9a
 */
#include "reduction.h"
#include "words.cuh"

enum { CHAIN = 2 + LOADS + 10 + 1 }; /* float additions: of four, of loads, in trees; a rounding */

/* `launch` counts the launches that share `words`, one per block, and `started`: from 1. Both are
 * zeros before the first. */
__global__ void __launch_bounds__(THREADS)
    reduction(const float *a, int n, unsigned launch, word_t *words, unsigned *started,
              float *result)
{
    __shared__ bool last;

    if (threadIdx.x == 0)
        last = atomicInc(started, gridDim.x - 1) == gridDim.x - 1; /* the last one makes it 0 */
    const float sum = block_sum(tile_sum(a, n));
    if (threadIdx.x == 0)
        leave_word(words, launch, sum);
    if (!last)
        return;
    const double total = block_sum(take_words(words, launch));
    if (threadIdx.x == 0)
        *result = total;
}

/* The whole device side, from host numbers to one sum. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_result = device_output(float, run, 1);
    word_t *d_words;
    unsigned *d_started, launch = 0;

    run->blocks = n ? (n - 1) / (4 * TILE) + 1 : 1;
    CHECK(cudaMalloc(&d_words, run->blocks * sizeof(word_t)));
    CHECK(cudaMemset(d_words, 0, run->blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&d_started, sizeof(unsigned)));
    CHECK(cudaMemset(d_started, 0, sizeof(unsigned)));

    TIMED(run)
        reduction<<<run->blocks, run->threads>>>(d_a, n, ++launch, d_words, d_started, d_result);

    device_fetch(float, sums, d_result, 1);
    device_free(run, d_a);
    device_free(run, d_result);
    CHECK(cudaFree(d_words));
    CHECK(cudaFree(d_started));
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu,
                          {.threads = THREADS, .map = MAP_ONE, .chain = CHAIN});
}
