/* Planted: what release and acquire should order and do not, and what a report must tell apart. */
#include "planted.h"

#include <cuda/atomic>

enum { THREADS = 64, WARP = 32, BLOCKS = 8 };

/* A flag that is written without a fence behind the data. */
template <bool REPAIRED> __global__ void flag_without_fence(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        if (REPAIRED)
            __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = data[0]; // PLANTED: flag_without_fence
    }
}

/* A flag that is read without a fence in front of the data. */
template <bool REPAIRED> __global__ void read_without_fence(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        if (REPAIRED)
            __threadfence();
        *out = data[0]; // PLANTED: read_without_fence
    }
}

/* A fence for the block alone, between blocks. */
template <bool REPAIRED> __global__ void fence_of_block(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        if (REPAIRED)
            __threadfence();
        else
            __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = data[0]; // PLANTED: fence_of_block
    }
}

/* An atomic without release. */
template <bool REPAIRED> __global__ void relaxed_store(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);

    if (blockIdx.x == 0) {
        data[0] = 42;
        ready.store(1, REPAIRED ? cuda::memory_order_release : cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        *out = data[0]; // PLANTED: relaxed_store
    }
}

/* Atomics of the block alone, between blocks. */
template <bool REPAIRED> __global__ void scope_of_block(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, REPAIRED ? cuda::thread_scope_device : cuda::thread_scope_block> ready(
        *flag);

    if (blockIdx.x == 0) {
        data[0] = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        *out = data[0]; // PLANTED: scope_of_block
    }
}

/* A plain read of a word that others change atomically. */
template <bool REPAIRED> __global__ void weak_read(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0)
        atomicAdd(flag, 1);
    else if (REPAIRED)
        *out = *(volatile int *)flag;
    else
        *out = *flag; // PLANTED: weak_read
}

/* Data and flag are both volatile: no race of plain accesses, and still the one may be seen without
 * the other. */
template <bool REPAIRED>
__global__ void volatile_data(volatile int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        if (REPAIRED)
            __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = data[0]; // PLANTED: volatile_data
    }
}

/* The same by relaxed loads and stores, in front of an atomic that counts. */
template <bool REPAIRED> __global__ void relaxed_data(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> word(data[blockIdx.x]), first(data[0]),
        second(data[1]);

    word.store(1 + blockIdx.x, cuda::memory_order_relaxed);
    if (REPAIRED)
        __threadfence();
    if (atomicAdd(flag, 1) == 1) {
        __threadfence();
        *out = first.load(cuda::memory_order_relaxed) + // PLANTED: relaxed_data
               second.load(cuda::memory_order_relaxed);
    }
}

/* A word that carries data and flag in one needs no fence, and neither does one that a function
 * looks at elsewhere. */
static __device__ __noinline__ int look_at(volatile int *word)
{
    return *word;
}
template <bool REPAIRED> __global__ void flag_elsewhere(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        if (REPAIRED)
            __threadfence();
        *(volatile int *)flag = 1;
    } else {
        while (look_at(flag) == 0)
            ;
        __threadfence();
        *out = data[0]; // PLANTED: flag_elsewhere
    }
}

/* One lane acquires and a shuffle tells the others, who may read. */
template <bool REPAIRED> __global__ void told_by_shuffle(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);

    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0)
            ready.store(1, cuda::memory_order_release);
    } else {
        int seen = 0;
        while (!__shfl_sync(~0u, seen, 0))
            if (threadIdx.x % WARP == 0)
                seen =
                    ready.load(REPAIRED ? cuda::memory_order_acquire : cuda::memory_order_relaxed);
        out[threadIdx.x] = data[THREADS - 1 - threadIdx.x]; // PLANTED: told_by_shuffle
    }
}

/* The same through a vote. */
template <bool REPAIRED> __global__ void told_by_vote(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);

    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0)
            ready.store(1, cuda::memory_order_release);
    } else {
        bool seen = false;
        while (!__any_sync(~0u, seen))
            if (threadIdx.x % WARP == 3)
                seen =
                    ready.load(REPAIRED ? cuda::memory_order_acquire : cuda::memory_order_relaxed);
        out[threadIdx.x] = data[THREADS - 1 - threadIdx.x]; // PLANTED: told_by_vote
    }
}

