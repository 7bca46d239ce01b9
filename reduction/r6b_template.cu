/* r6b: the tree unrolled for every block size.
 *
 * Before: r6a was right for 256 threads only.
 * Now:    the number of threads is a template argument (see kernel_for()), so the compiler drops
 *         the rounds that a block does not need. There is a barrier after each round, and the last
 *         warp adds only what the block has, so it is right from 32 to 1024 threads.
 * See:    docs/reduction.md#r6b
 */
#include "reduction.h"

enum { MAX_THREADS = 1024 };

/* The first warp adds up shared[0] to shared[63], or to shared[31] in a block of one warp. Every
 * lane reads, then all have read, then every lane writes, then all have written. */
template <int THREADS> __device__ void warp_tree(float *shared)
{
    float sum = shared[threadIdx.x];

#pragma unroll
    for (int offset = THREADS >= 64 ? 32 : 16; offset > 0; offset /= 2) {
        if (threadIdx.x + offset < THREADS)
            sum += shared[threadIdx.x + offset];
        __syncwarp();
        shared[threadIdx.x] = sum;
        __syncwarp();
    }
}

template <int THREADS> __global__ void reduction(const float *a, int n, float *sums)
{
    __shared__ float shared[THREADS];
    const int i = blockIdx.x * 2 * THREADS + threadIdx.x;
    const int j = i + THREADS;

    shared[threadIdx.x] = (i < n ? a[i] : 0) + (j < n ? a[j] : 0);
    __syncthreads();
#pragma unroll
    for (int offset = THREADS / 2; offset > 32; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x < 32)
        warp_tree<THREADS>(shared);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = shared[0];
}

typedef void kernel_function(const float *a, int n, float *sums);

/* The kernel compiled for a block of `threads`, a power of two from 32 to MAX_THREADS. */
static kernel_function *kernel_for(unsigned threads)
{
    switch (threads) {
    case 32:
        return reduction<32>;
    case 64:
        return reduction<64>;
    case 128:
        return reduction<128>;
    case 256:
        return reduction<256>;
    case 512:
        return reduction<512>;
    default:
        return reduction<MAX_THREADS>;
    }
}

/* The whole device side, from host numbers to one sum per block. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    kernel_function *kernel = kernel_for(run->threads);
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
                          {.threads = REDUCTION_THREADS,
                           .max_threads = MAX_THREADS,
                           .block_elements = 2 * REDUCTION_THREADS});
}
