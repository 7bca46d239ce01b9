/* b1: a thread per sample, and atomic additions in device memory.
 *
 * Now:    each thread takes one sample, and adds 1 to the bin of that value. Threads that meet in a
 *         bin must not lose each other's 1: atomicAdd() reads, adds and writes as one step, in the
 *         L2 cache. In histogram() is all that a histogram needs.
 * See:    docs/histogram.md#b1
 */
#include "histogram.h"

enum { THREADS = 256 };

template <typename T>
__global__ void __launch_bounds__(THREADS) histogram(const T *a, int n, unsigned *counts)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[a[i]], 1u);
}

/* The whole device side, from host samples to host counts. */
template <typename T>
static void histogram_gpu(const T *a, int n, struct run *run, unsigned *counts)
{
    T *d_a;
    unsigned *d_counts = device_output(unsigned, run, BINS);

    CHECK(cudaMalloc(&d_a, n * sizeof(T)));
    CHECK(cudaMemcpy(d_a, a, n * sizeof(T), cudaMemcpyHostToDevice));

    run->blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
    run->threads = THREADS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_counts, 0, BINS * sizeof(unsigned)));
        histogram<<<run->blocks, THREADS>>>(d_a, n, d_counts);
    }

    CHECK(cudaMemcpy(counts, d_counts, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    device_free(run, d_counts);
}

int main(int argc, char **argv)
{
    return histogram_main(
        argc, argv, STEP,
        {.words = histogram_gpu<unsigned>, .bytes = histogram_gpu<unsigned char>});
}
