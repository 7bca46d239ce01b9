/* v2 as the article has it: the slice is rounded down, so what is left over nobody adds. */
#include "sumsq.h"

__global__ void sum_of_squares(const int *num, int n, int *partial)
{
    const int size = n / blockDim.x;
    int sum = 0;

    for (int i = threadIdx.x * size; i < (threadIdx.x + 1) * size; i++)
        sum += num[i] * num[i];
    partial[threadIdx.x] = sum;
}

static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    int partial[SUMSQ_MAX_THREADS];
    int *d_num = device_input(int, num, n);
    int *d_partial = device_output(int, run, run->threads);

    TIMED(run)
        sum_of_squares<<<1, run->threads>>>(d_num, n, d_partial);

    device_fetch(int, partial, d_partial, run->threads);
    device_free(run, d_num);
    device_free(run, d_partial);
    return sumsq_add(partial, run->threads);
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu,
                      {.blocks = 1, .threads = 256, .max_threads = SUMSQ_MAX_THREADS});
}
