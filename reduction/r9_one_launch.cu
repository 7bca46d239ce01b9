/* r9: one launch, one number.
 *
 * Before: in r8 a thread read 4 bytes at a time, the grid strode through all of memory at once, and
 *         the CPU added up the sums of the blocks.
 * Now:    a block reads one tile, every thread with eight 16-byte loads under way, and blocks start
 *         in order: the card reads one small window of memory. A block leaves its sum and a flag in
 *         one 64-bit word, which is written and read whole, so no fence need order the two. The
 *         block that starts last, when all others are on their way, waits for the words and adds
 *         them up. Which block adds what, and in which order, is fixed: so is the result.
 * See:    docs/reduction.md#r9
 */
#include <cuda/atomic>

#include "reduction.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 8, TILE = THREADS * LOADS, WORDS = 8 };
enum { CHAIN = 2 + LOADS + 10 + 1 }; /* float additions: of four, of loads, in trees; a rounding */

typedef unsigned long long word_t; /* a float's bits below FULL; 0: not there yet */
typedef cuda::atomic_ref<word_t, cuda::thread_scope_device> word_ref;

#define FULL (1ULL << 32)

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

/* A thread's share of the sum over the words of all blocks; the words are 0 again behind it. */
__device__ double take_words(word_t *words)
{
    double sum = 0;

    for (int first = threadIdx.x; first < gridDim.x; first += WORDS * THREADS) {
        word_t word[WORDS]; /* asked for together; those that come empty once more */

        for (int k = 0; k < WORDS; k++) {
            const int block = first + k * THREADS;

            word[k] = block < gridDim.x ? word_ref(words[block]).load(cuda::memory_order_relaxed)
                                        : FULL; /* and 0 below it */
        }
        for (int k = 0; k < WORDS; k++) {
            const int block = first + k * THREADS;

            while (word[k] == 0)
                word[k] = word_ref(words[block]).load(cuda::memory_order_relaxed);
            sum += __uint_as_float((unsigned)word[k]);
            if (block < gridDim.x)
                word_ref(words[block]).store(0, cuda::memory_order_relaxed);
        }
    }
    return sum;
}

/* `words`, one a block, and `started` are 0 before the launch, and again after it. */
__global__ void __launch_bounds__(THREADS)
    reduction(const float *a, int n, word_t *words, unsigned *started, float *result)
{
    __shared__ bool last;
    const float4 *quads = (const float4 *)a;
    float4 v[LOADS]; /* loaded first, used later: all loads wait together */
    float sum = 0;

    for (int k = 0; k < LOADS; k++) {
        const int quad = blockIdx.x * TILE + k * THREADS + threadIdx.x;

        v[k] = quad < n / 4 ? __ldcs(quads + quad) : float4(); /* streaming: read once */
    }
    if (threadIdx.x == 0) /* while the loads are under way */
        last = atomicAdd(started, 1) == gridDim.x - 1;
    for (int k = 0; k < LOADS; k++)
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        sum += a[n / 4 * 4 + threadIdx.x];

    sum = block_sum(sum);
    if (threadIdx.x == 0)
        word_ref(words[blockIdx.x]).store(FULL | __float_as_uint(sum), cuda::memory_order_relaxed);
    if (!last)
        return;
    const double total = block_sum(take_words(words));
    if (threadIdx.x == 0) {
        *result = total;
        *started = 0;
    }
}

/* The whole device side, from host numbers to one sum. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_result = device_output(float, run, 1);
    word_t *d_words;
    unsigned *d_started;

    run->blocks = n / 4 / TILE + 1;
    run->threads = THREADS;
    CHECK(cudaMalloc(&d_words, run->blocks * sizeof(word_t)));
    CHECK(cudaMemset(d_words, 0, run->blocks * sizeof(word_t)));
    CHECK(cudaMalloc(&d_started, sizeof(unsigned)));
    CHECK(cudaMemset(d_started, 0, sizeof(unsigned)));

    TIMED(run)
        reduction<<<run->blocks, run->threads>>>(d_a, n, d_words, d_started, d_result);

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
