/* What h11 and the steps after it share: clusters that stay, and take tile after tile: where two
 * blocks are a cluster, pair after pair of tiles, one below the other. */
#ifndef HGEMM_PAIRS_CUH
#define HGEMM_PAIRS_CUH

#include "groups.cuh"

/* Registers of a thread that fetches, and of one that multiplies. In a band of BAND pairs, one
 * below the other, the next pair is the one below; then comes the next column of the band. */
enum { FEW = 40, MANY = 232, BAND = 8 };

/* Pairs of tiles in C; tiles of k. */
template <class S> __host__ __device__ inline int count_pairs(const struct hgemm &p)
{
    return (p.n + S::WIDE - 1) / S::WIDE *
           ((p.m + S::CLUSTER * S::HIGH - 1) / (S::CLUSTER * S::HIGH));
}

template <class S> __host__ __device__ inline int count_depth(const struct hgemm &p)
{
    return (p.k + S::DEEP - 1) / S::DEEP;
}

/* Which block of a pair this one is; 0 where tiles are single, whatever a cluster is for then. */
template <class S> __device__ inline int rank_in_pair(void)
{
    return S::CLUSTER == 1 ? 0 : cluster_rank();
}

/* This block's tile of C, of pair `pair`. */
struct place {
    int row, column;
};

template <class S> __device__ inline struct place find_place(const struct hgemm &p, int pair)
{
    const int across = (p.n + S::WIDE - 1) / S::WIDE, down = count_pairs<S>(p) / across;
    const int first = pair / (BAND * across) * BAND, in_band = pair % (BAND * across);
    const int high = min((int)BAND, down - first), row = first + in_band % high;

    return {(row * S::CLUSTER + rank_in_pair<S>()) * S::HIGH, in_band / high * S::WIDE};
}

/* A panel of B, for all blocks of the cluster. */
template <class S>
__device__ inline void copy_panel(bf16 *to, const CUtensorMap *map, int row, int column,
                                  uint64_t *full)
{
    if (S::CLUSTER == 1)
        copy_tile(to, map, row, column, full);
    else
        copy_tile_to(S::EVERYONE, to, map, row, column, full);
}

/* Wait until the place of stage number k is free: what was there before has been multiplied. */
template <class S> __device__ inline void wait_for_place(tile_ring<S> *ring, int k)
{
    if (k >= S::STAGES)
        barrier_wait(&ring->empty[k % S::STAGES], k / S::STAGES - 1);
}

/* Fetch this block's part of tile `tile` of k, for both blocks what both need: number `k` of all
 * that this block fetches. */
template <class S>
__device__ inline void fetch_stage(tile_ring<S> *ring, const struct maps &maps, struct place at,
                                   int tile, int k)
{
    const int s = k % S::STAGES, first = rank_in_pair<S>() * S::SHARE;

    wait_for_place<S>(ring, k);
    barrier_expect(&ring->full[s], sizeof(ring->a[s]) + sizeof(ring->b[s]));
    copy_tile(ring->a[s], &maps.a, at.row, tile * S::DEEP, &ring->full[s]);
    for (int i = first; i < first + S::SHARE; i++)
        copy_panel<S>(ring->b[s][i], &maps.b, tile * S::DEEP, at.column + i * S::PANEL,
                      &ring->full[s]);
}

/* One thread fetches this block's part of all its tiles, as in h11. Returns how many. */
template <class S>
__device__ inline int fetch_pairs(tile_ring<S> *ring, const struct hgemm &p,
                                  const struct maps &maps)
{
    int k = 0;

    for (int pair = blockIdx.x / S::CLUSTER; pair < count_pairs<S>(p);
         pair += gridDim.x / S::CLUSTER) {
        const struct place at = find_place<S>(p, pair);

#pragma unroll 1
        for (int i = 0; i < count_depth<S>(p); i++)
            fetch_stage<S>(ring, maps, at, i, k++);
    }
    return k;
}

/* Stage number k has been multiplied: say so to all blocks that it is for. */
template <class S> __device__ inline void free_stage(tile_ring<S> *ring, int k)
{
    const int lane = threadIdx.x % 32;

    if (lane < S::CLUSTER)
        barrier_arrive_in(&ring->empty[k % S::STAGES], S::CLUSTER == 1 ? cluster_rank() : lane);
}

/* sum = the products of `count` tiles of k, the first of them number `k` of this block. */
template <class S>
__device__ inline void multiply_all(tile_ring<S> *ring, int group, int k, int count,
                                    float (&sum)[S::SUMS])
{
    for (int i = 0; i < S::SUMS; i++)
        sum[i] = 0;
#pragma unroll 1
    for (int tile = 0; tile < count; tile++, k++) {
        barrier_wait(&ring->full[k % S::STAGES], k / S::STAGES);
        products_fence();
        multiply_stage<S>(ring, k % S::STAGES, group, sum);
        products_commit();
        products_wait<1>();
        if (tile > 0)
            free_stage<S>(ring, k - 1);
    }
    products_wait<0>();
    if (count > 0)
        free_stage<S>(ring, k - 1);
    sums_are_there(sum);
}

/* Prepare the ring's barriers, and meet the other block. */
template <class S> __device__ inline void start_ring(tile_ring<S> *ring)
{
    if (threadIdx.x == 0) {
        barriers_init(ring->full, S::STAGES);
        barriers_init(ring->empty, S::STAGES, S::WARPS * S::CLUSTER);
    }
    cluster_meet_relaxed();
}

static inline int multiprocessors(void)
{
    int device, count;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/* Plan a pair of blocks for each pair of SMs, at most one for each pair of tiles; `bytes` of shared
 * memory each. */
template <class S, typename... T>
static inline int plan_pairs(struct run *run, int pairs, size_t bytes, void (*kernel)(T...))
{
    run->blocks = min(max(multiprocessors() / S::CLUSTER, 1), pairs) * S::CLUSTER;
    run->blocks_y = 1;
    run->threads = S::ALL_THREADS;
    run->shared_bytes = bytes;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return run->blocks;
}

#endif
