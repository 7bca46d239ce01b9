/* Clusters: how long a load from another block's shared memory takes, how many bytes go there and
 * back, what a barrier of the cluster costs, a launch in clusters, and how many run at once. */
#include "calibration.h"
#include "async.cuh"
#include "work.cuh"

enum { HOPS = 1024, ROUNDS = 256, READS = 16, WORDS = 4096, THREADS = 256, BLOCKS = 128 };
enum { SENDS = 32, SENT = 8 }; /* rounds, and how often in each */

__device__ static unsigned load_there(unsigned at)
{
    unsigned word;

    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}

/* A chain through the words of the block whose rank differs by `away`. */
__global__ void follow(unsigned away, unsigned *sink)
{
    __shared__ unsigned next[1024];
    const unsigned there = in_block(next, cluster_rank() ^ away);
    unsigned i = 0;

    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        next[k] = (k + 33) % 1024;
    cluster_meet();
#pragma unroll 1
    for (int hop = 0; hop < HOPS; hop++)
        i = load_there(there + i * 4);
    cluster_meet();
    if (i == 0xFFFFFFFF)
        *sink = i;
}

/* All threads read 16 bytes of that block, READS times. ptxas would load words that nobody uses not
 * at all, and those of a loop whose addresses stay the same before the loop. */
__global__ void __launch_bounds__(THREADS) read_there(unsigned away, unsigned *sink)
{
    extern __shared__ uint4 words[];
    const unsigned there = in_block(words, cluster_rank() ^ away) + threadIdx.x * 16;
    unsigned seen = 0;

    for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
        words[k] = make_uint4(k, 0, 0, 0);
    cluster_meet();
#pragma unroll
    for (int k = 0; k < READS; k++) {
        uint4 v;

        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(there + k * THREADS * 16)
                     : "memory");
        seen += v.x ^ v.y ^ v.z ^ v.w;
    }
    cluster_meet();
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

/* All threads send `sent` times 8 bytes to that block, whose barrier counts them; each round waits
 * for the last. In pairs: nobody sends for a round that the other one has not begun. */
__global__ void __launch_bounds__(THREADS) send_on(unsigned away, int sent)
{
    __shared__ float2 words[SENT][THREADS];
    __shared__ uint64_t arrived;
    const unsigned to = cluster_rank() ^ away;
    const unsigned there = in_block(words[0] + threadIdx.x, to), barrier = in_block(&arrived, to);

    if (threadIdx.x == 0)
        barriers_init(&arrived, 1, 1);
    cluster_meet();
#pragma unroll 1
    for (int round = 0; round < SENDS; round++) {
        if (threadIdx.x == 0)
            barrier_expect(&arrived, sent * (int)(blockDim.x * sizeof(float2)));
#pragma unroll 4
        for (int k = 0; k < sent; k++)
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 "
                         "[%0], {%1, %1}, [%2];" ::"r"(there + k * THREADS * 8),
                         "f"((float)round), "r"(barrier)
                         : "memory");
        barrier_wait(&arrived, round);
        __syncthreads();
    }
    cluster_meet();
}

__global__ void meet(void)
{
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++)
        cluster_meet();
}

/* Without an order of what the threads wrote: then nobody waits for it. */
__global__ void meet_relaxed(void)
{
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++)
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::
                         : "memory");
}

static cudaLaunchConfig_t configure(cudaLaunchAttribute *attribute, unsigned blocks,
                                    unsigned threads, unsigned shared, unsigned cluster)
{
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim = {cluster, 1, 1};
    return {.gridDim = blocks,
            .blockDim = threads,
            .dynamicSmemBytes = shared,
            .attrs = attribute,
            .numAttrs = 1};
}

template <class... ARGUMENTS>
static void launch(void (*kernel)(ARGUMENTS...), unsigned blocks, unsigned threads, unsigned shared,
                   unsigned cluster, ARGUMENTS... arguments)
{
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = configure(&attribute, blocks, threads, shared, cluster);

    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/* As many clusters as the device holds at once, and one more: with so much shared memory that an SM
 * holds one block. */
static void measure_waves(struct calibration *calibration, float *sink)
{
    const unsigned shared = 200 << 10;

    CHECK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CHECK(cudaFuncSetAttribute(work, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (unsigned cluster : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u}) {
        cudaLaunchAttribute attribute;
        const cudaLaunchConfig_t config = configure(&attribute, cluster, THREADS, shared, cluster);
        int most;

        CHECK(cudaOccupancyMaxActiveClusters(&most, work, &config));
        for (int count : {most, most + 1})
            TIMED_CASE(calibration, "%d clusters of %u, one block on an SM", count, cluster)
                launch(work, count * cluster, THREADS, shared, cluster, 8192, 0.3f, sink);
    }
}

static void measure(struct calibration *calibration)
{
    unsigned *sink = (unsigned *)calibration_memory(sizeof *sink);

    CHECK(
        cudaFuncSetAttribute(read_there, cudaFuncAttributeMaxDynamicSharedMemorySize, WORDS * 16));
    for (unsigned away : {0u, 1u})
        TIMED_CASE(calibration, "%d hops in %s", HOPS, away ? "the other block" : "its own memory")
            launch(follow, 2, 32, 0, 2, away, sink);
    for (unsigned cluster : {2u, 4u, 8u})
        TIMED_CASE(calibration, "%d blocks in clusters of %u, %d reads of the other one", BLOCKS,
                   cluster, READS)
            launch(read_there, BLOCKS, THREADS, WORDS * 16, cluster, 1u, sink);
    TIMED_CASE(calibration, "%d blocks in clusters of 2, %d reads of their own", BLOCKS, READS)
        launch(read_there, BLOCKS, THREADS, WORDS * 16, 2, 0u, sink);
    TIMED_CASE(calibration, "%d rounds of a warp that sends to the other block", SENDS)
        launch(send_on, 2, 32, 0, 2, 1u, 1);
    for (unsigned cluster : {2u, 8u})
        TIMED_CASE(calibration, "%d blocks in clusters of %u, %d rounds of %d sends", BLOCKS,
                   cluster, SENDS, SENT)
            launch(send_on, BLOCKS, THREADS, 0, cluster, 1u, (int)SENT);
    for (unsigned cluster : {1u, 2u, 4u, 8u})
        for (unsigned threads : {32u, 512u})
            TIMED_CASE(calibration, "%d barriers of %u blocks of %u threads", ROUNDS, cluster,
                       threads)
                launch(meet, cluster, threads, 0, cluster);
    for (unsigned threads : {32u, 512u})
        TIMED_CASE(calibration, "%d relaxed barriers of 2 blocks of %u threads", ROUNDS, threads)
            launch(meet_relaxed, 2, threads, 0, 2);
    for (unsigned cluster : {2u, 4u, 8u})
        TIMED_CASE(calibration, "16384 empty blocks in clusters of %u", cluster)
            launch(nothing, 16384, 256, 0, cluster);
    measure_waves(calibration, (float *)sink);
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "cluster", measure);
}
