/* b4: 16 bytes of samples per load.
 *
 * Before: a thread of b2 loads a sample, counts it, and loads the next.
 * Now:    it loads 16 bytes at once, 4 words or 16 bytes of samples: a `pack`. Then it counts
 *         all. The last samples, too few for a pack, are counted one by one. b3's bins for each
 *         warp are gone: they cost room, and the lanes of one warp collide as before.
 * See:    docs/histogram.md#b4
 */
#include "launch.cuh"

enum { THREADS = 1024 };

/* 16 bytes of samples, which one instruction loads. */
template <typename T> struct __align__(16) pack
{
    enum { EACH = 16 / sizeof(T) };
    unsigned word[4];

    __device__ T operator[](int k) const
    {
        return word[k * sizeof(T) / 4] >> k * sizeof(T) % 4 * 8;
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS) histogram(const T *a, int n, unsigned *counts)
{
    __shared__ unsigned mine[BINS];
    const int first = blockIdx.x * THREADS + threadIdx.x, packs = n / pack<T>::EACH;

    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        mine[bin] = 0;
    __syncthreads();
    for (int i = first; i < packs; i += gridDim.x * THREADS) {
        const pack<T> now = ((const pack<T> *)a)[i];

#pragma unroll
        for (int k = 0; k < pack<T>::EACH; k++)
            atomicAdd(&mine[now[k]], 1u);
    }
    if (first < n % pack<T>::EACH)
        atomicAdd(&mine[a[packs * pack<T>::EACH + first]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
        atomicAdd(&counts[bin], mine[bin]);
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
