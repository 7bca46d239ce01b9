/* r3: neighbouring threads add neighbouring words.
 *
 * Before: in r2 the lanes of a warp crowded into a few banks.
 * Now:    the first half of the block adds the second half, then the first quarter adds the second:
 *         `offset` halves. Lane k reads word k, and every bank serves one lane.
 * See:    docs/reduction.md#r3
 */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS };

__global__ void reduction(const float *a, int n, float *sums)
{
    __shared__ float shared[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;

    shared[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
#pragma unroll 1
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
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
                          {.threads = THREADS, .block_elements = THREADS});
}
