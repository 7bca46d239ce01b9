/* f3: half the shared memory, half the warps at a time.
 *
 * Before: f2 exchanges through more than 8 KB, so only one block fits on an SM with 16 KB. While
 *         that block waits at a barrier, the SM is idle.
 * Now:    the first half of the warps writes with give() and all threads read what they need of
 *         it; then the second half writes and all read the rest. 4 KB are enough, two blocks fit,
 *         and one computes while the other waits. The price: half the warps write while the others
 *         idle, and there are twice as many barriers.
 *         This works because the first half of the threads writes only to the first half of the
 *         signal.
 * See:    docs/fft.md#f3
 */
#include "three_passes.cuh"

enum { N = 2048, THREADS = N / POINTS, HALF = N / 2 };

static int64_t padding = 1; /* --padding */

/* One half of the threads writes one part of its points. */
template <bool PADDED>
__device__ static void give(const float2 (&v)[POINTS], float *shared, int done, int part, int half)
{
    const int j = threadIdx.x, place = j / done * done * POINTS + j % done - half * HALF;

    __syncthreads();
    if (j / (THREADS / 2) == half)
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            shared[padded<PADDED>(place + r * done)] = part ? v[r].y : v[r].x;
    __syncthreads();
}

/* From where a pass of 16 left the points to where the next one wants them: THREADS apart. What the
 * first half gave is kept aside until the second half has written too. */
template <bool PADDED> __device__ static void exchange(float2 (&v)[POINTS], float *shared, int done)
{
#pragma unroll
    for (int part = 0; part < 2; part++) {
        float aside[POINTS / 2];

        give<PADDED>(v, shared, done, part, 0);
#pragma unroll
        for (int r = 0; r < POINTS / 2; r++)
            aside[r] = shared[padded<PADDED>(threadIdx.x + r * THREADS)];
        give<PADDED>(v, shared, done, part, 1);
#pragma unroll
        for (int r = 0; r < POINTS / 2; r++) {
            (part ? v[r].y : v[r].x) = aside[r];
            (part ? v[r + POINTS / 2].y : v[r + POINTS / 2].x) =
                shared[padded<PADDED>(threadIdx.x + r * THREADS)];
        }
    }
}

template <bool PADDED>
__global__ void __launch_bounds__(THREADS) fft(const struct fft p, const float2 *roots)
{
    __shared__ float shared[padded<PADDED>(HALF)];
    float2 v[POINTS];

    load_signal<N>(v, p);
    pass<N, 16>(v, roots, 1);
    exchange<PADDED>(v, shared, 1);
    pass<N, 16>(v, roots, 16);
    exchange<PADDED>(v, shared, 16);
    pass<N, 8>(v, roots, 256);
    store_signal<N>(v, p);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    launch<N>(padding ? fft<true> : fft<false>, p, run);
}

int main(int argc, char **argv)
{
    return fft_main(
        argc, argv, STEP, fft_gpu,
        {.min = N,
         .max = N,
         .options = {
             {.name = "padding", .value = &padding, .max = 1, .help = "0: bank conflicts"}}});
}
