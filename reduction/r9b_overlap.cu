/* r9b: launches that overlap.
 *
 * Before: in r9a the memory sat idle between launches: while the last block added up, and while the
 *         next launch started.
 * Now:    the next launch begins as soon as all blocks of this one have, and reads its input while
 *         the last words are collected. Launches take turns with two sets of words, and the last
 *         one (`last`) waits for the launch before its own, so that only two ever overlap. So no
 *         `a` may come from the kernel just before.
 * See:    docs/reduction.md#r9b
 */
#include "overlap.cuh"
#include "reduction.h"
#include "words.cuh"

enum { CHAIN = 2 + LOADS + 10 + 1 }; /* float additions: of four, of loads, in trees; a rounding */

/* `launch` counts the launches that share `words`, two per block, and `started`: from 1. Both are
 * zeros before the first. */
__global__ void __launch_bounds__(THREADS)
    reduction(const float *a, int n, unsigned launch, word_t *words, unsigned *started,
              float *result)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        last = atomicInc(started, gridDim.x - 1) == gridDim.x - 1; /* the last one makes it 0 */
        if (last)
            overlap_wait(); /* for the launch before: the next one takes its words */
        overlap_allow();
    }
    words += launch % 2 * gridDim.x;
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
    cudaLaunchAttribute overlap = overlap_attribute(reduction);
    cudaLaunchConfig_t config = {.attrs = &overlap, .numAttrs = 1};
    word_t *d_words;
    unsigned *d_started, launch = 0;

    run->blocks = n ? (n - 1) / (4 * TILE) + 1 : 1;
    config.gridDim = run->blocks;
    config.blockDim = run->threads;
    CHECK(cudaMalloc(&d_words, 2 * run->blocks * sizeof(word_t)));
    CHECK(cudaMemset(d_words, 0, 2 * run->blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&d_started, sizeof(unsigned)));
    CHECK(cudaMemset(d_started, 0, sizeof(unsigned)));

    TIMED(run)
        cudaLaunchKernelEx(&config, reduction, d_a, n, ++launch, d_words, d_started, d_result);

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
