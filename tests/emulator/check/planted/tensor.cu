/* Planted: a ring of tiles that bulk tensor copies fill (compute capability 9.0), as in the sgemm
 * chapter, and a thread that does not wait for a tile, or fetches one where others still read. */
#include "planted.h"

#include "bulk.cuh"

enum {
    HIGH = 4,
    WIDE = 16,
    THREADS = HIGH * WIDE,
    STAGES = 2,
    TILES = 6,
    TILE_BYTES = 4 * THREADS
};

struct ring {
    float tile[STAGES][THREADS];
    uint64_t full[STAGES];
};

__device__ static void fetch(struct ring *ring, const CUtensorMap *map, int tile,
                             int bytes = TILE_BYTES)
{
    const int s = tile % STAGES;

    before_copies();
    barrier_expect(&ring->full[s], bytes);
    copy_tile(ring->tile[s], map, HIGH * tile, 0, &ring->full[s]);
}

__device__ static void start(struct ring *ring, const CUtensorMap *map)
{
    if (threadIdx.x == 0) {
        barriers_init(ring->full, STAGES);
        for (int tile = 0; tile < STAGES; tile++)
            fetch(ring, map, tile);
    }
    __syncthreads();
}

__device__ static void fetch_next(struct ring *ring, const CUtensorMap *map, int tile)
{
    if (threadIdx.x == 0 && tile + STAGES < TILES)
        fetch(ring, map, tile + STAGES);
}

typedef void sum_tiles(const CUtensorMap map, float *sums);

static void run(sum_tiles *kernel)
{
    float *in, *sums;

    cudaMalloc(&in, TILES * THREADS * sizeof(float));
    cudaMalloc(&sums, THREADS * sizeof(float));
    cudaMemset(in, 0, TILES * THREADS * sizeof(float));
    kernel<<<1, THREADS>>>(map_matrix(in, WIDE, TILES * HIGH, WIDE, HIGH, WIDE, false), sums);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(sums);
}

/* The thread that asked waits for the tile; the others read it at once. */
template <bool REPAIRED>
__global__ void tile_not_awaited(const __grid_constant__ CUtensorMap map, float *sums)
{
    __shared__ __align__(128) struct ring ring;
    float sum = 0;

    start(&ring, &map);
    for (int tile = 0; tile < TILES; tile++) {
        if (REPAIRED || threadIdx.x == 0)
            barrier_wait(&ring.full[tile % STAGES], tile / STAGES);
        sum += ring.tile[tile % STAGES][threadIdx.x]; // PLANTED: tile_not_awaited
        __syncthreads();
        fetch_next(&ring, &map, tile);
    }
    sums[threadIdx.x] = sum;
}

/* The barrier's rounds are counted from 1, so that a wait is for the tile that was there before. */
template <bool REPAIRED>
__global__ void round_before(const __grid_constant__ CUtensorMap map, float *sums)
{
    __shared__ __align__(128) struct ring ring;
    float sum = 0;

    start(&ring, &map);
    for (int tile = 0; tile < TILES; tile++) {
        barrier_wait(&ring.full[tile % STAGES], tile / STAGES + (REPAIRED ? 0 : 1));
        sum += ring.tile[tile % STAGES][threadIdx.x]; // PLANTED: round_before
        __syncthreads();
        fetch_next(&ring, &map, tile);
    }
    sums[threadIdx.x] = sum;
}

/* The next tile is fetched into a stage that another warp may not have read yet. */
template <bool REPAIRED>
__global__ void stage_refilled(const __grid_constant__ CUtensorMap map, float *sums)
{
    __shared__ __align__(128) struct ring ring;
    float sum = 0;

    start(&ring, &map);
    for (int tile = 0; tile < TILES; tile++) {
        barrier_wait(&ring.full[tile % STAGES], tile / STAGES);
        sum += ring.tile[tile % STAGES][threadIdx.x]; // PLANTED: stage_refilled
        if (REPAIRED)
            __syncthreads();
        fetch_next(&ring, &map, tile);
    }
    sums[threadIdx.x] = sum;
}

/* Lane 0 tells for its warp that the stage has been read, and does not wait for the other lanes. */
template <bool REPAIRED>
__global__ void arrived_alone(const __grid_constant__ CUtensorMap map, float *sums)
{
    __shared__ __align__(128) struct ring ring;
    __shared__ uint64_t read[STAGES];
    float sum = 0;

    if (threadIdx.x == 0)
        barriers_init(read, STAGES, THREADS / 32);
    start(&ring, &map);
    for (int tile = 0; tile < TILES; tile++) {
        const int s = tile % STAGES;

        barrier_wait(&ring.full[s], tile / STAGES);
        sum += ring.tile[s][threadIdx.x]; // PLANTED: arrived_alone
        before_copies();
        if (REPAIRED)
            __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive(&read[s]);
        if (threadIdx.x == 0 && tile + STAGES < TILES)
            barrier_wait(&read[s], tile / STAGES);
        fetch_next(&ring, &map, tile);
    }
    sums[threadIdx.x] = sum;
}

/* The barrier is told of more bytes than the box has, or of fewer. */
template <bool REPAIRED, int BYTES>
__device__ static void wait_for(const CUtensorMap *map, float *sums)
{
    __shared__ __align__(128) struct ring ring;

    if (threadIdx.x == 0) {
        barriers_init(ring.full, STAGES);
        fetch(&ring, map, 0, REPAIRED ? TILE_BYTES : BYTES);
    }
    __syncthreads();
    barrier_wait(&ring.full[0], 0);
    sums[threadIdx.x] = ring.tile[0][threadIdx.x];
}

template <bool REPAIRED>
__global__ void expects_more(const __grid_constant__ CUtensorMap map, float *sums)
{
    wait_for<REPAIRED, 2 * TILE_BYTES>(&map, sums);
}

template <bool REPAIRED>
__global__ void expects_less(const __grid_constant__ CUtensorMap map, float *sums)
{
    wait_for<REPAIRED, TILE_BYTES / 2>(&map, sums);
}

/* A warp fetches, and waits for the others before it does so again, which wait for a tile of which
 * the barrier was told too much. */
template <bool REPAIRED>
__global__ void expects_more_apart(const __grid_constant__ CUtensorMap map, float *sums)
{
    __shared__ __align__(128) struct ring ring;
    __shared__ uint64_t read;

    if (threadIdx.x == 0) {
        barriers_init(ring.full, STAGES);
        barriers_init(&read, 1, 1);
        fetch(&ring, &map, 0, TILE_BYTES + (REPAIRED ? 0 : 128));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        barrier_wait(&read, 0);
    if (threadIdx.x < 32)
        return;
    barrier_wait(&ring.full[0], 0); // PLANTED: expects_more_apart
    sums[threadIdx.x] = ring.tile[0][threadIdx.x];
    if (threadIdx.x == 32)
        barrier_arrive(&read);
}

static const struct planted cases[] = {
    CASE(expects_more), CASE(expects_less),   CASE(expects_more_apart), CASE(tile_not_awaited),
    CASE(round_before), CASE(stage_refilled), CASE(arrived_alone),
};

PLANTED_MAIN(cases)
