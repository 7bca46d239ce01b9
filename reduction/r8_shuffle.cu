/* r8: shuffles.
 *
 * Before: in r7 every round of the tree went through shared memory.
 * Now:    lanes read each other's registers: warp_sum() makes a tree by __shfl_down_sync, and one
 *         more adds the warps' sums, the only ones that still pass through shared memory.
 * See:    docs/reduction.md#r8
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS, WARPS = THREADS / 32 };
enum { ELEMENTS = 8, MIN_BLOCKS = 128, MAX_BLOCKS = 4096 };

/* Lane 0 returns the sum over its warp. */
__device__ static float warp_sum(float sum)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

__global__ void reduction(const float *a, int n, float *sums)
{
    __shared__ float shared[WARPS];
    const int stride = gridDim.x * THREADS;
    float sum = 0;

#pragma unroll 1
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += ELEMENTS * stride)
#pragma unroll
        for (int k = 0; k < ELEMENTS; k++)
            sum += i + k * stride < n ? a[i + k * stride] : 0;

    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32)
        sum = warp_sum(threadIdx.x < WARPS ? shared[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/* As many blocks as the whole card holds at once. */
static unsigned choose_blocks(void)
{
    int device, sms, resident;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, reduction, THREADS, 0));
    return min(sms * resident, (int)MAX_BLOCKS);
}

/* The whole device side, from host numbers to one sum per block. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    run->blocks = run->blocks ? run->blocks : choose_blocks();
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
                          {.threads = THREADS,
                           .min_blocks = MIN_BLOCKS,
                           .max_blocks = MAX_BLOCKS,
                           .map = MAP_STRIDES});
}
