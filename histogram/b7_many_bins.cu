/* b7: 65536 bins, in device memory.
 *
 * Before: b1 adds to 256 bins in device memory.
 * Now:    there are MANY_BINS, which are 256 KB: no block's shared memory holds them, the L2 cache
 *         does. Each thread takes a pack, as in b5, and histogram() adds to them there.
 * See:    docs/histogram.md#b7
 */
#include "launch.cuh"
#include "packs.cuh"

enum { THREADS = 256 };

__global__ void __launch_bounds__(THREADS) histogram(const unsigned *a, int n, unsigned *counts)
{
    add_all(a, n, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS,
            [&](unsigned value, unsigned count) { atomicAdd(&counts[value], count); });
}

/* The whole device side, from host samples to host counts. */
static void histogram_gpu(const unsigned *a, int n, struct run *run, unsigned *counts)
{
    unsigned *d_a = device_input(unsigned, a, n);
    unsigned *d_counts = device_output(unsigned, run, MANY_BINS);

    blocks_that_stay(run, histogram, THREADS, 0, n, pack<unsigned>::EACH);
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_counts, 0, MANY_BINS * sizeof(unsigned)));
        histogram<<<run->blocks, THREADS>>>(d_a, n, d_counts);
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
                           .wave = {(void *)histogram, THREADS},
                           .wide = true});
}
