/* Blocks that stay: as many as the device holds, alone or in clusters. They take one piece of work
 * after another from a counter, each in its own time. */
#ifndef PERSISTENT_CUH
#define PERSISTENT_CUH

#include "async.cuh"
#include "points.cuh"

#include <stdlib.h>

/* What such a kernel has in device memory. */
struct persistent {
    const float2 *roots; /* exp(-2 pi i k / n) for k below n / 2 */
    float2 *ring; /* room of its own */
    int *counters; /* 0 at first; the first one counts the work that is taken */
};

typedef void persistent_kernel(const struct fft p, const struct persistent have);

/* i once more. The compiler does not know that it is i: what follows from it is computed here and
 * now, and not kept in registers from one signal to the next. */
__device__ inline int anew(int i)
{
    asm volatile("" : "+r"(i));
    return i;
}

/* powers[s] becomes w^(2^s) for w = exp(-2 pi i k / n). */
template <int COUNT>
__device__ inline void powers_of(float2 (&powers)[COUNT], const float2 *roots, int k)
{
    for (int s = 0; s < COUNT; s++)
        powers[s] = roots[k << s];
}

/* powers[s] becomes the same, computed. For large n a table would push other data out of the
 * cache. */
template <int n, int COUNT> __device__ inline void compute_powers(float2 (&powers)[COUNT], int k)
{
    for (int s = 0; s < COUNT; s++)
        sincospif(__fmul_rn(-2.0f / n, k << s), &powers[s].y, &powers[s].x);
}

/* If they are wanted, the copy engine fetches ROWS rows of ROW points: the first from `from` to
 * `to`, each of the others FROM_APART and TO_APART points further on. `full` counts the bytes. */
template <int ROWS, int ROW, int TO_APART, int FROM_APART>
__device__ inline void fetch_rows(float2 *to, const float2 *from, uint64_t *full, bool wanted)
{
    const int row = threadIdx.x, bytes = ROW * sizeof(float2);

    if (wanted && row == 0)
        barrier_expect(full, ROWS * bytes);
    if (wanted && row < ROWS)
        copy_bulk(to + row * TO_APART, from + row * FROM_APART, bytes, full);
}

/* Blocks that share a signal: one, or a cluster. */
struct team {
    persistent_kernel *kernel;
    int blocks, threads;
    size_t shared_bytes;
};

/* The launch of `teams` teams. What it says of clusters is in `cluster`. */
static cudaLaunchConfig_t config_of(struct team team, int teams, cudaLaunchAttribute *cluster)
{
    cudaLaunchConfig_t config = {};

    cluster->id = cudaLaunchAttributeClusterDimension;
    cluster->val.clusterDim.x = (unsigned)team.blocks;
    cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
    config.attrs = cluster;
    config.numAttrs = 1;
    config.gridDim = dim3((unsigned)(teams * team.blocks));
    config.blockDim = dim3((unsigned)team.threads);
    config.dynamicSmemBytes = team.shared_bytes;
    return config;
}

/* How many teams the device holds at once. */
static int teams_at_once(struct team team)
{
    cudaLaunchAttribute cluster = {};
    const cudaLaunchConfig_t config = config_of(team, 1, &cluster);
    int teams;

    CHECK(cudaFuncSetAttribute(team.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)team.shared_bytes));
    CHECK(cudaOccupancyMaxActiveClusters(&teams, team.kernel, &config));
    return teams;
}

/* Launch as many teams as fit; `pieces` pieces of work keep no more than so many busy. */
static void launch_persistent(struct team team, int pieces, const struct fft *p, struct run *run,
                              size_t ring_points = 0, size_t counters = 1)
{
    float2 *const roots = (float2 *)memory_host((size_t)p->n / 2 * sizeof(float2));
    const int teams = min(pieces, teams_at_once(team));
    struct persistent have = {};
    cudaLaunchAttribute cluster = {};
    const cudaLaunchConfig_t config = config_of(team, teams, &cluster);

    fft_roots(roots, p->n, p->n / 2);
    have.roots = device_input(float2, roots, p->n / 2);
    CHECK(cudaMalloc(&have.ring, ring_points * sizeof(float2)));
    CHECK(cudaMalloc(&have.counters, counters * sizeof(int)));
    run->blocks = config.gridDim.x;
    run->threads = (unsigned)team.threads;
    run->shared_bytes = team.shared_bytes;
    TIMED(run) {
        CHECK(cudaMemsetAsync(have.counters, 0, counters * sizeof(int)));
        CHECK(cudaLaunchKernelEx(&config, team.kernel, *p, have));
    }
    device_free(run, have.counters);
    device_free(run, have.ring);
    device_free(run, (void *)have.roots);
    free(roots);
}

#endif
