/* The article's tree, written out for 256 threads and used with others. */
#include "sumsq.h"

__global__ void sum_of_squares(const int *num, int n, int *partial)
{
    extern __shared__ int shared[];
    int sum = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += num[i] * num[i];
    shared[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (int offset = 128; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *partial = shared[0];
}

static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    int partial;
    int *d_num = device_input(int, num, n);
    int *d_partial = device_output(int, run, 1);

    run->shared_bytes = run->threads * sizeof(int);
    TIMED(run)
        sum_of_squares<<<1, run->threads, run->shared_bytes>>>(d_num, n, d_partial);

    device_fetch(int, &partial, d_partial, 1);
    device_free(run, d_num);
    device_free(run, d_partial);
    return partial;
}

int main(int argc, char **argv)
{
    return sumsq_main(
        argc, argv, STEP, sumsq_gpu,
        {.blocks = 1, .threads = 256, .max_threads = SUMSQ_MAX_THREADS, .block_sums = true});
}
