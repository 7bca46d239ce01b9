/* As printed: the tree works in the input array, which nobody restores: a second run adds up what
 * the first one left. */
#include "reduction.h"

enum { THREADS = REDUCTION_THREADS };

__global__ void in_place(float *a, int n, float *sums)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    for (int offset = 1; offset < THREADS; offset *= 2) {
        if (threadIdx.x % (2 * offset) == 0 && i + offset < n)
            a[i] += a[i + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = i < n ? a[i] : 0;
}

static void in_place_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_sums = device_output(float, run, run->blocks);

    TIMED(run)
        in_place<<<run->blocks, run->threads>>>(d_a, n, d_sums);

    device_fetch(float, sums, d_sums, run->blocks);
    device_free(run, d_a);
    device_free(run, d_sums);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, in_place_gpu,
                          {.threads = THREADS, .block_elements = THREADS});
}
