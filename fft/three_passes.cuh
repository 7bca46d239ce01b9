/* 2048 or 4096 points in three passes: what f2, f3 and f4 share.
 *
 * One block per signal, 16 points per thread. Each pass transforms the points that a thread holds;
 * the exchange between two passes, the step's own, hands every thread the points that it transforms
 * next. Before each pass a thread holds points t, t + THREADS, t + 2 THREADS ...
 */
#ifndef THREE_PASSES_CUH
#define THREE_PASSES_CUH

#include "points.cuh"

enum { POINTS = 16 };

/* Where shared memory has point i. PADDED skips a word after every 16, so that threads that write
 * 16 words apart use different banks. */
template <bool PADDED> __host__ __device__ constexpr int padded(int i)
{
    return PADDED ? i + i / 16 : i;
}

/* Transforms of RADIX points, which lie N / RADIX apart in the signal. `done` is the product of the
 * radices of earlier passes, and decides the turns of the points. Point k of transform j afterwards
 * belongs at place j / done * done * RADIX + j % done + k * done. */
template <int N, int RADIX>
__device__ inline void pass(float2 (&v)[POINTS], const float2 *__restrict__ roots, int done)
{
    constexpr int COUNT = POINTS / RADIX, THREADS = N / POINTS;

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

/* The block's signal, from device memory and back. */
template <int N> __device__ inline void load_signal(float2 (&v)[POINTS], const struct fft &p)
{
    for (int r = 0; r < POINTS; r++)
        v[r] = swap_if(p.inverse, p.in[(size_t)blockIdx.x * N + threadIdx.x + r * (N / POINTS)]);
}

template <int N> __device__ inline void store_signal(const float2 (&v)[POINTS], const struct fft &p)
{
    for (int r = 0; r < POINTS; r++)
        p.out[(size_t)blockIdx.x * N + threadIdx.x + r * (N / POINTS)] = swap_if(p.inverse, v[r]);
}

/* Launch `kernel` with one block per signal; `roots` will be exp(-2 pi i k / N) for k below N. */
template <int N>
static void launch(void (*kernel)(struct fft p, const float2 *roots), const struct fft *p,
                   struct run *run)
{
    float2 roots[N], *d_roots;

    fft_roots(roots, N, N);
    d_roots = device_input(float2, roots, N);
    run->blocks = p->batch;
    run->threads = N / POINTS;
    TIMED(run)
        kernel<<<run->blocks, run->threads>>>(*p, d_roots);
    device_free(run, d_roots);
}

#endif
