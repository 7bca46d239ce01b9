/* b6: a column of bins for each lane.
 *
 * Before: in b5 lanes of a warp that add to different bins in one bank, or to one bin, take turns.
 * Now:    each bin is a row of `mine`, 32 words for the 32 lanes: lane l adds to word l, which is
 *         in bank l, whatever its sample is. In the end a thread adds up its row, and begins at
 *         its own lane's word, so that then, too, no two lanes read from one bank. On an H200 b4
 *         is faster all the same, unless bytes are all in one bank: it waits for memory.
 * See:    docs/histogram.md#b6
 */
#include "launch.cuh"
#include "packs.cuh"

enum { THREADS = 1024, LANES = 32 };

template <typename T>
__global__ void __launch_bounds__(THREADS) histogram(const T *a, int n, unsigned *counts)
{
    __shared__ unsigned mine[BINS][LANES];
    const int lane = threadIdx.x % LANES;

    for (int i = threadIdx.x; i < BINS * LANES; i += THREADS)
        mine[0][i] = 0;
    __syncthreads();
    add_all(a, n, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS,
            [&](T value, unsigned count) { atomicAdd(&mine[value][lane], count); });
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        unsigned sum = 0;

        for (int k = 0; k < LANES; k++)
            sum += mine[bin][(lane + k) % LANES];
        atomicAdd(&counts[bin], sum);
    }
}

/* The whole device side, from host samples to host counts. */
template <typename T>
static void histogram_gpu(const T *a, int n, struct run *run, unsigned *counts)
{
    T *d_a = device_input(T, a, n);
    unsigned *d_counts = device_output(unsigned, run, BINS);

    blocks_that_stay(run, histogram<T>, THREADS, 0, n, pack<T>::EACH);
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
                           .wave = {(void *)histogram<unsigned>, THREADS},
                           .wide = true});
}
