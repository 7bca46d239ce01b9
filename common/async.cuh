/* Copies by the copy engine, barriers in shared memory, and clusters (compute capability 9.0). One
 * thread asks for a copy, the engine fetches it; a barrier counts threads that arrive and bytes
 * that come. */
#ifndef ASYNC_CUH
#define ASYNC_CUH

#include <stdint.h>

/* Where in shared memory p is: the 32-bit address that instructions of the engine take. */
__device__ inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* This block's number in its cluster. */
__device__ inline int cluster_rank(void)
{
    int rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* All threads of the cluster meet. */
__device__ inline void cluster_meet(void)
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/* The same where they have stored nothing that the others read: to show that takes as long as a
 * load from memory. What barriers_init() prepares is shown by its own fence. */
__device__ inline void cluster_meet_relaxed(void)
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::
                     : "memory");
}

/* Where block `rank` of the cluster has what is at p in this one. */
__device__ inline unsigned in_block(const void *p, int rank)
{
    unsigned there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}

/* Prepare `count` barriers, each for `arrivals` threads that arrive and the bytes they announce,
 * and show them to the copy engine. One thread does it, and a __syncthreads() follows. */
__device__ inline void barriers_init(uint64_t *barriers, int count, int arrivals = 1)
{
    for (int i = 0; i < count; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barriers[i])),
                     "r"(arrivals));
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::
                     : "memory");
}

/* Arrive, and announce `bytes` bytes of copies. */
__device__ inline void barrier_expect(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/* Arrive. What this thread did before is seen by those who wait for the round. */
__device__ inline void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* Arrive at the barrier of block `rank` of the cluster that is where `barrier` is in this one. What
 * this thread has stored need not be seen there yet: to wait for that would take as long as a load
 * from memory. */
__device__ inline void barrier_arrive_in(uint64_t *barrier, int rank)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     in_block(barrier, rank))
                 : "memory");
}

/* Wait until round `round` of this barrier is complete: all have arrived, and all bytes. */
__device__ inline void barrier_wait(uint64_t *barrier, int round)
{
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" ::"r"(shared_address(barrier)),
                 "r"(round & 1)
                 : "memory");
}

/* Copy `bytes` bytes, a multiple of 16, from device to shared memory; both begin at one. */
__device__ inline void copy_bulk(void *to, const void *from, int bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* What this thread has read from shared memory or written there is done before what the copy engine
 * does from the next barrier on. The engine does not wait for loads that are under way. */
__device__ inline void before_copies(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
