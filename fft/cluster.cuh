/* Signals spread over a cluster (compute capability 9.0), whose blocks write into each other's
 * shared memory. What is sent arrives some time later; a barrier of the receiving block counts the
 * bytes.
 *
 * A signal of N points has ROWS rows of 1024, ROWS being N / 1024, and a cluster of ROWS / 8
 * blocks. The first pass transforms columns: a block has 8192 / ROWS of them. Of its ROWS results
 * each block then keeps 8, for all columns: its parts. From there on no block needs another's. */
#ifndef CLUSTER_CUH
#define CLUSTER_CUH

#include "persistent.cuh"

__device__ inline void send(unsigned to, float2 value, unsigned barrier)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 "
                 "[%0], {%1, %2}, [%3];" ::"r"(to),
                 "f"(value.x), "f"(value.y), "r"(barrier)
                 : "memory");
}

__device__ inline void send(unsigned to, int value, unsigned barrier)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 "
                 "[%0], %1, [%2];" ::"r"(to),
                 "r"(value), "r"(barrier)
                 : "memory");
}

/* COUNT results to `here`, `apart` from each other; or to `there` in another block. */
template <int COUNT> __device__ inline void keep(float2 *here, int apart, const float2 *v)
{
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        here[k * apart] = v[k];
}

template <int COUNT>
__device__ inline void send_all(unsigned there, int apart, const float2 *v, unsigned barrier)
{
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        send(there + k * apart * (unsigned)sizeof(float2), v[k], barrier);
}

/* Arrive at another block's barrier. Being relaxed it does not wait for stores to device memory
 * that are under way; what must come before it needs before_copies() and a __syncthreads(). */
__device__ inline void arrive_at(unsigned barrier)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}

/* barrier_wait() for what other blocks send. */
__device__ inline void barrier_wait_cluster(uint64_t *barrier, int round)
{
    asm volatile(
        "{\n\t.reg .pred done;\n"
        "again:\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
        "@!done bra again;\n\t}" ::"r"(shared_address(barrier)),
        "r"(round & 1)
        : "memory");
}

/* The number of the signal that comes next, the same in all blocks. It is asked for two rounds
 * ahead: so two places take turns. */
struct next_signal {
    uint64_t told[2];
    int number[2];
};

/* The first block takes the number for round `round`, from 1 on, and tells the others. One thread
 * does it. */
__device__ inline void next_ask(struct next_signal *next, int *counter, int blocks, int round)
{
    barrier_expect(&next->told[round % 2], sizeof(int));
    if (cluster_rank() == 0) {
        const int number = gridDim.x / blocks + atomicAdd(counter, 1);

        for (int b = 0; b < blocks; b++)
            send(in_block(&next->number[round % 2], b), number,
                 in_block(&next->told[round % 2], b));
    }
}

/* The number for round `round`. */
__device__ inline int next_wait(struct next_signal *next, int round)
{
    barrier_wait_cluster(&next->told[round % 2], (round - 1) / 2);
    return next->number[round % 2];
}

enum { POINTS = 32, THREADS = 256, PARTS = 8, PART = 1024 };

/* Of a block's columns AHEAD rows are fetched early, the next PARTS of them into the places of
 * `part` that no other block writes. */
template <int ROWS> struct share {
    enum { N = ROWS * PART, BLOCKS = ROWS / PARTS, ROW = PART / BLOCKS, AHEAD = 24 * 256 / ROW };

    float2 part[PARTS][PART], ahead[AHEAD][ROW];
    uint64_t full, arrived, freed;
    struct next_signal next;
};

/* Before all else; all threads call it. */
template <int ROWS> __device__ inline void share_init(struct share<ROWS> *m, int *counter)
{
    if (threadIdx.x == 0) {
        barriers_init(&m->full, 1, 2);
        barriers_init(&m->arrived, 1, THREADS);
        barriers_init(&m->freed, 1, share<ROWS>::BLOCKS);
        barriers_init(m->next.told, 2);
    }
    cluster_meet();
    if (threadIdx.x == 0)
        next_ask(&m->next, counter, share<ROWS>::BLOCKS, 1);
}

/* Where this block's columns of a signal begin. */
template <int ROWS> __device__ inline const float2 *columns_of(const struct fft &p, int signal)
{
    return p.in + (size_t)signal * share<ROWS>::N + cluster_rank() * share<ROWS>::ROW;
}

/* Fetch the signal's early rows, and its late ones. */
template <int ROWS>
__device__ inline void fetch_early(struct share<ROWS> *m, const struct fft &p, int signal)
{
    enum { ROW = share<ROWS>::ROW };

    fetch_rows<share<ROWS>::AHEAD, ROW, ROW, PART>(m->ahead[0], columns_of<ROWS>(p, signal),
                                                   &m->full, signal < p.batch);
}

template <int ROWS>
__device__ inline void fetch_late(struct share<ROWS> *m, const struct fft &p, int signal)
{
    enum { ROW = share<ROWS>::ROW, AHEAD = share<ROWS>::AHEAD };

    fetch_rows<PARTS, ROW, PART, PART>(m->part[0] + cluster_rank() * ROW,
                                       columns_of<ROWS>(p, signal) + AHEAD * PART, &m->full,
                                       signal < p.batch);
}

/* Once all results of the first pass have arrived: the second pass, with 32 points of a part in
 * each thread; an exchange; the third pass, which stores its results in device memory. `last` has
 * the powers for the third pass. Between the two passes the block requests the next signal's late
 * rows. */
template <int ROWS, bool INVERSE>
__device__ inline void finish(struct share<ROWS> *m, const struct fft &p,
                              const struct persistent &have, const float2 (&last)[5], int signal,
                              int next, int round)
{
    const int t = anew(threadIdx.x), part = t / 32, lane = t % 32, rank = cluster_rank();
    float2 *const to = p.out + (size_t)signal * share<ROWS>::N + rank * PARTS + t % PARTS;
    float2 v[POINTS], power[5];

    barrier_expect(&m->arrived, (PART - share<ROWS>::ROW) / 32 * sizeof(float2));
    powers_of(power, have.roots, (rank * PARTS + part) * 32);
    barrier_wait_cluster(&m->arrived, round);
    for (int r = 0; r < POINTS; r++)
        v[r] = m->part[part][lane + r * 32];
    transform<POINTS, true>(v, power);
    if (t == 0)
        next_ask(&m->next, have.counters, share<ROWS>::BLOCKS, round + 2);
    __syncwarp();
    for (int k = 0; k < POINTS; k++) /* the XOR avoids bank conflicts */
        m->part[part][k * 32 + (lane ^ (k % 2 * 8 + part))] = v[k];
    __syncthreads();
    for (int r = 0; r < POINTS; r++)
        v[r] = m->part[t % PARTS][t / PARTS * 32 + (r ^ t % 16)];
    before_copies();
    __syncthreads();
    if (t < share<ROWS>::BLOCKS)
        arrive_at(in_block(&m->freed, t));
    fetch_late(m, p, next);
    transform<POINTS, true>(v, last);
    for (int k = 0; k < POINTS; k++)
        to[t / PARTS * ROWS + k * 32 * ROWS] = swap_if(INVERSE, v[k]);
}

template <int ROWS> static struct team team_of(persistent_kernel *kernel)
{
    return {kernel, share<ROWS>::BLOCKS, THREADS, sizeof(struct share<ROWS>)};
}

#endif
