/* r8b: 16-byte loads, and one tile per block.
 *
 * Before: in r8 a thread read 4 bytes at a time, and the grid strode over all of memory at once.
 * Now:    a block reads one tile, with `LOADS` loads of 16 bytes in flight in every thread. Blocks
 *         start in order, so the card reads one small window of memory at a time.
 * See:    docs/reduction.md#r8b
 */
#include "reduction.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 8, TILE = THREADS * LOADS };

/* Lane 0 returns the sum over its warp. */
__device__ static float warp_sum(float sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

/* Thread 0 returns the sum over its block. */
__device__ static float block_sum(float sum)
{
    __shared__ float shared[WARPS];

    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < WARPS ? shared[threadIdx.x] : 0) : 0;
}

__global__ void __launch_bounds__(THREADS) reduction(const float *a, int n, float *sums)
{
    const float4 *quads = (const float4 *)a;
    float4 v[LOADS]; /* loaded first, used later: all loads wait together */
    float sum = 0;

    for (int k = 0; k < LOADS; k++) {
        const int quad = blockIdx.x * TILE + k * THREADS + threadIdx.x;

        v[k] = quad < n / 4 ? __ldcs(quads + quad) : float4(); /* streaming: read once */
    }
    for (int k = 0; k < LOADS; k++)
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < n % 4) /* what fills no quad */
        sum += a[n / 4 * 4 + threadIdx.x];

    sum = block_sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/* The whole device side, from host numbers to one sum per block. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_sums = device_output(float, run, run->blocks);

    TIMED(run)
        reduction<<<run->blocks, run->threads>>>(d_a, n, d_sums);

    device_fetch(float, sums, d_sums, run->blocks);
    device_free(run, d_a);
    device_free(run, d_sums);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu,
                          {.threads = THREADS, .block_elements = 4 * TILE});
}
