/* v8c_one_launch against CUB and against a kernel that only reads, in one process.
 *
 *   sumsq [--n N] [--runs N] [--device N] [--cold]
 *
 * All three read the same buffer, and their storage is allocated beforehand. Without --n: 1 Mi and
 * 256 Mi integers.
 */
#include <stdio.h>

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "benchmark.h"

/* The kernel and the call as they stand in the steps, and nothing else of them. */
#define STEP                                         \
    {                                                \
        "benchmarks", "sumsq", "v8c against CUB", 75 \
    }
int v8c_main(int argc, char **argv);
int cub_main(int argc, char **argv);
#define main v8c_main
#define sumsq_gpu v8c_gpu
#include "../sumsq/v8c_one_launch.cu"
#undef main
#undef sumsq_gpu
#define main cub_main
#define sumsq_gpu cub_gpu
#include "../sumsq/library_cub.cu"
#undef main
#undef sumsq_gpu

/* Reads as v8c does, and keeps next to nothing of it. */
__global__ void __launch_bounds__(THREADS) read_only(const int4 *quads, int count, int *sink)
{
    int seen = 0;
    int i = blockIdx.x * TILE + threadIdx.x;

    for (; i + (LOADS - 1) * THREADS < count; i += gridDim.x * TILE) {
        int4 v[LOADS];

        for (int k = 0; k < LOADS; k++)
            v[k] = quads[i + k * THREADS];
        for (int k = 0; k < LOADS; k++)
            seen |= v[k].x | v[k].y | v[k].z | v[k].w;
    }
    if (seen == -1) /* of digits it never is, but the compiler does not know */
        *sink = seen;
}

static double median_us(struct run *run)
{
    const double us = run_times(run).median * 1000;

    run_free(run);
    return us;
}

/* Print a line for n numbers. Returns the exit code. */
static int compete(int n, const struct options *options, const struct device *device)
{
    int *num = (int *)memory_host(n * sizeof(int));
    const sum_t zero = 0;
    struct run v8c = run_new(options, device), cub = run_new(options, device);
    struct run plain = run_new(options, device);
    const unsigned blocks = choose_blocks(n);
    long long sum, *d_sum;
    sum_t *d_total, *d_result, result;
    double v8c_us, cub_us, plain_us;
    size_t bytes = 0;
    void *d_temporary;
    int *d_num;

    sumsq_generate(num, n, 1);
    d_num = device_input(int, num, n);
    d_total = device_input(sum_t, &zero, 1);
    d_result = device_input(sum_t, &zero, 1);
    d_sum = device_input(long long, &zero, 1);
    CHECK(sum_of_squares(NULL, bytes, d_num, n, d_sum));
    CHECK(cudaMalloc(&d_temporary, bytes));

    TIMED(&plain)
        read_only<<<blocks, THREADS>>>((const int4 *)d_num, n / 4, (int *)d_temporary);
    TIMED(&v8c)
        sum_of_squares<<<blocks, THREADS>>>(d_num, n, d_total, d_result);
    TIMED(&cub)
        CHECK(sum_of_squares(d_temporary, bytes, d_num, n, d_sum));

    device_fetch(sum_t, &result, d_result, 1);
    device_fetch(long long, &sum, d_sum, 1);
    v8c_us = median_us(&v8c);
    cub_us = median_us(&cub);
    plain_us = median_us(&plain);
    printf("%10d  %9.2f  %9.2f  %9.2f  %6.3f  %7.3f\n", n, v8c_us, cub_us, plain_us,
           cub_us / v8c_us, plain_us / v8c_us);
    CHECK(cudaFree(d_num));
    CHECK(cudaFree(d_total));
    CHECK(cudaFree(d_result));
    CHECK(cudaFree(d_sum));
    CHECK(cudaFree(d_temporary));
    if ((long long)result != sumsq_cpu(num, n) || sum != (long long)result) {
        check_say("n = %d: the sums differ", n);
        return EXIT_MISMATCH;
    }
    free(num);
    return EXIT_MATCH;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {SUMSQ_N, 256 * SUMSQ_N, 0};

    return benchmark_main(argc, argv, 75, sizes,
                          "         n   v8c (us)   CUB (us)  read (us) CUB/v8c read/v8c", compete);
}
