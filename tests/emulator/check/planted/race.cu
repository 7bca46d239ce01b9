/* Planted: accesses that nothing orders. */
#include "planted.h"

enum { THREADS = 64, WARP = 32, BLOCKS = 8 };

/* Shared memory, different warps. */
template <bool REPAIRED> __global__ void missing_barrier(int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    if (REPAIRED)
        __syncthreads();
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x]; // PLANTED: missing_barrier
}

/* Shared memory, one warp: volatile keeps the compiler in order, not the lanes. */
template <bool REPAIRED> __global__ void missing_syncwarp(int *out)
{
    __shared__ volatile int tile[2 * WARP];
    const int lane = threadIdx.x;

    tile[lane] = lane;
    tile[lane + WARP] = lane;
    if (REPAIRED)
        __syncwarp();
    int sum = tile[lane] + tile[lane + 16]; // PLANTED: missing_syncwarp
    if (REPAIRED)
        __syncwarp();
    tile[lane] = sum;
    out[lane] = tile[lane];
}

/* Shared memory: one store of a warp, two lanes, one place. */
template <bool REPAIRED> __global__ void one_slot_for_two(int *out)
{
    __shared__ int tile[WARP];

    tile[REPAIRED ? threadIdx.x : threadIdx.x / 2] = threadIdx.x; // PLANTED: one_slot_for_two
    __syncthreads();
    out[threadIdx.x] = tile[REPAIRED ? threadIdx.x : threadIdx.x / 2];
}

/* Shared memory: the tile of the next round overwrites what slower warps still read. */
template <bool REPAIRED> __global__ void missing_second_barrier(const int *in, int *out)
{
    __shared__ int tile[THREADS];
    int sum = 0;

    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = in[round * THREADS + threadIdx.x]; // PLANTED: missing_second_barrier
        __syncthreads();
        sum += tile[(threadIdx.x + WARP) % THREADS];
        if (REPAIRED)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}

/* Global memory, different blocks: a sum by plain additions. */
template <bool REPAIRED> __global__ void plain_counter(int *count)
{
    if (threadIdx.x != 0)
        return;
    if (REPAIRED)
        atomicAdd(count, blockIdx.x);
    else
        *count += blockIdx.x; // PLANTED: plain_counter
}

/* Global memory, different blocks: the last block adds what the others left, without a fence. */
template <bool REPAIRED>
__global__ void last_block_without_fence(int *partial, unsigned *done, int *sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        if (REPAIRED)
            __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int i = 0; i < gridDim.x; i++)
            *sum += partial[i]; // PLANTED: last_block_without_fence
}

static const struct planted cases[] = {
    CASE(missing_barrier, 1, THREADS, device_ints(THREADS, 0)),
    CASE(missing_syncwarp, 1, WARP, device_ints(WARP, 0)),
    CASE(one_slot_for_two, 1, WARP, device_ints(WARP, 0)),
    CASE(missing_second_barrier, 1, THREADS, device_ints(3 * THREADS, 1), device_ints(THREADS, 0)),
    CASE(plain_counter, BLOCKS, WARP, device_ints(1, 0)),
    CASE(last_block_without_fence, BLOCKS, WARP, device_ints(BLOCKS, 0), device_ints(1, 0),
         device_ints(1, 0)),
};

PLANTED_MAIN(cases)
