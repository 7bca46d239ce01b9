/* Planted: blocks of a cluster (compute capability 9.0) that use each other's shared memory. Prints
 * the sum of what the threads got. */
#include "planted.h"

#include <cooperative_groups.h>
#include <stdint.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, BLOCKS = 4, CLUSTER = 2 };

static void run(void (*kernel)(int *))
{
    int *out = device_ints(BLOCKS * THREADS, 0), host[BLOCKS * THREADS];
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};
    long sum = 0;

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {CLUSTER, 1, 1};
    config.gridDim = BLOCKS;
    config.blockDim = THREADS;
    config.attrs = &cluster;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        sum += host[i];
    printf("%ld\n", sum);
    cudaFree(out);
}

/* A block reads what another one writes, and nothing says that it has. */
template <bool REPAIRED> __global__ void missing_cluster_barrier(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = 0;
    cluster.sync();
    tile[threadIdx.x] = threadIdx.x;
    if (REPAIRED)
        cluster.sync();
    else
        __syncthreads();
    const int *const other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * THREADS + threadIdx.x] =
        other[threadIdx.x]; // PLANTED: missing_cluster_barrier
    cluster.sync();
}

/* A block may end while another one still reads its shared memory. */
template <bool REPAIRED> __global__ void missing_last_barrier(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    cluster.sync();
    const int *const other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * THREADS + threadIdx.x] = other[threadIdx.x]; // PLANTED: missing_last_barrier
    if (REPAIRED)
        cluster.sync();
}

/* The barrier says that everybody came, and not what they wrote. */
template <bool REPAIRED> __global__ void relaxed_arrival(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    if (REPAIRED)
        __cluster_barrier_arrive();
    else
        __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    const int *const other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * THREADS + threadIdx.x] = other[threadIdx.x]; // PLANTED: relaxed_arrival
    cluster.sync();
}

/* Two blocks add to one word of the first. */
template <bool REPAIRED> __global__ void plain_sum(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int sum;

    sum = 0;
    cluster.sync();
    int *const first = cluster.map_shared_rank(&sum, 0);
    if (threadIdx.x == 0 && REPAIRED)
        atomicAdd(first, 1);
    else if (threadIdx.x == 0)
        *first += 1; // PLANTED: plain_sum
    cluster.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = *first;
    cluster.sync();
}

/* Half of what is read over there nobody wrote. */
template <bool REPAIRED> __global__ void unwritten_there(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int tile[THREADS];

    if (REPAIRED || threadIdx.x < THREADS / 2 || cluster.block_rank() == 0)
        tile[threadIdx.x] = threadIdx.x;
    cluster.sync();
    const int *const other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * THREADS + threadIdx.x] = other[threadIdx.x] + 1; // PLANTED: unwritten_there
    cluster.sync();
}

/* One block's last row is not the last row of all. */
template <bool REPAIRED> __global__ void past_the_tile(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    cluster.sync();
    const int *const other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    const int next = REPAIRED ? (threadIdx.x + 1) % THREADS : threadIdx.x + 1;
    out[blockIdx.x * THREADS + threadIdx.x] = other[next]; // PLANTED: past_the_tile
    cluster.sync();
}

/* Every second block of the cluster never comes. */
template <bool REPAIRED> __global__ void barrier_of_some_blocks(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();

    out[blockIdx.x * THREADS + threadIdx.x] = 1;
    if (REPAIRED || cluster.block_rank() == 0)
        __cluster_barrier_arrive();
    __cluster_barrier_wait(); // PLANTED: barrier_of_some_blocks
}

/* Barriers in shared memory, and copies that they count. */
__device__ static unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ static void barrier_init_alone(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(barrier)) : "memory");
}

__device__ static void init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static void barrier_init(uint64_t *barrier)
{
    barrier_init_alone(barrier);
    init_fence();
}

__device__ static void barrier_expect(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)),
        "r"(bytes)
        : "memory");
}

__device__ static void barrier_wait(uint64_t *barrier, int round)
{
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;"
                 "\n\t@!done bra again;\n\t}" ::"r"(address_of(barrier)),
                 "r"(round & 1)
                 : "memory");
}

