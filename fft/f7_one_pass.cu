/* f7: 8192 and 16384 points in one pass over device memory.
 *
 * Before: f6 needs two kernels for them, and carries every number twice.
 * Now:    a signal of 128 KB fits the shared memory of today's SM. 32 points a thread, in passes of
 *         32, 32 and 8 or 16 points. Blocks stay. While a signal is transformed, the copy engine
 *         fetches the next: into what is left, and after the last exchange into the signal's place.
 * See:    docs/fft.md#f7
 */
#include "persistent.cuh"

/* Of a signal of N points, row r is the THREADS points from r * THREADS on. AHEAD of the 32 rows
 * are fetched early. The last pass has LAST points; a thread does it MORE times. */
template <int N> struct shape {
    enum { POINTS = 32, THREADS = N / POINTS, AHEAD = N < 16384 ? 22 : 24, BLOCKS = 16384 / N };
    enum { LAST = N / 1024, MORE = POINTS / LAST, LOG = log2_of(LAST) };
};

template <int N> struct memory {
    float2 part[N], ahead[shape<N>::AHEAD][shape<N>::THREADS], power[32][5];
    uint64_t full;
    int next;
};

/* Where point i of part k is. Without the turn by k, half a warp's accesses would meet in a bank.
 * */
template <int N, bool TURN = true> __device__ static int place(int k, int i)
{
    return k * (N / 32) + (TURN ? i ^ reversed(k) >> 1 : i);
}

/* The copy engine fetches COUNT rows of a signal, from row FIRST on. */
template <int N, int FIRST, int COUNT>
__device__ static void fetch(struct memory<N> *m, float2 *to, const struct fft &p, int signal)
{
    const int row = threadIdx.x, bytes = shape<N>::THREADS * sizeof(float2);
    const float2 *const from = p.in + (size_t)signal * N + FIRST * shape<N>::THREADS;

    if (signal < p.batch && row == 0)
        barrier_expect(&m->full, COUNT * bytes);
    if (signal < p.batch && row < COUNT)
        copy_bulk(to + row * shape<N>::THREADS, from + row * shape<N>::THREADS, bytes, &m->full);
}

template <int N, bool INVERSE>
__global__ void __launch_bounds__(shape<N>::THREADS, shape<N>::BLOCKS)
    fft(const struct fft p, const struct persistent have)
{
    enum { POINTS = 32, THREADS = shape<N>::THREADS, AHEAD = shape<N>::AHEAD };
    enum { LAST = shape<N>::LAST, MORE = shape<N>::MORE, LOG = shape<N>::LOG };
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
                __stcs(to + more * THREADS + k * 1024, swap_if(INVERSE, w[k]));
        }
    }
}

template <int N> static void launch(const struct fft *p, struct run *run)
{
    launch_persistent(p->inverse ? fft<N, true> : fft<N, false>, p, run,
                      {p->batch, 1, shape<N>::THREADS, sizeof(struct memory<N>), 0, 1});
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    (p->n == 8192 ? launch<8192> : launch<16384>)(p, run);
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu, {.min = 8192, .max = 16384, .usual = 16384});
}
