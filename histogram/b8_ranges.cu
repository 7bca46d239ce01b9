/* b8: blocks that count some of the bins.
 *
 * Before: b7 adds to device memory, for 65536 bins do not fit in shared memory.
 * Now:    half of them do. There are RANGES ranges of bins, and for each of them as many blocks:
 *         those of a range read all samples, and count the ones in their `range`. So each sample
 *         is read twice, at about the same time: once from device memory, once from the L2 cache.
 * See:    docs/histogram.md#b8
 */
#include "launch.cuh"
#include "packs.cuh"

enum { THREADS = 1024, RANGES = 2, RANGE = MANY_BINS / RANGES };
enum { SHARED_BYTES = RANGE * sizeof(unsigned) };

__global__ void __launch_bounds__(THREADS) histogram(const unsigned *a, int n, unsigned *counts)
{
    extern __shared__ unsigned mine[];
    const unsigned range = blockIdx.x % RANGES * RANGE; /* the first bin of this block's */
    const int block = blockIdx.x / RANGES, blocks = gridDim.x / RANGES;

    for (int bin = threadIdx.x; bin < RANGE; bin += THREADS)
        mine[bin] = 0;
    __syncthreads();
    add_all(a, n, block * THREADS + threadIdx.x, blocks * THREADS,
            [&](unsigned value, unsigned count) {
                if (value - range < RANGE)
                    atomicAdd(&mine[value - range], count);
            });
    __syncthreads();
    for (int bin = threadIdx.x; bin < RANGE; bin += THREADS)
        if (mine[bin])
            atomicAdd(&counts[range + bin], mine[bin]);
}

/* The whole device side, from host samples to host counts. */
static void histogram_gpu(const unsigned *a, int n, struct run *run, unsigned *counts)
{
    unsigned *d_a = device_input(unsigned, a, n);
    unsigned *d_counts = device_output(unsigned, run, MANY_BINS);

    blocks_that_stay(run, histogram, THREADS, SHARED_BYTES, n, pack<unsigned>::EACH);
    run->blocks = max(1, run->blocks / RANGES) * RANGES;
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