__device__ static void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ static void copy_bulk(int *to, const int *from, int bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(address_of(to)),
                 "l"(from), "r"(bytes), "r"(address_of(barrier))
                 : "memory");
}

__device__ static unsigned in_block(const void *p, int rank)
{
    unsigned there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address_of(p)), "r"(rank));
    return there;
}

/* One thread fetches a tile, and the others do not ask whether it has come. */
template <bool REPAIRED> __global__ void missing_try_wait(int *out)
{
    __shared__ __align__(16) int tile[THREADS];
    __shared__ uint64_t barrier;

    if (threadIdx.x == 0) {
        barrier_init(&barrier);
        barrier_expect(&barrier, sizeof(tile));
        copy_bulk(tile, out, sizeof(tile), &barrier);
    }
    __syncthreads();
    if (REPAIRED || threadIdx.x == 0)
        barrier_wait(&barrier, 0);
    out[BLOCKS / 2 * THREADS + blockIdx.x % 2 * THREADS + threadIdx.x] =
        tile[threadIdx.x]; // PLANTED: missing_try_wait
}

/* A barrier in shared memory is of its own block, wherever others have theirs. */
template <bool REPAIRED> __global__ void other_blocks_barrier(int *out)
{
    __shared__ uint64_t barrier;

    barrier_init(&barrier);
    if (blockIdx.x == 0)
        out[0] = 1;
    barrier_expect(&barrier, 0);
    barrier_wait(&barrier, 0);
    if (blockIdx.x == 1)
        out[1] = out[REPAIRED ? 2 : 0]; // PLANTED: other_blocks_barrier
}

/* What is copied nobody wrote, but for a half. */
template <bool REPAIRED> __global__ void unwritten_bulk(int *in, int *out)
{
    __shared__ __align__(16) int tile[THREADS];
    __shared__ uint64_t barrier;

    if (REPAIRED || threadIdx.x < THREADS / 2)
        in[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 0)
        barrier_init(&barrier);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&barrier, sizeof(tile));
        copy_bulk(tile, in, sizeof(tile), &barrier);
    }
    barrier_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x] + 1; // PLANTED: unwritten_bulk
}

/* Copies overwrite what the threads have read, each time behind a barrier. The fence may be each
 * reader's own, before the barrier; that of the thread that asks for the copy, behind it; or one of
 * a third thread, between two barriers. */
template <bool REPAIRED> __global__ void missing_proxy_fence(int *in, int *out)
{
    __shared__ __align__(16) int tile[THREADS];
    __shared__ uint64_t barrier;
    int sum = 0;

    if (threadIdx.x == 0)
        barrier_init(&barrier);
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x == 0) {
            barrier_expect(&barrier, sizeof(tile));
            copy_bulk(tile, in, sizeof(tile), &barrier);
        }
        barrier_wait(&barrier, round);
        sum += tile[threadIdx.x ^ 32]; // PLANTED: missing_proxy_fence
        if (round == 0)
            proxy_fence();
        __syncthreads();
        if (round == 1 && threadIdx.x == 0)
            proxy_fence();
        if (REPAIRED && round == 2 && threadIdx.x == 33)
            proxy_fence();
        else if (round == 2) /* of global memory alone */
            asm volatile("fence.proxy.async.global;" ::: "memory");
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* A copy counts at a barrier in shared memory, and nothing shows the engine that it is initialised.
 * What does is a fence of the thread that did so, or one of the thread that asks for the copy. */
template <bool REPAIRED> __global__ void missing_init_fence(int *in, int *out)
{
    __shared__ __align__(16) int tiles[2][THREADS];
    __shared__ uint64_t barriers[2];

    if (threadIdx.x == 0) {
        barrier_init_alone(&barriers[0]);
        if (REPAIRED)
            init_fence();
    }
    if (threadIdx.x == THREADS / 2 + 1)
        barrier_init_alone(&barriers[1]);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&barriers[0], sizeof(tiles[0]));
        copy_bulk(tiles[0], in, sizeof(tiles[0]), &barriers[0]); // PLANTED: missing_init_fence
        proxy_fence();
        barrier_expect(&barriers[1], sizeof(tiles[1]));
        copy_bulk(tiles[1], in, sizeof(tiles[1]), &barriers[1]);
    }
    barrier_wait(&barriers[0], 0);
    barrier_wait(&barriers[1], 0);
    out[threadIdx.x] = tiles[0][threadIdx.x] + tiles[1][threadIdx.x];
}

