/* f10: 2^20 points in two passes, with one round trip through device memory. A new beginning.
 *
 * Before: a signal of 8 MB fits in no cluster. f6 writes all of it between its two passes and reads
 *         it again.
 * Now:    one kernel does both passes, as 1024 x 1024: columns, then rows. The first pass hands its
 *         results to the second through a ring of three signals, 24 MB, which stay in the L2 cache.
 *         Blocks take tiles of eight columns or rows from a counter, in an order in which a
 *         signal's rows come `LEAD` steps after its columns; counters say which are done.
 * See:    docs/fft.md#f10
 */
#include "persistent.cuh"

#include <cuda/atomic>

enum { N = 1 << 20, SIDE = 1024, POINTS = 32, THREADS = 256, WIDE = 8, TILES = SIDE / WIDE };
enum { LEAD = 2, SLOTS = 3, ROW = 33, PART = POINTS * ROW + 2 }; /* uneven, for the banks */

struct memory {
    float2 part[WIDE][PART];
    int next;
};

typedef cuda::atomic_ref<int, cuda::thread_scope_device> count_ref;

__device__ static void wait_for_all(int *done)
{
    while (count_ref(*done).load(cuda::memory_order_acquire) < TILES)
        ;
}

/* This thread hands over its results for column or row `line`, as point `from` of the next
 * transforms, and gets the points that it transforms next. Returns the block's next tile, which
 * thread 0 knows. */
__device__ static int exchange(struct memory *m, float2 (&v)[POINTS], int line, int from, int next)
{
    for (int k = 0; k < POINTS; k++)
        m->part[line][k * ROW + from] = v[k];
    if (threadIdx.x == 0)
        m->next = next;
    __syncthreads();
    for (int r = 0; r < POINTS; r++)
        v[r] = m->part[threadIdx.x % WIDE][threadIdx.x / WIDE * ROW + r];
    return m->next;
}

template <bool INVERSE>
__global__ void __launch_bounds__(THREADS, 2) fft(const struct fft p, const struct persistent have)
{
    extern __shared__ float4 shared[];
    struct memory *const m = (struct memory *)shared;
    const int t = threadIdx.x, wide = t % WIDE, high = t / WIDE;
    const int all = TILES * (LEAD + 2 * p.batch);
    int *const columns_done = have.counters + 1, *const rows_done = columns_done + p.batch;

    for (int tile = blockIdx.x, next = 0; tile < all; tile = next) {
        const int step = tile / TILES, turn = step - LEAD, first = tile % TILES * WIDE;
        const bool rows = turn >= 0 && turn % 2 == 0;
        const int signal = rows ? turn / 2 : turn < 0 ? step : LEAD + turn / 2;
        float2 *const slot = have.ring + (size_t)(signal % SLOTS) * N;
        const size_t at = (size_t)signal * N + high * SIDE + first + wide;
        float2 v[POINTS] = {}, power[5];

        if (t == 0)
            next = gridDim.x + atomicAdd(have.counters, 1);
        if (rows) {
            compute_powers<32768>(power, first + t / 32);
            if (t == 0)
                wait_for_all(&columns_done[signal]);
            __syncthreads();
            for (int r = 0; r < POINTS; r++)
                v[r] = __ldcg(slot + (first + t / 32) * SIDE + r * 32 + t % 32);
            transform<POINTS, true>(v, power);
            next = exchange(m, v, t / 32, t % 32, next);
            if (t == 0) /* they have been read */
                count_ref(rows_done[signal]).fetch_add(1, cuda::memory_order_release);
            compute_powers<N>(power, first + wide + SIDE * high);
            transform<POINTS, true>(v, power);
            for (int k = 0; k < POINTS; k++)
                __stcs(p.out + at + k * 32 * SIDE, swap_if(INVERSE, v[k]));
        } else if (signal < p.batch) {
            for (int r = 0; r < POINTS; r++)
                v[r] = swap_if(INVERSE, __ldcs(p.in + at + r * 32 * SIDE));
            transform<POINTS, false>(v, NULL);
            if (t == 0 && signal >= SLOTS)
                wait_for_all(&rows_done[signal - SLOTS]);
            next = exchange(m, v, wide, high, next);
            compute_powers<SIDE>(power, high);
            transform<POINTS, true>(v, power);
            for (int k = 0; k < POINTS; k++)
                __stcg(slot + (high + k * 32) * SIDE + first + wide, v[k]);
        } else {
            next = exchange(m, v, wide, high, next);
        }
        __syncthreads();
        if (!rows && signal < p.batch && t == 0)
            count_ref(columns_done[signal]).fetch_add(1, cuda::memory_order_release);
    }
}

static struct team team(bool inverse)
{
    return {inverse ? fft<true> : fft<false>, 1, THREADS, sizeof(struct memory)};
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    launch_persistent(team(p->inverse), TILES * p->batch, p, run, (size_t)SLOTS * N,
                      1 + 2 * (size_t)p->batch);
}

static int wave(int) /* one signal more reuses a place in the ring */
{
    return max(teams_at_once(team(false)) / TILES, (int)SLOTS);
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu, {.min = N, .max = N, .wave = wave});
}
