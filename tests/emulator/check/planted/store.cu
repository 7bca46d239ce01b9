/* Planted: bulk copies out of shared memory and into several blocks of a cluster (compute
 * capability 9.0), without what they need. */
#include "planted.h"

#include <cstdint>

enum { THREADS = 64, BYTES = THREADS * 4, BLOCKS = 2 };

__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define STORE(to, from)                                                            \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t" \
                 "cp.async.bulk.commit_group;" ::"l"(to),                          \
                 "r"(shared_address(from)), "r"(BYTES)                             \
                 : "memory")
#define WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define CLUSTER_BARRIER() \
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory")

/* The buffer is filled again while the copy may still read it. */
template <bool REPAIRED> __global__ void source_changed(int *out)
{
    __shared__ __align__(16) int buffer[THREADS];

    for (int round = 0; round < 2; round++) {
        buffer[threadIdx.x] = round; // PLANTED: source_changed
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            STORE(out + round * THREADS, buffer);
            if (REPAIRED || round)
                WAIT_READ();
        }
        __syncthreads();
    }
}

/* The copy engine does not wait for ordinary stores. */
template <bool REPAIRED> __global__ void store_not_fenced(int *out)
{
    __shared__ __align__(16) int buffer[THREADS];

    buffer[threadIdx.x] = 1;
    if (REPAIRED)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, buffer); // PLANTED: store_not_fenced
        WAIT_READ();
    }
}

/* The block may end before the copy has read its shared memory. */
template <bool REPAIRED> __global__ void block_ends_first(int *out)
{
    __shared__ __align__(16) int buffer[THREADS];

    buffer[threadIdx.x] = 1;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, buffer); // PLANTED: block_ends_first
        if (REPAIRED)
            WAIT_READ();
    }
}

/* That the source has been read does not say that its bytes have come. */
template <bool REPAIRED> __global__ void result_too_soon(int *out)
{
    __shared__ __align__(16) int buffer[THREADS];

    buffer[threadIdx.x] = 1;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, buffer);
        if (REPAIRED)
            WAIT();
        else
            WAIT_READ();
        out[THREADS] = out[1]; // PLANTED: result_too_soon
    }
}

/* Block 0 fetches for both, and the other one may not have made its barrier yet. */
template <bool REPAIRED> __global__ void __cluster_dims__(BLOCKS, 1, 1) others_not_ready(int *out)
{
    __shared__ __align__(16) int tile[THREADS];
    __shared__ uint64_t full;
    unsigned rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
            "fence.mbarrier_init.release.cluster;\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
            "r"(BYTES)
            : "memory");
    if (REPAIRED)
        CLUSTER_BARRIER();
    if (threadIdx.x == 0 && rank == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(tile)),
                     "l"(out), "r"(BYTES), "r"(shared_address(&full)),
                     "h"((short)3) // PLANTED: others_not_ready
                     : "memory");
    __syncthreads();
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
                 "@!done bra again;\n\t}" ::"r"(shared_address(&full))
                 : "memory");
    out[(1 + rank) * THREADS + threadIdx.x] = tile[threadIdx.x];
    CLUSTER_BARRIER();
}

static void run(void (*kernel)(int *), int blocks)
{
    int *out = device_ints(3 * THREADS, 0);

    kernel<<<blocks, THREADS>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}

static const struct planted cases[] = {
    CASE(source_changed, 1),  CASE(store_not_fenced, 1),      CASE(block_ends_first, 1),
    CASE(result_too_soon, 1), CASE(others_not_ready, BLOCKS),
};

PLANTED_MAIN(cases)
