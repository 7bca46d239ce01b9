/* r8: shuffles.
 *
 * Before: in r7 every round of the tree went through shared memory.
 * Now:    lanes read each other's registers: a tree by __shfl_down_sync in every warp, and one more
 *         over the sums of the warps, which alone pass through shared memory.
 * See:    docs/reduction.md#r8
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS, WARPS = THREADS / 32 };
enum { MIN_BLOCKS = 128, MAX_BLOCKS = 4096, MAX_ELEMENTS = 16 };

/* Lane 0 returns the sum over its warp. */
__device__ static float warp_sum(float sum)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

template <int BLOCKS, int ELEMENTS> __global__ void reduction(const float *a, int n, float *sums)
{
    __shared__ float shared[WARPS];
    const int stride = BLOCKS * THREADS;
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

typedef void kernel_function(const float *a, int n, float *sums);

/* The kernels compiled for a grid of BLOCKS, by the elements a thread takes. */
template <int BLOCKS> static kernel_function *kernel_with(unsigned elements)
{
    static kernel_function *const kernels[] = {reduction<BLOCKS, 1>, reduction<BLOCKS, 2>,
                                               reduction<BLOCKS, 4>, reduction<BLOCKS, 8>,
                                               reduction<BLOCKS, MAX_ELEMENTS>};

    return kernels[__builtin_ctz(elements)];
}

/* The kernel compiled for a grid of `blocks` and `elements` a thread, powers of two both. */
static kernel_function *kernel_for(unsigned blocks, unsigned elements)
{
    switch (blocks) {
    case MIN_BLOCKS:
        return kernel_with<MIN_BLOCKS>(elements);
    case 256:
        return kernel_with<256>(elements);
    case 512:
        return kernel_with<512>(elements);
    case 1024:
        return kernel_with<1024>(elements);
    case 2048:
        return kernel_with<2048>(elements);
    default:
        return kernel_with<MAX_BLOCKS>(elements);
    }
}

/* The whole device side, from host numbers to a sum a block. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    kernel_function *kernel = kernel_for(run->blocks, run->elements);
    float *d_a = device_input(float, a, n);
    float *d_sums = device_output(float, run, run->blocks);

    TIMED(run)
        kernel<<<run->blocks, run->threads>>>(d_a, n, d_sums);

    device_fetch(float, sums, d_sums, run->blocks);
    device_free(run, d_a);
    device_free(run, d_sums);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu,
                          {.threads = THREADS,
                           .blocks = 1024,
                           .min_blocks = MIN_BLOCKS,
                           .max_blocks = MAX_BLOCKS,
                           .elements = 8,
                           .max_elements = MAX_ELEMENTS,
                           .map = MAP_STRIDES});
}
