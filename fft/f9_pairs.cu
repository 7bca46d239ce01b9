/* f9: 65536 points in a cluster of eight blocks.
 *
 * Before: if eight blocks shared 32 results as in f8, each would store 4 neighbours, 32 bytes.
 * Now:    the first pass has 64 points, shared by a pair of threads. One transforms the points with
 *         even numbers, the other those with odd numbers; join_pair() makes the last butterfly of
 *         both, by shuffles. So a block keeps 8 neighbouring results, and the rest is as before.
 * See:    docs/fft.md#f9
 */
#include "cluster.cuh"

typedef struct share<64> share_t;

/* The last stage of 64 points. One thread of the pair has the transform of the even points, the
 * other (`odd`) that of the odd ones; afterwards v[k] and v[k + 16] are results k + 16 * odd and 32
 * more. */
__device__ static void join_pair(float2 (&v)[POINTS], bool odd)
{
    const float2 root_of_64 = {0.995184727f, -0.0980171403f};

#pragma unroll
    for (int k = 0; k < POINTS / 2; k++) {
        const float2 give = odd ? v[k] : v[k + 16], half = root_of_32(k / 2);
        const float2 got = {__shfl_xor_sync(~0u, give.x, 16), __shfl_xor_sync(~0u, give.y, 16)};
        const float2 turn = k % 2 ? multiply(half, root_of_64) : half;
        float2 a = odd ? got : v[k], b = odd ? v[k + 16] : got;

        butterfly(a, b, odd ? quarter_turn(turn) : turn);
        v[k] = a;
        v[k + 16] = b;
    }
}

template <bool INVERSE>
__global__ void __launch_bounds__(THREADS, 2) fft(const struct fft p, const struct persistent have)
{
    enum { ROW = share_t::ROW, AHEAD = share_t::AHEAD, BLOCKS = share_t::BLOCKS };
    extern __shared__ float4 shared[];
    share_t *const m = (share_t *)shared;
    const int rank = cluster_rank(), first = blockIdx.x / BLOCKS;
    float2 last[5];

    powers_of(last, have.roots, rank * PARTS + threadIdx.x % PARTS + threadIdx.x / PARTS * 64);
    share_init(m, have.counters);
    fetch_early(m, p, first);
    fetch_late(m, p, first);
    for (int signal = first, round = 0, next;; signal = next, round++) {
        const int t = anew(threadIdx.x), odd = t / 16 % 2, column = t / 32 * 16 + t % 16;
        float2 *const here = m->part[0] + rank * ROW + column;
        const float2 *const from = p.in + (size_t)signal * share_t::N + rank * ROW + column;
        float2 v[POINTS];

        next = next_wait(&m->next, round + 1);
        if (signal >= p.batch)
            break;
        for (int r = (AHEAD + PARTS) / 2; r < POINTS; r++)
            v[r] = swap_if(INVERSE, __ldcs(from + (2 * r + odd) * PART));
        barrier_wait(&m->full, round);
        for (int r = 0; r < (AHEAD + PARTS) / 2; r++)
            v[r] = swap_if(INVERSE, r < AHEAD / 2 ? m->ahead[2 * r + odd][column]
                                                  : here[(2 * r + odd - AHEAD) * PART]);
        before_copies();
        __syncthreads();
        fetch_early(m, p, next);
        transform<POINTS, false>(v, NULL);
        join_pair(v, odd);
        if (round > 0)
            barrier_wait_cluster(&m->freed, round - 1);
#pragma unroll
        for (int k = 0; k < POINTS; k += PARTS) {
            const int b = (k / 16 * 32 + k % 16 + 16 * odd) / PARTS;

            if (b == rank)
                keep<PARTS>(here, PART, &v[k]);
            else
                send_all<PARTS>(in_block(here, b), PART, &v[k], in_block(&m->arrived, b));
        }
        finish<64, INVERSE>(m, p, have, last, signal, next, round);
    }
    cluster_meet();
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    launch_persistent(team_of<64>(p->inverse ? fft<true> : fft<false>), p->batch, p, run);
}

static int wave(int)
{
    return teams_at_once(team_of<64>(fft<false>));
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu,
                    {.min = share_t::N, .max = share_t::N, .wave = wave});
}
