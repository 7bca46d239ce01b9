/* b10: two counters in a word.
 *
 * Before: in b8 and b9 a block has room for half of the bins, in words of 32 bits.
 * Now:    two neighbouring bins share a word, 16 bits each, so a block has room for all. A count
 *         may outgrow them: add_half() gets the old word back from its addition, so exactly one
 *         thread sees that the lower half started anew, or the word did, and adds what is lost
 *         there to the bins in device memory.
 * See:    docs/histogram.md#b10
 */
#include "launch.cuh"
#include "packs.cuh"

enum { THREADS = 1024, WORDS = MANY_BINS / 2, SHARED_BYTES = WORDS * sizeof(unsigned) };
enum { HALF = 1 << 16 };

/* Add `count`, less than HALF, to a bin in shared memory. */
__device__ static void add_half(unsigned *mine, unsigned *counts, unsigned bin, unsigned count)
{
    const unsigned addend = bin % 2 ? count * HALF : count;
    const unsigned sum = atomicAdd(&mine[bin / 2], addend) + addend;

    if (sum < addend) /* the word started anew, so its upper bin has lost HALF */
        atomicAdd(&counts[bin | 1], HALF);
    if (bin % 2 == 0 && sum % HALF < count) { /* HALF of the lower bin became 1 of the upper */
        atomicAdd(&counts[bin], HALF);
        atomicSub(&counts[bin + 1], 1);
    }
}

__global__ void __launch_bounds__(THREADS) histogram(const unsigned *a, int n, unsigned *counts)
{
    extern __shared__ unsigned mine[];

    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        mine[i] = 0;
    __syncthreads();
    add_all(a, n, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS,
            [&](unsigned value, unsigned count) { add_half(mine, counts, value, count); });
    __syncthreads();
    for (int i = threadIdx.x; i < WORDS; i += THREADS) {
        if (mine[i] % HALF)
            atomicAdd(&counts[2 * i], mine[i] % HALF);
        if (mine[i] / HALF)
            atomicAdd(&counts[2 * i + 1], mine[i] / HALF);
    }
}

/* The whole device side, from host samples to host counts. */
static void histogram_gpu(const unsigned *a, int n, struct run *run, unsigned *counts)
{
    unsigned *d_a = device_input(unsigned, a, n);
    unsigned *d_counts = device_output(unsigned, run, MANY_BINS);

    blocks_that_stay(run, histogram, THREADS, SHARED_BYTES, n, pack<unsigned>::EACH);
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_counts, 0, MANY_BINS * sizeof(unsigned)));
        histogram<<<run->blocks, THREADS, SHARED_BYTES>>>(d_a, n, d_counts);
    }

    device_fetch(unsigned, counts, d_counts, MANY_BINS);
    device_free(run, d_a);
    device_free(run, d_counts);
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, STEP,
                          {.words = histogram_gpu,
                           .bins = MANY_BINS,
                           .wave = {(void *)histogram, THREADS, SHARED_BYTES},
                           .wide = true});
}