__device__ static void barrier_arrive(unsigned there)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
                 : "memory");
}

/* The cluster meets without releasing anything, and a block arrives at the barrier of another. */
template <bool REPAIRED> __global__ void unseen_init(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ uint64_t barrier;

    if (threadIdx.x == 0) {
        barrier_init_alone(&barrier);
        if (REPAIRED)
            init_fence();
    }
    __syncthreads();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    if (threadIdx.x == 0)
        barrier_arrive(in_block(&barrier, cluster.block_rank() ^ 1)); // PLANTED: unseen_init
    barrier_wait(&barrier, 0);
    out[blockIdx.x * THREADS + threadIdx.x] = 1;
    cluster.sync();
}

/* The fence comes in front of what it is to order with the next copy. */
template <bool REPAIRED> __global__ void fence_before_read(int *in, int *out)
{
    __shared__ __align__(16) int tile[THREADS];
    __shared__ uint64_t barrier;
    int sum = 0;

    if (threadIdx.x == 0)
        barrier_init(&barrier);
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0) {
            barrier_expect(&barrier, sizeof(tile));
            copy_bulk(tile, in, sizeof(tile), &barrier);
        }
        barrier_wait(&barrier, round);
        if (!REPAIRED)
            proxy_fence();
        sum += tile[threadIdx.x ^ 32]; // PLANTED: fence_before_read
        if (REPAIRED)
            proxy_fence();
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* A thread hands a number to another, through a barrier in shared memory at which the one does not
 * release, or the other does not acquire. */
template <bool RELEASES, bool ACQUIRES> __device__ static int handed(int *number, uint64_t *barrier)
{
    if (threadIdx.x == 0)
        barrier_init(barrier);
    __syncthreads();
    if (threadIdx.x == 0) {
        *number = 1;
        if (RELEASES)
            asm volatile(
                "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address_of(barrier))
                : "memory");
        else
            asm volatile(
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(address_of(barrier))
                : "memory");
    }
    if (ACQUIRES)
        barrier_wait(barrier, 0);
    else
        asm volatile("{\n\t.reg .pred done;\n"
                     "again:\tmbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 done, [%0], 0;"
                     "\n\t@!done bra again;\n\t}" ::"r"(address_of(barrier))
                     : "memory");
    return *(volatile int *)number;
}

template <bool REPAIRED> __global__ void relaxed_arrive(int *out)
{
    __shared__ uint64_t barrier;
    __shared__ int number;

    out[threadIdx.x] = handed<REPAIRED, true>(&number, &barrier); // PLANTED: relaxed_arrive
}

template <bool REPAIRED> __global__ void relaxed_try_wait(int *out)
{
    __shared__ uint64_t barrier;
    __shared__ int number;

    out[threadIdx.x] = handed<true, REPAIRED>(&number, &barrier); // PLANTED: relaxed_try_wait
}

/* A block comes to the cluster's barrier again and has not waited. */
template <bool REPAIRED> __global__ void arrives_twice(int *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] = 1;
    __cluster_barrier_arrive();
    if (REPAIRED)
        __cluster_barrier_wait();
    if (blockIdx.x % CLUSTER || REPAIRED)
        __cluster_barrier_arrive(); // PLANTED: arrives_twice
    __cluster_barrier_wait();
}

__device__ static void store_async(unsigned there, int value, unsigned barrier)
{
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
            there),
        "r"(value), "r"(barrier)
        : "memory");
}

__device__ static void barrier_arrive_relaxed(unsigned there)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
                 : "memory");
}