/* A lock that is given back without a release. */
template <bool REPAIRED> __global__ void unlock_without_fence(int *data, int *lock, int *out)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    data[0] += blockIdx.x; // PLANTED: unlock_without_fence
    if (REPAIRED)
        __threadfence();
    atomicExch(lock, 0);
}

/* A shuffle hands on what was acquired, and orders nothing else. */
template <bool REPAIRED> __global__ void shuffle_for_syncwarp(int *data, int *flag, int *out)
{
    data[blockIdx.x * THREADS + threadIdx.x] = threadIdx.x;
    int last = __shfl_sync(~0u, threadIdx.x, 31);
    if (REPAIRED)
        __syncwarp();
    out[blockIdx.x * THREADS + threadIdx.x] =
        data[blockIdx.x * THREADS + (threadIdx.x ^ 1)] + last; // PLANTED: shuffle_for_syncwarp
}

/* In place: one block reads what the next one writes, and says when it is done. */
template <bool REPAIRED> __global__ void in_place(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> done(*flag);
    __shared__ int sum;

    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            sum = 0;
        __syncthreads();
        atomicAdd(&sum, data[threadIdx.x]);
        if (REPAIRED)
            __syncthreads();
        if (threadIdx.x == 0)
            done.store(1, cuda::memory_order_relaxed);
    } else {
        if (threadIdx.x == 0)
            while (done.load(cuda::memory_order_relaxed) == 0)
                ;
        __syncthreads();
        data[threadIdx.x] = threadIdx.x; // PLANTED: in_place
    }
}

/* Most threads read what their own warp wrote; the last of each warp does not. */
template <bool REPAIRED>
__global__ void missing_barrier_to_neighbour(int *data, int *flag, int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    if (REPAIRED)
        __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 1) % THREADS]; // PLANTED: missing_barrier_to_neighbour
}

/* A histogram in shared memory: no barrier would heal it. */
template <bool REPAIRED> __global__ void lost_updates(int *data, int *flag, int *out)
{
    __shared__ int counts[4];

    if (threadIdx.x < 4)
        counts[threadIdx.x] = 0;
    __syncthreads();
    if (REPAIRED)
        atomicAdd(&counts[threadIdx.x % 3], 1);
    else
        counts[threadIdx.x % 3]++; // PLANTED: lost_updates
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = counts[threadIdx.x];
}

/* Readers of the launch before are no readers of this one. */
__global__ void read_all(const int *data, int *out)
{
    out[threadIdx.x] = data[0];
}

template <bool REPAIRED> __global__ void read_again(int *data, int *out)
{
    if (threadIdx.x == 0)
        out[0] = *(volatile int *)data;
    if (REPAIRED)
        __syncthreads();
    if (threadIdx.x == WARP)
        data[0] = 1; // PLANTED: read_again
}

static void read_again(bool repaired)
{
    int *data = device_ints(1, 0), *out = device_ints(THREADS, 0);

    read_all<<<1, THREADS>>>(data, out);
    LAUNCH(repaired, read_again, 1, THREADS, data, out);
    cudaFree(data);
    cudaFree(out);
}

template <typename Data, typename Flag>
static void run(void (*kernel)(Data *, Flag *, int *), int blocks, int threads)
{
    int *data = device_ints(BLOCKS * THREADS, 0), *flag = device_ints(1, 0),
        *out = device_ints(BLOCKS * THREADS, 0);

    run(kernel, blocks, threads, data, flag, out);
}

static const struct planted cases[] = {
    CASE(flag_without_fence, 2, 1),
    CASE(read_without_fence, 2, 1),
    CASE(fence_of_block, 2, 1),
    CASE(relaxed_store, 2, 1),
    CASE(scope_of_block, 2, 1),
    CASE(weak_read, 2, 1),
    CASE(volatile_data, 2, 1),
    CASE(relaxed_data, 2, 1),
    CASE(flag_elsewhere, 2, 1),
    CASE(told_by_shuffle, 2, THREADS),
    CASE(told_by_vote, 2, THREADS),
    CASE(unlock_without_fence, BLOCKS, WARP),
    CASE(shuffle_for_syncwarp, 2, WARP),
    CASE(in_place, 2, THREADS),
    CASE(missing_barrier_to_neighbour, 1, THREADS),
    CASE(lost_updates, 1, THREADS),
    {"read_again", read_again},
};

PLANTED_MAIN(cases)
