/* As printed: a tree for any block size. There is no barrier between the rounds of 512 and 256, and
 * the last rounds always begin with the number 16 further on. */
#include "reduction.h"

enum { MAX_THREADS = 512 };

template <int THREADS> __device__ void add(volatile float *shared, int t)
{
    if (THREADS >= 512 && t < 256)
        shared[t] += shared[t + 256];
    if (THREADS >= 256 && t < 128)
        shared[t] += shared[t + 128];
    __syncthreads();
    if (THREADS >= 128 && t < 64)
        shared[t] += shared[t + 64];
    __syncthreads();
    if (THREADS >= 64 && t < 32)
        shared[t] += shared[t + 32];
    __syncthreads();
    if (t < 32) {
        shared[t] += shared[t + 16];
        shared[t] += shared[t + 8];
        shared[t] += shared[t + 4];
        shared[t] += shared[t + 2];
        shared[t] += shared[t + 1];
    }
}

template <int THREADS> __global__ void template_tree(const float *a, int n, float *sums)
{
    __shared__ volatile float shared[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;

    shared[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    add<THREADS>(shared, threadIdx.x);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = shared[0];
}

static void template_tree_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_sums = device_output(float, run, run->blocks);

    TIMED(run) {
        if (run->threads == 32)
            template_tree<32><<<run->blocks, 32>>>(d_a, n, d_sums);
        else if (run->threads == 512)
            template_tree<512><<<run->blocks, 512>>>(d_a, n, d_sums);
        else
            template_tree<256><<<run->blocks, 256>>>(d_a, n, d_sums);
    }

    device_fetch(float, sums, d_sums, run->blocks);
    device_free(run, d_a);
    device_free(run, d_sums);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, template_tree_gpu,
                          {.threads = REDUCTION_THREADS,
                           .max_threads = MAX_THREADS,
                           .block_elements = REDUCTION_THREADS});
}
