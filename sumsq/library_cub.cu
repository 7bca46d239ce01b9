/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceReduce::TransformReduce squares and adds. Its
 *         temporary storage is allocated beforehand and not timed.
 * See:    docs/sumsq.md#library_cub
 */
#include <cub/device/device_reduce.cuh>

#include "sumsq.h"

struct square {
    __device__ long long operator()(int x) const
    {
        return (long long)x * x;
    }
};

struct plus {
    __device__ long long operator()(long long a, long long b) const
    {
        return a + b;
    }
};

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    int *d_num = device_input(int, num, n);
    long long *d_result = device_output(long long, run, 1);
    size_t bytes = 0;
    char *d_temporary;
    long long result;

    CHECK(
        cub::DeviceReduce::TransformReduce(NULL, bytes, d_num, d_result, n, plus(), square(), 0LL));
    d_temporary = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceReduce::TransformReduce(d_temporary, bytes, d_num, d_result, n, plus(),
                                                 square(), 0LL));

    device_fetch(long long, &result, d_result, 1);
    device_free(run, d_num);
    device_free(run, d_result);
    device_free(run, d_temporary);
    return result;
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu, {.wide_sums = true});
}
