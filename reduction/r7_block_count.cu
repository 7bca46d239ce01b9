/* r7: how many blocks?
 *
 * Before: in r6 a thread took two numbers: 65536 blocks for 32 Mi numbers, each with a tree of its
 *         own.
 * Now:    as many blocks as the card holds at once, see choose_blocks(), stride over the input
 *         together, and a thread takes `ELEMENTS` numbers on each stride, all in flight at once.
 *         --blocks sets another number, and --sweep 1 tries them all.
 * See:    docs/reduction.md#r7
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS, ELEMENTS = 8, MIN_BLOCKS = 128, MAX_BLOCKS = 4096 };

/* The first warp adds shared[0] to shared[63]. Every lane reads, then all have read, then every
 * lane writes, then all have written. */
__device__ static void warp_tree(float *shared)
{
    float sum = shared[threadIdx.x];

#pragma unroll
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
    const int stride = gridDim.x * THREADS;
    float sum = 0;

#pragma unroll 1
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += ELEMENTS * stride)
#pragma unroll
        for (int k = 0; k < ELEMENTS; k++)
            sum += i + k * stride < n ? a[i + k * stride] : 0;

    shared[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
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
