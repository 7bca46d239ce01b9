/* r4c: the pair one block away.
 *
 * Before: in r4a and r4b the second number lay a whole grid further on.
 * Now:    it lies one block further on, at `j`, so a block reads one run of memory. r5 and the
 *         steps after it build on this.
 * See:    docs/reduction.md#r4c
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
                          {.threads = THREADS, .block_elements = 2 * THREADS});
}
