/* r9: one launch, one number.
 *
 * Before: in r8b the CPU added up the sums of the blocks.
 * Now:    the block that starts last does. A block leaves its sum, with the launch's number, in one
 *         64-bit word, which is written and read whole: no fence need order the two. Once the last
 *         block has started, all others are on their way, so it can wait for their words. Which
 *         block adds what, and in which order, is fixed: so is the result.
 *         Launches in a row overlap: the next one reads its input while this one still adds up. So
 *         no `a` may come from the kernel just in front.
 * See:    docs/reduction.md#r9
 */
#include <cuda/atomic>

#include "overlap.cuh"
#include "reduction.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 8, TILE = THREADS * LOADS, WORDS = 8 };
enum { CHAIN = 2 + LOADS + 10 + 1 }; /* float additions: of four, of loads, in trees; a rounding */

typedef unsigned long long word_t; /* the number of a launch, and below it a float's 32 bits */
typedef cuda::atomic_ref<word_t, cuda::thread_scope_device> word_ref;

/* Lane 0 returns the sum over its warp. */
template <typename T> __device__ T warp_sum(T sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

/* Thread 0 returns the sum over its block. */
template <typename T> __device__ T block_sum(T sum)
{
    __shared__ T shared[WARPS];

    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < WARPS ? shared[threadIdx.x] : 0) : 0;
}

/* A thread's share of the sum over the words of all blocks of this launch. */
__device__ static double take_words(word_t *words, unsigned launch)
{
    double sum = 0;

    for (int first = threadIdx.x; first < gridDim.x; first += WORDS * THREADS) {
        word_t word[WORDS]; /* asked for together; those of an earlier launch once more */

        for (int k = 0; k < WORDS; k++) {
            const int block = first + k * THREADS;

            word[k] = block < gridDim.x ? word_ref(words[block]).load(cuda::memory_order_relaxed)
                                        : (word_t)launch << 32; /* and 0 below it */
        }
        for (int k = 0; k < WORDS; k++) {
            while (word[k] >> 32 != launch)
                word[k] = word_ref(words[first + k * THREADS]).load(cuda::memory_order_relaxed);
            sum += __uint_as_float((unsigned)word[k]);
        }
    }
    return sum;
}

/* `launch` counts, from 1, the launches that share `words`, two a block, and `started`: zeros
 * before the first. */
__global__ void __launch_bounds__(THREADS)
    reduction(const float *a, int n, unsigned launch, word_t *words, unsigned *started,
              float *result)
{
    __shared__ bool last;
    const float4 *quads = (const float4 *)a;
    float4 v[LOADS]; /* loaded first, used later: all loads wait together */
    float sum = 0;

    if (threadIdx.x == 0) {
        last = atomicInc(started, gridDim.x - 1) == gridDim.x - 1; /* the last one makes it 0 */
        if (last)
            overlap_wait(); /* for the launch in front: the next one takes its words */
        overlap_allow();
    }
    words += launch % 2 * gridDim.x;
    for (int k = 0; k < LOADS; k++) {
        const int quad = blockIdx.x * TILE + k * THREADS + threadIdx.x;

        v[k] = quad < n / 4 ? __ldcs(quads + quad) : float4(); /* streaming: read once */
    }
    for (int k = 0; k < LOADS; k++)
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < n % 4) /* what fills no quad */
        sum += a[n / 4 * 4 + threadIdx.x];

    sum = block_sum(sum);
    if (threadIdx.x == 0)
        word_ref(words[blockIdx.x])
            .store((word_t)launch << 32 | __float_as_uint(sum), cuda::memory_order_relaxed);
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
