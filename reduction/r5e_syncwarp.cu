/* r5e: today's repair: __syncwarp.
 *
 * Before: r5c and r5d relied on lockstep.
 * Now:    only one warp makes the last rounds, warp_tree(), so they need only a warp's barrier,
 *         __syncwarp: all lanes read, a barrier, all lanes write, a barrier. r6 and the steps after
 *         it build on this.
 * See:    docs/reduction.md#r5e
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS };

/* The first warp adds shared[0] to shared[63]. Every lane reads, then all have read, then every
 * lane writes, then all have written. */
__device__ static void warp_tree(float *shared)
{
    float sum = shared[threadIdx.x];

#pragma unroll 1
    for (int offset = 32; offset > 0; offset /= 2) {
        sum += shared[threadIdx.x + offset];
        __syncwarp();
        shared[threadIdx.x] = sum;
        __syncwarp();
    }
}

__global__ void reduction(const float *a, int n, float *sums)
{
    __shared__ float shared[THREADS];
    const int i = blockIdx.x * 2 * THREADS + threadIdx.x;
    const int j = i + THREADS;

    shared[threadIdx.x] = (i < n ? a[i] : 0) + (j < n ? a[j] : 0);
    __syncthreads();
#pragma unroll 1
    for (int offset = THREADS / 2; offset > 32; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x < 32)
        warp_tree(shared);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = shared[0];
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
                          {.threads = THREADS, .block_elements = 2 * THREADS});
}
