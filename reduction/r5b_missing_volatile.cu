/* r5b: the last warp unrolled. WRONG.
 *
 * Before: in r4c every round of the tree ended in a barrier.
 * Now:    the last five rounds of reduction() are unrolled for 16 threads, without barriers. The
 *         compiler may keep a word in a register from one line to the next, where no other lane
 *         sees it. And nothing guarantees that the lanes run in step.
 * See:    docs/reduction.md#r5b
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS };

__global__ void reduction(const float *a, int n, float *sums)
{
    __shared__ float shared[THREADS];
    const int i = blockIdx.x * 2 * THREADS + threadIdx.x;
    const int j = i + THREADS;

    shared[threadIdx.x] = (i < n ? a[i] : 0) + (j < n ? a[j] : 0);
    __syncthreads();
#pragma unroll 1
    for (int offset = THREADS / 2; offset >= 32; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x < 16) {
        shared[threadIdx.x] += shared[threadIdx.x + 16];
        shared[threadIdx.x] += shared[threadIdx.x + 8];
        shared[threadIdx.x] += shared[threadIdx.x + 4];
        shared[threadIdx.x] += shared[threadIdx.x + 2];
        shared[threadIdx.x] += shared[threadIdx.x + 1];
    }
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
                          {.threads = THREADS,
                           .block_elements = 2 * THREADS,
                           .wrong = "the compiler may keep words in registers, and no barrier "
                                    "orders the last five rounds"});
}
