/* r9: one launch, one number.
 *
 * Before: r8 read 4 bytes at a time, every block had an equal share of the input whether or not it
 *         kept pace, and the CPU added up a sum a block.
 * Now:    a thread has four 16-byte loads under way; blocks draw tiles from a counter, so that all
 *         of them end together and the whole card reads one small window of memory; the block that
 *         is done last adds up the sums of all. From the second addition on sums are double: hardly
 *         dearer, as memory is the limit, and the order in which tiles are drawn, which changes
 *         from run to run, then seldom reaches the rounded result.
 * See:    docs/reduction.md#r9
 */
#include <cuda/atomic>

#include "reduction.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 4, TILE = THREADS * LOADS };
enum { RESIDENT = 2 }; /* blocks an SM: they have 64 KiB under way, more than memory needs */
enum { CHAIN = 2 + 1 }; /* float additions an element goes through, and the last rounding */

/* Shared by all blocks; both 0 before a launch, and again after it. */
struct counters {
    int drawn; /* tiles, beyond the first of each block */
    unsigned done; /* blocks */
};

/* Lane 0 returns the sum over its warp. */
__device__ double warp_sum(double sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

/* Thread 0 says that its block's sum is written. It returns true in the last block, which may then
 * read the sums of all. */
__device__ bool is_last(struct counters *counters)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(counters->done);

    return done.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
}

__global__ void __launch_bounds__(THREADS)
    reduction(const float *a, int n, struct counters *counters, double *sums, float *result)
{
    __shared__ int next[2]; /* two, so that one barrier a tile is enough */
    __shared__ double shared[WARPS];
    const float4 *quads = (const float4 *)a;
    const int count = n / 4;
    double sum = 0;
    bool last = false;

    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        sum = a[4 * count + threadIdx.x];
    for (int i = blockIdx.x, turn = 0; i * TILE < count; i = next[turn], turn ^= 1) {
        float4 v[LOADS]; /* loaded first, used later: all loads wait together */

        for (int k = 0; k < LOADS; k++) {
            const int quad = i * TILE + k * THREADS + threadIdx.x;

            v[k] = quad < count ? quads[quad] : float4();
        }
        if (threadIdx.x == 0) /* while the loads are under way */
            next[turn] = gridDim.x + atomicAdd(&counters->drawn, 1);
        __syncthreads();
        for (int k = 0; k < LOADS; k++)
            sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    }

    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    sum = warp_sum(threadIdx.x < WARPS ? shared[threadIdx.x] : 0);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        last = is_last(counters);
    }
    __syncwarp(); /* lane 0 has seen all sums; so have, behind this, the others */
    if (!__shfl_sync(0xffffffff, last, 0))
        return;
    sum = 0;
    for (int block = threadIdx.x; block < gridDim.x; block += 32)
        sum += sums[block];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) {
        *result = sum;
        *counters = {};
    }
}

/* RESIDENT blocks an SM, or as many as there are tiles. */
static unsigned choose_blocks(int n)
{
    const unsigned tiles = n / 4 / TILE + 1;
    int device, multiprocessors;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return min(tiles, (unsigned)(multiprocessors * RESIDENT));
}

/* The whole device side, from host numbers to one sum. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    const struct counters none = {};
    float *d_a = device_input(float, a, n);
    struct counters *d_counters = device_input(struct counters, &none, 1);
    double *d_sums;
    float *d_result = device_output(float, run, 1);

    run->blocks = choose_blocks(n);
    run->threads = THREADS;
    d_sums = device_output(double, run, run->blocks);
    TIMED(run)
        reduction<<<run->blocks, run->threads>>>(d_a, n, d_counters, d_sums, d_result);

    device_fetch(float, sums, d_result, 1);
    device_free(run, d_a);
    device_free(run, d_counters);
    device_free(run, d_sums);
    device_free(run, d_result);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu,
                          {.threads = THREADS, .map = MAP_ONE, .chain = CHAIN});
}
