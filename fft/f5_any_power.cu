/* f5: every power of two from 8 to 4096. A new beginning.
 *
 * Before: f2 to f4 handle one length each, exchange real and imaginary parts one after the other,
 *         and multiply 15 of 16 points by a root of unity before each pass.
 * Now:    one kernel for all lengths. A thread holds points_of() points; a block holds as many
 *         signals as keep 64 or 128 threads busy. If a signal's threads fit in a warp, they wait
 *         only for each other. Points are exchanged whole, as 64-bit words, at places without bank
 *         conflicts. A butterfly multiplies on the way, with six multiply-adds, and needs only the
 *         powers w, w^2, w^4 ... of a root, which come from a table.
 * See:    docs/fft.md#f5
 */
#include "passes.cuh"

enum { MIN = 8, MAX = 4096 };

/* Found by trying: with few points per thread and small blocks an SM has many warps to choose from;
 * from 1024 points on, fewer exchanges are worth more. */
__host__ __device__ constexpr int points_of(int n)
{
    return n < 16 ? 2 : n < 512 ? 4 : n < 1024 ? 8 : 32;
}

__host__ __device__ constexpr int threads_of(int n)
{
    return n == 8 || n == 4096 ? 128 : 64;
}

/* How many signals a block takes. */
__host__ __device__ constexpr int signals_of(int n)
{
    return threads_of(n) * points_of(n) / n;
}

/* Each point is read once and written once: loads and stores are marked for streaming. The 1, one
 * block per SM at the least, lets the compiler have as many registers as it likes. */
template <int N>
__global__ void __launch_bounds__(threads_of(N), 1)
    fft(const struct fft p, const float2 *__restrict__ powers)
{
    constexpr int POINTS = points_of(N), THREADS = N / POINTS;
    __shared__ float2 shared[signals_of(N)][signal_of<N, POINTS>::ROOM];
    const int t = threadIdx.x % THREADS, mine = threadIdx.x / THREADS;
    const int number = blockIdx.x * signals_of(N) + mine;
    const size_t first = (size_t)number * N + t;
    float2 v[POINTS];

    if (number < p.batch)
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            v[r] = swap_if(p.inverse, __ldcs(&p.in[first + r * THREADS]));
    transform_signal<N, POINTS>(v, t, shared[mine], powers);
    if (number < p.batch)
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            __stcs(&p.out[first + r * THREADS], swap_if(p.inverse, v[r]));
}

template <int N> static void launch(const struct fft *p, struct run *run)
{
    float2 *powers = new_powers(N, points_of(N));

    run->blocks = (p->batch + signals_of(N) - 1) / signals_of(N);
    run->threads = threads_of(N);
    TIMED(run)
        fft<N><<<run->blocks, run->threads>>>(*p, powers);
    device_free(run, powers);
}

/* The kernel needs the length at compile time: try one after the other. */
template <int N> static void choose(const struct fft *p, struct run *run)
{
    if (p->n == N)
        launch<N>(p, run);
    else if constexpr (N < MAX)
        choose<2 * N>(p, run);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    choose<MIN>(p, run);
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu,
                    {.min = MIN, .max = MAX, .usual = 1024, .wave = signals_of});
}
