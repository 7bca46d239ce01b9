/* r2: neighbouring threads work.
 *
 * Before: in r1 every second, fourth, eighth ... thread worked, so most warps took part in most
 *         rounds with only a few lanes active.
 * Now:    the first threads make the same additions, at `index`, so whole warps drop out. But lane
 *         k now reads word 2k, 4k, 8k ..., so the lanes of a warp crowd into a few banks.
 * See:    docs/reduction.md#r2
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
    for (int offset = 1; offset < THREADS; offset *= 2) {
        const int index = 2 * offset * threadIdx.x;

        if (index < THREADS)
            shared[index] += shared[index + offset];
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
