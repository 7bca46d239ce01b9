/* b3: bins for each warp.
 *
 * Before: in b2 all warps of a block add to the same 256 words of shared memory.
 * Now:    `mine` has bins for each of the block's WARPS warps, so that no warp meets another. In
 *         the end a thread adds up what all warps have of a bin.
 * See:    docs/histogram.md#b3
 */
#include "launch.cuh"

enum { THREADS = 1024, WARPS = THREADS / 32 };

template <typename T>
__global__ void __launch_bounds__(THREADS) histogram(const T *a, int n, unsigned *counts)
{
    __shared__ unsigned mine[WARPS][BINS];

    for (int bin = threadIdx.x; bin < WARPS * BINS; bin += THREADS)
        mine[0][bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        atomicAdd(&mine[threadIdx.x / 32][a[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        unsigned sum = 0;

        for (int warp = 0; warp < WARPS; warp++)
            sum += mine[warp][bin];
        atomicAdd(&counts[bin], sum);
    }
}

/* The whole device side, from host samples to host counts. */
template <typename T>
static void histogram_gpu(const T *a, int n, struct run *run, unsigned *counts)
{
    T *d_a = device_input(T, a, n);
    unsigned *d_counts = device_output(unsigned, run, BINS);

    blocks_that_stay(run, histogram<T>, THREADS, 0, n, 1);
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_counts, 0, BINS * sizeof(unsigned)));
        histogram<<<run->blocks, THREADS>>>(d_a, n, d_counts);
    }

    device_fetch(unsigned, counts, d_counts, BINS);
    device_free(run, d_a);
    device_free(run, d_counts);
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, STEP,
                          {.words = histogram_gpu<unsigned>,
                           .bytes = histogram_gpu<unsigned char>,
                           .wave = {(void *)histogram<unsigned>, THREADS}});
}
