/* f8: 32768 points in a cluster of four blocks. A new beginning.
 *
 * Before: in f7 a signal must fit in the shared memory of one SM; 256 KB do not.
 * Now:    four blocks hold a quarter each. The exchange after the first pass goes through
 *         distributed shared memory: with send_all() a thread sends results to the block that needs
 *         them next. One barrier there counts the bytes that arrive; another says that a block has
 *         read them, so that the next signal's may come. What follows stays in the block: finish().
 * See:    docs/fft.md#f8
 */
#include "cluster.cuh"

typedef struct share<32> share_t;

/* Send PARTS results to `there`, PART apart, in another block: its barrier counts the bytes. */
__device__ static void send_all(unsigned there, const float2 *v, unsigned barrier)
{
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 "
                     "[%0], {%1, %2}, [%3];" ::"r"(there + k * PART * (unsigned)sizeof(float2)),
                     "f"(v[k].x), "f"(v[k].y), "r"(barrier)
                     : "memory");
}

template <bool INVERSE>
__global__ void __launch_bounds__(THREADS, 2) fft(const struct fft p, const struct persistent have)
{
    enum { ROW = share_t::ROW, AHEAD = share_t::AHEAD, BLOCKS = share_t::BLOCKS };
    extern __shared__ float4 shared[];
    share_t *const m = (share_t *)shared;
    const int rank = cluster_rank(), first = blockIdx.x / BLOCKS;
    float2 last[5];

    powers_of(last, have.roots, rank * PARTS + threadIdx.x % PARTS + threadIdx.x / PARTS * 32);
    share_init(m, have.counters);
    fetch_early(m, p, first);
    fetch_late(m, p, first);
    for (int signal = first, round = 0, next;; signal = next, round++) {
        const int t = anew(threadIdx.x); /* the block's column */
        float2 *const here = m->part[0] + rank * ROW + t;
        float2 v[POINTS];

        next = next_wait(&m->next, round + 1);
        if (signal >= p.batch)
            break;
        barrier_wait(&m->full, round);
        for (int r = 0; r < POINTS; r++)
            v[r] = swap_if(INVERSE, r < AHEAD ? m->ahead[r][t] : here[(r - AHEAD) * PART]);
        before_copies();
        __syncthreads();
        fetch_early(m, p, next);
        transform<POINTS, false>(v, NULL);
        if (round > 0)
            barrier_wait_cluster(&m->freed, round - 1);
#pragma unroll
        for (int b = 0; b < BLOCKS; b++)
            if (b == rank)
                keep<PARTS>(here, PART, &v[b * PARTS]);
            else
                send_all(in_block(here, b), &v[b * PARTS], in_block(&m->arrived, b));
        finish<32, INVERSE>(m, p, have, last, signal, next, round);
    }
    cluster_meet();
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    launch_persistent(team_of<32>(p->inverse ? fft<true> : fft<false>), p->batch, p, run);
}

static int wave(int)
{
    return teams_at_once(team_of<32>(fft<false>));
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu,
                    {.min = share_t::N, .max = share_t::N, .wave = wave});
}
