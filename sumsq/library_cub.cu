/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit, squares and adds. Its temporary storage is allocated
 *         beforehand and not timed.
 * See:    docs/sumsq.md#library_cub
 */
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

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

/* With NULL for `temporary` sets `bytes` to what is needed; else adds up the squares. */
static cudaError_t sum_of_squares(void *temporary, size_t &bytes, const int *num, int n,
                                  long long *result)
{
#if CUB_VERSION >= 200400
    return cub::DeviceReduce::TransformReduce(temporary, bytes, num, result, n, plus(), square(),
                                              0LL);
#else /* before CUDA 12.5; reads 4 bytes at a time */
    return cub::DeviceReduce::Sum(temporary, bytes, thrust::make_transform_iterator(num, square()),
                                  result, n);
#endif
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    int *d_num = device_input(int, num, n);
    long long *d_result = device_output(long long, run, 1);
    size_t bytes = 0;
    char *d_temporary;
    long long result;

    CHECK(sum_of_squares(NULL, bytes, d_num, n, d_result));
    d_temporary = device_output(char, run, bytes);

    TIMED(run)
        CHECK(sum_of_squares(d_temporary, bytes, d_num, n, d_result));

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