/* What a thread has sent says nothing of what it stored. */
template <bool REPAIRED> __global__ void sent_says_no_more(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int tile[THREADS], got[THREADS];
    __shared__ uint64_t barrier;
    const int other = cluster.block_rank() ^ 1;

    if (threadIdx.x == 0)
        barrier_init(&barrier);
    cluster.sync();
    store_async(in_block(&got[threadIdx.x], other), threadIdx.x, in_block(&barrier, other));
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        barrier_expect(&barrier, sizeof(got));
    barrier_wait(&barrier, 0);
    if (REPAIRED)
        cluster.sync();
    const int *const there = cluster.map_shared_rank(tile, other);
    out[blockIdx.x * THREADS + threadIdx.x] =
        got[threadIdx.x] + there[threadIdx.x]; // PLANTED: sent_says_no_more
    cluster.sync();
}

/* A block that has seen a phase complete knows that all arrivals of that phase have come, relaxed
 * ones and those of copies as well. It may end without meeting the others. */
template <bool REPAIRED> __global__ void unseen_arrival(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int got;
    __shared__ uint64_t barriers[2];
    const int other = cluster.block_rank() ^ 1;

    if (threadIdx.x == 0) {
        barrier_init(&barriers[0]);
        barrier_init(&barriers[1]);
        barrier_expect(&barriers[0], sizeof(got));
    }
    cluster.sync();
    if (threadIdx.x == 0)
        store_async(in_block(&got, other), 1, in_block(&barriers[0], other));
    if (threadIdx.x == 1)
        barrier_arrive_relaxed(in_block(&barriers[1], other)); // PLANTED: unseen_arrival
    barrier_wait(&barriers[0], 0);
    out[blockIdx.x * THREADS + threadIdx.x] = got;
    if (REPAIRED)
        barrier_wait(&barriers[1], 0);
}

__device__ static void barrier_inval(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address_of(barrier)) : "memory");
}

/* The last warp whose lanes have all arrived invalidates the barrier, as cuda::pipeline does. A
 * vote tells a lane that the others have arrived, though not what they have stored. */
template <bool REPAIRED> __global__ void inval_too_soon(int *out)
{
    __shared__ uint64_t barrier;
    __shared__ int warps;

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&barrier)),
                     "r"((int)THREADS)
                     : "memory");
        warps = THREADS / 32;
    }
    __syncthreads();
    barrier_expect(&barrier, 0);
    if (REPAIRED)
        __ballot_sync(~0u, 1);
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        const bool last = atomicSub(&warps, 1) == 1;
        __threadfence_block();
        if (last)
            barrier_inval(&barrier); // PLANTED: inval_too_soon
    }
    out[threadIdx.x] = 1;
}

static const struct planted cases[] = {
    CASE(missing_try_wait, 1, THREADS, device_ints(BLOCKS *THREADS, 1)),
    CASE(other_blocks_barrier, 2, 1, device_ints(3, 0)),
    CASE(unwritten_bulk, 1, THREADS, device_ints(THREADS, -2), device_ints(THREADS, 0)),
    CASE(missing_proxy_fence, 1, THREADS, device_ints(THREADS, 1), device_ints(THREADS, 0)),
    CASE(missing_init_fence, 1, THREADS, device_ints(THREADS, 1), device_ints(THREADS, 0)),
    CASE(unseen_init),
    CASE(fence_before_read, 1, THREADS, device_ints(THREADS, 1), device_ints(THREADS, 0)),
    CASE(relaxed_arrive, 1, THREADS, device_ints(THREADS, 0)),
    CASE(relaxed_try_wait, 1, THREADS, device_ints(THREADS, 0)),
    CASE(arrives_twice),
    CASE(sent_says_no_more),
    CASE(unseen_arrival),
    CASE(inval_too_soon, 1, THREADS, device_ints(THREADS, 0)),
    CASE(missing_cluster_barrier),
    CASE(missing_last_barrier),
    CASE(relaxed_arrival),
    CASE(plain_sum),
    CASE(unwritten_there),
    CASE(past_the_tile),
    CASE(barrier_of_some_blocks),
};

PLANTED_MAIN(cases)
