/* f7: 8192 and 16384 points in one pass over device memory. A new beginning.
 *
 * Before: f6 needs two kernels for them, and moves every number twice.
 * Now:    a signal of 128 KB fits in the shared memory of today's SM. 32 points per thread, passes
 *         of 32, 32 and 8 or 16 points. Blocks of fft() stay. While a block transforms one signal,
 *         the copy engine fetches the `next` one: first into the memory that is left, and after the
 *         last exchange into the place of the signal itself.
 * See:    docs/fft.md#f7
 */
#include "one_block.cuh"

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
    memory_init(m, have.roots);
    fetch_early(m, p, blockIdx.x);
    fetch_late(m, p, blockIdx.x);
    for (int signal = blockIdx.x, round = 0, next; signal < p.batch; signal = next, round++) {
        const int t = anew(threadIdx.x), k0 = t / LAST, u = t % LAST;
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
        fetch_early(m, p, next);
        transform<POINTS, false>(v, NULL); /* the first pass: a point of each row */
        for (int k = 0; k < POINTS; k++)
            m->part[place<N, (LAST < 16)>(k, t)] = v[k];
        __syncthreads();
        for (int r = 0; r < POINTS; r++)
            v[r] = m->part[place<N, (LAST < 16)>(k0, u + r * LAST)];
        for (int s = 0; s < 5; s++)
            power[s] = m->power[k0][s];
        transform<POINTS, true>(v, power); /* the second: in part k0 */
        __syncthreads();
        for (int k = 0; k < POINTS; k++)
            m->part[place<N>(k0, k * LAST + u)] = v[k];
        __syncthreads();
        for (int r = 0; r < POINTS; r++)
            v[r] = m->part[place<N>(t % 32, (t / 32 + r / LAST * LAST) * LAST + r % LAST)];
        before_copies();
        __syncthreads();
        fetch_late(m, p, next);
        for (int more = 0; more < MORE; more++) {
            float2(&w)[LAST] = *(float2(*)[LAST])(v + more * LAST);

            for (int s = 0; s < LOG; s++)
                power[s] = multiply(last[s], root_of_32(more << s));
            transform<LAST, true>(w, power); /* the third: in part t % 32 */
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
