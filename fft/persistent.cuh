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

/* A team is a cluster of `cluster` blocks; more than `teams` would have nothing to do. */
struct plan {
    int teams, cluster, threads;
    size_t shared_bytes, ring_points, counters;
};

/* Launch as many teams as there is room for. */
static void launch_persistent(persistent_kernel *kernel, const struct fft *p, struct run *run,
                              struct plan plan)
{
    float2 *const roots = (float2 *)memory_host((size_t)p->n / 2 * sizeof(float2));
    struct persistent have = {};
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    int room;

    fft_roots(roots, p->n, p->n / 2);
    have.roots = device_input(float2, roots, p->n / 2);
    CHECK(cudaMalloc(&have.ring, plan.ring_points * sizeof(float2)));
    CHECK(cudaMalloc(&have.counters, plan.counters * sizeof(int)));
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)plan.cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    config.gridDim = dim3((unsigned)plan.cluster);
    config.blockDim = dim3((unsigned)plan.threads);
    config.dynamicSmemBytes = plan.shared_bytes;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)plan.shared_bytes));
    CHECK(cudaOccupancyMaxActiveClusters(&room, kernel, &config));
    run->blocks = (unsigned)(min(plan.teams, room) * plan.cluster);
    run->threads = (unsigned)plan.threads;
    run->shared_bytes = plan.shared_bytes;
    config.gridDim = dim3(run->blocks);
    TIMED(run) {
        CHECK(cudaMemsetAsync(have.counters, 0, plan.counters * sizeof(int)));
        CHECK(cudaLaunchKernelEx(&config, kernel, *p, have));
    }
    device_free(run, have.counters);
    device_free(run, have.ring);
    device_free(run, (void *)have.roots);
    free(roots);
}

#endif
