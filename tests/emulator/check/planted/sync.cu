/* Planted: barriers and masks misused. */
#include "planted.h"

enum { THREADS = 64, WARP = 32 };
static const unsigned ALL_LANES = 0xffffffff;

/* Half a warp comes. */
template <bool REPAIRED> __global__ void barrier_in_branch(int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    if (REPAIRED || threadIdx.x % 2 == 0)
        __syncthreads(); // PLANTED: barrier_in_branch
    out[threadIdx.x] = tile[threadIdx.x];
}

/* One warp of two comes. */
template <bool REPAIRED> __global__ void barrier_for_one_warp(int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = threadIdx.x;
    if (REPAIRED || threadIdx.x < WARP)
        __syncthreads(); // PLANTED: barrier_for_one_warp
    out[threadIdx.x] = tile[threadIdx.x];
}

/* Threads beyond n leave in front of the barrier. */
template <bool REPAIRED> __global__ void early_return(int *out, int n)
{
    __shared__ int tile[THREADS];

    if (!REPAIRED && threadIdx.x >= n)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads(); // PLANTED: early_return
    if (threadIdx.x < n)
        out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

static void early_return(bool repaired)
{
    int *out = device_ints(THREADS, 0);

    LAUNCH(repaired, early_return, 1, THREADS, out, THREADS - 10);
    cudaFree(out);
}

/* Odd lanes come once more than even ones. */
template <bool REPAIRED> __global__ void uneven_rounds(int *out)
{
    const int rounds = REPAIRED ? 2 : 1 + threadIdx.x % 2;
    int sum = 0;

    for (int round = 0; round < rounds; round++) {
        sum += round;
        __syncthreads(); // PLANTED: uneven_rounds
    }
    out[threadIdx.x] = sum;
}

/* A shuffle for all lanes, to which half of them come. */
template <bool REPAIRED> __global__ void absent_lanes(int *out)
{
    int sum = threadIdx.x;

    if (threadIdx.x < WARP / 2)
        sum += __shfl_xor_sync(REPAIRED ? 0xffff : ALL_LANES, sum, 8); // PLANTED: absent_lanes
    out[threadIdx.x] = sum;
}

/* Lanes that wait with a mask they are not in. */
template <bool REPAIRED> __global__ void lane_outside_mask(int *out)
{
    __shared__ int tile[WARP];

    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < WARP / 2)
        __syncwarp(REPAIRED ? 0xffff : 0xff00); // PLANTED: lane_outside_mask
    out[threadIdx.x] = tile[threadIdx.x];
}

static const struct planted cases[] = {
    CASE(barrier_in_branch, 1, THREADS, device_ints(THREADS, 0)),
    CASE(barrier_for_one_warp, 1, THREADS, device_ints(THREADS, 0)),
    {"early_return", early_return},
    CASE(uneven_rounds, 1, THREADS, device_ints(THREADS, 0)),
    CASE(absent_lanes, 1, WARP, device_ints(WARP, 0)),
    CASE(lane_outside_mask, 1, WARP, device_ints(WARP, 0)),
};

PLANTED_MAIN(cases)
