/* r5a: barriers left out. WRONG.
 *
 * Before: in r4c every round of the tree ended in a barrier.
 * Now:    the last rounds of reduction(), which only one warp makes, have no barrier, as if the
 *         threads of a warp always ran in step. Nothing guarantees that: lane 0 may read word 8
 *         before lane 8 has written it.
 * See:    docs/reduction.md#r5a
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
        if (offset > 16)
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
                          {.threads = THREADS,
                           .block_elements = 2 * THREADS,
                           .wrong = "no barrier orders the last five rounds"});
}
