/* SPDX-License-Identifier: MIT */
/* What the broken programs share: everything but the kernel. They stand on the chapter "sumsq" as
 * its steps do, so that what catches them is what checks the steps. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdlib.h>

#include "sumsq.h"

/* Puts a sum a thread of the grid into `partial`. */
typedef void harness_kernel(int *num, int n, int *partial);

/* The whole device side, from host numbers to a host sum, for a kernel without clocks. */
static long long harness_gpu(harness_kernel *kernel, const int *num, int n, struct run *run)
{
    const int count = run->blocks * run->threads;
    int *partial = (int *)memory_host(count * sizeof(int));
    int *d_num = device_input(int, num, n);
    int *d_partial = device_output(int, run, count);
    long long sum;

    TIMED(run)
        kernel<<<run->blocks, run->threads>>>(d_num, n, d_partial);

    device_fetch(int, partial, d_partial, count);
    device_free(run, d_num);
    device_free(run, d_partial);
    sum = sumsq_add(partial, count);
    free(partial);
    return sum;
}

/* main() of a broken program. */
#define HARNESS_MAIN(kernel)                                                           \
    static long long sumsq_gpu(const int *num, int n, struct run *run)                 \
    {                                                                                  \
        return harness_gpu(kernel, num, n, run);                                       \
    }                                                                                  \
                                                                                       \
    int main(int argc, char **argv)                                                    \
    {                                                                                  \
        return sumsq_main(argc, argv, STEP, sumsq_gpu, {.blocks = 4, .threads = 256}); \
    }

/* The sum of a thread: every n-th number of the whole grid, as in step v4. */
__device__ static inline int harness_sum(const int *num, int n)
{
    int sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += num[i] * num[i];
    return sum;
}

#endif
