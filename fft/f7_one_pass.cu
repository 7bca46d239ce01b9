/* f7: 8192 and 16384 points in one pass over device memory.
 *
 * Before: f6 needs two kernels for them, and carries every number twice.
 * Now:    a signal of 128 KB fits the shared memory of today's SM. 32 points a thread, in passes of
 *         32, 32 and 8 or 16 points. Blocks stay. While a signal is transformed, the copy engine
 *         fetches the next: into what is left, and after the last exchange into the signal's place.
 * See:    docs/fft.md#f7
 */
#include "persistent.cuh"

/* A signal of N points has 32 rows of THREADS points; AHEAD of them are fetched early. The last
 * pass has LAST points, and a thread does it MORE times. */
template <int N> struct memory {
    enum { THREADS = N / 32, AHEAD = N < 16384 ? 22 : 24, BLOCKS = 16384 / N };
    enum { LAST = N / 1024, MORE = 32 / LAST, LOG = log2_of(LAST) };

    float2 part[N], ahead[AHEAD][THREADS], power[32][5];
    uint64_t full;
    int next;
};

/* Where point i of part k is. The TURN by k keeps a half warp's accesses in different banks. */
template <int N, bool TURN = true> __device__ static int place(int k, int i)
{
    return k * (N / 32) + (TURN ? i ^ reversed(k) >> 1 : i);
}

template <int N, int FIRST, int COUNT>
__device__ static void fetch(struct memory<N> *m, float2 *to, const struct fft &p, int signal)
{
    enum { ROW = memory<N>::THREADS };

    fetch_rows<COUNT, ROW, ROW, ROW>(to, p.in + (size_t)signal * N + FIRST * ROW, &m->full,
                                     signal < p.batch);
}

template <int N, bool INVERSE>
__global__ void __launch_bounds__(memory<N>::THREADS, memory<N>::BLOCKS)
    fft(const struct fft p, const struct persistent have)
{
    enum { POINTS = 32, THREADS = memory<N>::THREADS, AHEAD = memory<N>::AHEAD };
    enum { LAST = memory<N>::LAST, MORE = memory<N>::MORE, LOG = memory<N>::LOG };
    extern __shared__ float4 shared[];
    struct memory<N> *const m = (struct memory<N> *)shared;
    float2 last[LOG];

    powers_of(last, have.roots, threadIdx.x);
    if (threadIdx.x < 32)
        powers_of(m->power[threadIdx.x], have.roots, threadIdx.x * LAST);
    if (threadIdx.x == 0)
        barriers_init(&m->full, 1, 2);
    __syncthreads();
    fetch<N, 0, AHEAD>(m, m->ahead[0], p, blockIdx.x);
    fetch<N, AHEAD, POINTS - AHEAD>(m, m->part, p, blockIdx.x);
    for (int signal = blockIdx.x, round = 0, next; signal < p.batch; signal = next, round++) {
        const int t = anew(threadIdx.x), k0 = t / LAST, u = t % LAST; /* k0, u: second pass */
        float2 *const to = p.out + (size_t)signal * N + t, *const rest = m->part + t;
        float2 v[POINTS], power[5];

        if (t == 0)
            m->next = gridDim.x + atomicAdd(have.counters, 1);
        barrier_wait(&m->full, round);
        for (int r = 0; r < POINTS; r++)
            v[r] = swap_if(INVERSE, r < AHEAD ? m->ahead[r][t] : rest[(r - AHEAD) * THREADS]);
        before_copies();
        __syncthreads();
        next = m->next;
        fetch<N, 0, AHEAD>(m, m->ahead[0], p, next);
        transform<POINTS, false>(v, NULL);
        for (int k = 0; k < POINTS; k++)
            m->part[place<N, (LAST < 16)>(k, t)] = v[k];
        __syncthreads();
        for (int r = 0; r < POINTS; r++)
            v[r] = m->part[place<N, (LAST < 16)>(k0, u + r * LAST)];
        for (int s = 0; s < 5; s++)
            power[s] = m->power[k0][s];
        transform<POINTS, true>(v, power);
        __syncthreads();
        for (int k = 0; k < POINTS; k++)
            m->part[place<N>(k0, k * LAST + u)] = v[k];
        __syncthreads();
        for (int r = 0; r < POINTS; r++)
            v[r] = m->part[place<N>(t % 32, (t / 32 + r / LAST * LAST) * LAST + r % LAST)];
        before_copies();
        __syncthreads();
        fetch<N, AHEAD, POINTS - AHEAD>(m, m->part, p, next);
        for (int more = 0; more < MORE; more++) {
            float2(&w)[LAST] = *(float2(*)[LAST])(v + more * LAST);

            for (int s = 0; s < LOG; s++)
                power[s] = multiply(last[s], root_of_32(more << s));
            transform<LAST, true>(w, power);
            for (int k = 0; k < LAST; k++)
                to[more * THREADS + k * 1024] = swap_if(INVERSE, w[k]);
        }
    }
}

template <int N> static struct team team_of(bool inverse)
{
    return {inverse ? fft<N, true> : fft<N, false>, 1, memory<N>::THREADS,
            sizeof(struct memory<N>)};
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    launch_persistent((p->n == 8192 ? team_of<8192> : team_of<16384>)(p->inverse), p->batch, p,
                      run);
}

static int wave(int n)
{
    return teams_at_once((n == 8192 ? team_of<8192> : team_of<16384>)(false));
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu,
                    {.min = 8192, .max = 16384, .usual = 16384, .wave = wave});
}
