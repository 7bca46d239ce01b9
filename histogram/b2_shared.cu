/* b2: each block counts in its shared memory first.
 *
 * Before: in b1 every sample is an atomic addition in the L2 cache, all to the same 256 words.
 * Now:    as many blocks as fit on the GPU at once stay there: at_once() asks how many. Each has
 *         bins of its own in `mine`, empties them, counts its samples there, and in the end adds
 *         its bins to those of all.
 * See:    docs/histogram.md#b2
 */
#include "histogram.h"

enum { THREADS = 1024 };

template <typename T>
__global__ void __launch_bounds__(THREADS) histogram(const T *a, int n, unsigned *counts)
{
    __shared__ unsigned mine[BINS];

    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        mine[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        atomicAdd(&mine[a[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        atomicAdd(&counts[bin], mine[bin]);
}

/* How many blocks of THREADS threads the GPU holds at once. */
template <typename K> static int at_once(K *kernel)
{
    int device, sms, blocks;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, 0));
    return sms * blocks;
}

/* The whole device side, from host samples to host counts. */
template <typename T>
static void histogram_gpu(const T *a, int n, struct run *run, unsigned *counts)
{
    T *d_a = device_input(T, a, n);
    unsigned *d_counts = device_output(unsigned, run, BINS);

    run->blocks = min(at_once(histogram<T>), n > 0 ? (n - 1) / THREADS + 1 : 1);
    run->threads = THREADS;
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
