/* Signals of 8192 and 16384 points, each in the shared memory of one block (compute capability
 * 9.0), and the copies by which the next one comes. */
#ifndef ONE_BLOCK_CUH
#define ONE_BLOCK_CUH

#include "persistent.cuh"

/* What a block of THREADS threads has in shared memory. A signal has 32 rows of THREADS points;
 * AHEAD of them are fetched early. The last pass has LAST points, and a thread does it MORE
 * times. */
template <int N> struct memory {
    enum { THREADS = N / 32, AHEAD = N < 16384 ? 22 : 24, BLOCKS = 16384 / N };
    enum { LAST = N / 1024, MORE = 32 / LAST, LOG = log2_of(LAST) };

    float2 part[N], ahead[AHEAD][THREADS];
    float2 power[32][5]; /* for the second pass */
    uint64_t full;
    int next;
};

/* Where point i of part k is. The TURN by k keeps a half warp's accesses in different banks. */
template <int N, bool TURN = true> __device__ inline int place(int k, int i)
{
    return k * (N / 32) + (TURN ? i ^ reversed(k) >> 1 : i);
}

/* Before all else; all threads call it. */
template <int N> __device__ inline void memory_init(struct memory<N> *m, const float2 *roots)
{
    if (threadIdx.x < 32)
        powers_of(m->power[threadIdx.x], roots, threadIdx.x * memory<N>::LAST);
    if (threadIdx.x == 0)
        barriers_init(&m->full, 1, 2);
    __syncthreads();
}

/* Fetch the signal's first AHEAD rows, and the others. */
template <int N>
__device__ inline void fetch_early(struct memory<N> *m, const struct fft &p, int signal)
{
    enum { ROW = memory<N>::THREADS };

    fetch_rows<memory<N>::AHEAD, ROW, ROW, ROW>(m->ahead[0], p.in + (size_t)signal * N, &m->full,
                                                signal < p.batch);
}

template <int N>
__device__ inline void fetch_late(struct memory<N> *m, const struct fft &p, int signal)
{
    enum { ROW = memory<N>::THREADS, AHEAD = memory<N>::AHEAD };

    fetch_rows<32 - AHEAD, ROW, ROW, ROW>(m->part, p.in + (size_t)signal * N + AHEAD * ROW,
                                          &m->full, signal < p.batch);
}

#endif
