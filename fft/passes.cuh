/* A signal of N points, POINTS of them in the registers of each of N / POINTS threads: passes of
 * transforms in registers, and exchanges through shared memory between them.
 *
 * Thread t begins with points t, t + THREADS, t + 2 THREADS ... and ends with the same places of
 * the result. So it is before each pass, too: exchanges differ only in how they write.
 */
#ifndef PASSES_CUH
#define PASSES_CUH

#include "points.cuh"

#include <stdlib.h>

/* Shared memory for an exchange, in float2: 64-bit words, of which half a warp moves 16 at a time.
 * Those are POINTS apart in the signal, or neighbours. To keep them in different banks, whichever
 * they are, point i is at i ^ i / POINTS % 16. With 32 points a thread one word is left out after
 * each 32, which needs less arithmetic. Signals with few threads share a half warp: the next one
 * begins as many words later. */
template <int N, int POINTS> struct signal_of {
    enum { THREADS = N / POINTS, GAPS = POINTS == 32 };
    enum { ROOM = N + (GAPS ? N / 32 : THREADS < 16 ? THREADS : 0) };

    __device__ static unsigned place(unsigned i)
    {
        return GAPS ? i + i / 32 : i ^ i / POINTS % 16;
    }

    /* The same for i + further: known when compiled, that may be a constant more. */
    __device__ static unsigned place(unsigned i, unsigned further)
    {
        if (GAPS ? further % 32 : further % (16 * POINTS))
            return place(i + further);
        return place(i) + further + (GAPS ? further / 32 : 0);
    }

    /* The threads of a signal wait for each other: a warp, if they are one or part of one. */
    template <bool BLOCK> __device__ static void wait(void)
    {
        if constexpr (THREADS <= 32 && !BLOCK)
            __syncwarp();
        else
            __syncthreads();
    }
};

/* What a thread needs for a pass of radix RADIX behind passes whose radices have the product DONE.
 * Transform j is one of DONE different ones, j % DONE; its point r is first multiplied by w^r, with
 * w = exp(-2 pi i (j % DONE) / (DONE RADIX)). power[m][s] is w^(2^s) for transform m of this
 * thread; the table has it at s * DONE + j % DONE. */
template <int N, int POINTS, int DONE> struct pass_of {
    enum { RADIX = N / DONE < POINTS ? N / DONE : POINTS };
    enum { COUNT = POINTS / RADIX, THREADS = N / POINTS, LOG = log2_of(RADIX) };

    float2 power[COUNT][LOG];

    __device__ void fetch(unsigned t, const float2 *__restrict__ powers)
    {
#pragma unroll
        for (int m = 0; m < COUNT; m++)
#pragma unroll
            for (int s = 0; s < LOG; s++)
                power[m][s] = powers[s * DONE + (t + m * THREADS) % DONE];
    }

    __device__ void transform_all(float2 (&v)[POINTS]) const
    {
#pragma unroll
        for (int m = 0; m < COUNT; m++) {
            float2 u[RADIX];

#pragma unroll
            for (int r = 0; r < RADIX; r++)
                u[r] = v[m + r * COUNT];
            transform<RADIX, (DONE > 1)>(u, power[m]);
#pragma unroll
            for (int r = 0; r < RADIX; r++)
                v[m + r * COUNT] = u[r];
        }
    }

    /* Point k of transform j goes to place j / DONE * DONE * RADIX + j % DONE + k * DONE. */
    __device__ static void write(const float2 (&v)[POINTS], unsigned t, float2 *shared)
    {
#pragma unroll
        for (int m = 0; m < COUNT; m++) {
            const unsigned j = t + m * THREADS, first = j / DONE * DONE * RADIX + j % DONE;

#pragma unroll
            for (int k = 0; k < RADIX; k++)
                shared[signal_of<N, POINTS>::place(first, k * DONE)] = v[m + k * COUNT];
        }
    }
};

/* What is behind the pass `now`: an exchange, and the next pass, as long as there is one. The
 * powers for that are fetched before the wait, which then hides their latency. */
template <int N, int POINTS, bool BLOCK, int DONE>
__device__ inline void go_on(float2 (&v)[POINTS], unsigned t, float2 *shared,
                             const float2 *__restrict__ powers)
{
    using signal = signal_of<N, POINTS>;
    using now = pass_of<N, POINTS, DONE>;

    if constexpr (DONE * now::RADIX < N) {
        pass_of<N, POINTS, DONE * now::RADIX> next;

        signal::template wait<BLOCK>();
        now::write(v, t, shared);
        next.fetch(t, powers);
        signal::template wait<BLOCK>();
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            v[r] = shared[signal::place(t, r * signal::THREADS)];
        next.transform_all(v);
        go_on<N, POINTS, BLOCK, DONE * now::RADIX>(v, t, shared,
                                                   powers + DONE * now::RADIX * next.LOG);
    }
}

/* The whole transform: passes with the radix POINTS, the last one with what is left of N. With
 * BLOCK all threads of the block wait for each other: where those of a signal are no neighbours. */
template <int N, int POINTS, bool BLOCK = false>
__device__ inline void transform_signal(float2 (&v)[POINTS], unsigned t, float2 *shared,
                                        const float2 *__restrict__ powers)
{
    const pass_of<N, POINTS, 1> first = {};

    first.transform_all(v);
    go_on<N, POINTS, BLOCK, 1>(v, t, shared, powers);
}

/* The table `powers` of transform_signal<n, points>(), on the device; device_free() it. */
static inline float2 *new_powers(int n, int points)
{
    float2 *roots = (float2 *)memory_host(n * sizeof(float2));
    float2 *powers = (float2 *)memory_host(n * 5 * sizeof(float2)), *device;
    int count = 0;

    for (int done = points; done < n;) {
        const int radix = n / done < points ? n / done : points;

        fft_roots(roots, done * radix, done * radix / 2);
        for (int power = 1; power < radix; power *= 2)
            for (int j = 0; j < done; j++)
                powers[count++] = roots[j * power];
        done *= radix;
    }
    device = device_input(float2, powers, count ? count : 1);
    free(roots);
    free(powers);
    return device;
}

#endif
