/* f3: half the shared memory, half the warps at a time.
 *
 * Before: f2 exchanges through 8 KB and more, so an SM with 16 KB has room for one block only:
 *         while that waits at a barrier, the SM waits.
 * Now:    the first half of the warps writes, everybody reads what is for it, then the second half
 *         writes and everybody reads the rest. 4 KB suffice, two blocks fit, and one computes while
 *         the other waits. The price: warps with roles, and twice as many barriers.
 *         It works because threads of the first half write places of the first half, and no others.
 * See:    docs/fft.md#f3
 */
#include "points.cuh"

enum { N = 2048, POINTS = 16, THREADS = N / POINTS, HALF = N / 2 };

static int64_t padding = 1; /* --padding */

template <bool PADDED> __device__ static int padded(int i)
{
    return PADDED ? i + i / 16 : i;
}

/* Transforms of RADIX points, THREADS apart from each other in number. `done` is the product of the
 * radices before; by that the points are turned. Afterwards point k of transform j belongs to place
 * j / done * done * RADIX + j % done + k * done. */
template <int RADIX>
__device__ static void pass(float2 (&v)[POINTS], const float2 *__restrict__ roots, int done)
{
    constexpr int COUNT = POINTS / RADIX;

#pragma unroll
    for (int m = 0; m < COUNT; m++) {
        const int j = threadIdx.x + m * THREADS;
        const int turn = j % done * (N / done / RADIX);
        float2 u[RADIX];

#pragma unroll
        for (int r = 0; r < RADIX; r++)
            u[r] = r && done > 1 ? multiply(v[m + r * COUNT], roots[r * turn]) : v[m + r * COUNT];
        transform<RADIX, false>(u, NULL);
#pragma unroll
        for (int r = 0; r < RADIX; r++)
            v[m + r * COUNT] = u[r];
    }
}

/* Half of the threads write one part of their points. */
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
    __shared__ float shared[PADDED ? HALF + HALF / 16 : HALF];
    const size_t first = (size_t)blockIdx.x * N + threadIdx.x;
    float2 v[POINTS];

    for (int r = 0; r < POINTS; r++)
        v[r] = swap_if(p.inverse, p.in[first + r * THREADS]);
    pass<16>(v, roots, 1);
    exchange<PADDED>(v, shared, 1);
    pass<16>(v, roots, 16);
    exchange<PADDED>(v, shared, 16);
    pass<8>(v, roots, 256);
    for (int r = 0; r < POINTS; r++)
        p.out[first + r * THREADS] = swap_if(p.inverse, v[r]);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    float2 roots[N], *d_roots;

    fft_roots(roots, N, N);
    d_roots = device_input(float2, roots, N);
    run->blocks = p->batch;
    run->threads = THREADS;
    TIMED(run)
        (padding ? fft<true> : fft<false>)<<<run->blocks, run->threads>>>(*p, d_roots);
    device_free(run, d_roots);
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
