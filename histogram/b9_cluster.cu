/* b9: bins in the shared memory of two blocks.
 *
 * Before: in b8 each sample is read by a block for the lower bins and by one for the upper ones.
 * Now:    two blocks are a cluster, and their shared memories hold all bins: a block reads a sample
 *         once, and add_there() adds to the bin in whichever block of the cluster has it. They meet
 *         before the first such addition and after the last.
 * See:    docs/histogram.md#b9
 */
#include "async.cuh"
#include "launch.cuh"
#include "packs.cuh"

enum { THREADS = 1024, BLOCKS = 2, RANGE = MANY_BINS / BLOCKS };
enum { SHARED_BYTES = RANGE * sizeof(unsigned) };

/* Add to a word of shared memory of this block or another of the cluster. */
__device__ static void add_there(unsigned address, unsigned count)
{
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(count)
                 : "memory");
}

__global__ void __launch_bounds__(THREADS) histogram(const unsigned *a, int n, unsigned *counts)
{
    extern __shared__ unsigned mine[];
    const unsigned range = cluster_rank() * RANGE; /* the first bin of this block's */

    for (int bin = threadIdx.x; bin < RANGE; bin += THREADS)
        mine[bin] = 0;
    cluster_meet();
    add_all(a, n, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS,
            [&](unsigned value, unsigned count) {
                add_there(in_block(&mine[value % RANGE], value / RANGE), count);
            });
    cluster_meet();
    for (int bin = threadIdx.x; bin < RANGE; bin += THREADS)
        if (mine[bin])
            atomicAdd(&counts[range + bin], mine[bin]);
}

/* The whole device side, from host samples to host counts. */
static void histogram_gpu(const unsigned *a, int n, struct run *run, unsigned *counts)
{
    unsigned *d_a = device_input(unsigned, a, n);
    unsigned *d_counts = device_output(unsigned, run, MANY_BINS);
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension};
    cudaLaunchConfig_t config = {.blockDim = THREADS, .dynamicSmemBytes = SHARED_BYTES};
    int clusters;

    blocks_that_stay(run, histogram, THREADS, SHARED_BYTES, n, pack<unsigned>::EACH);
    cluster.val.clusterDim = {BLOCKS, 1, 1};
    config.gridDim = BLOCKS;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
    run->blocks = BLOCKS * max(1, min(clusters, (int)run->blocks / BLOCKS));
    config.gridDim = run->blocks;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_counts, 0, MANY_BINS * sizeof(unsigned)));
        CHECK(cudaLaunchKernelEx(&config, histogram, (const unsigned *)d_a, n, d_counts));
    }

    device_fetch(unsigned, counts, d_counts, MANY_BINS);
    device_free(run, d_a);
    device_free(run, d_counts);
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, STEP,
                          {.words = histogram_gpu,
                           .bins = MANY_BINS,
                           .wave = {(void *)histogram, THREADS, SHARED_BYTES},
                           .wide = true});
}
