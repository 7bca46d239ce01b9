/* f4: 4096 points.
 *
 * Before: f3 transforms 2048 points.
 * Now:    256 `THREADS`, and a last pass of 16 points instead of 8: 4096 is 16 * 16 * 16. All
 *         real parts would be 16 KB, all that an SM of the GTX 280 has, so the halves take turns
 *         here too: 8 KB, and again one block per SM.
 * See:    docs/fft.md#f4
 */
#include "three_passes.cuh"

enum { N = 4096, THREADS = N / POINTS, HALF = N / 2 };

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
    pass<N, 16>(v, roots, 256);
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
