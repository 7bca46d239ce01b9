/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceReduce::Sum. Its temporary storage is
 *         allocated beforehand and not timed.
 * See:    docs/reduction.md#library_cub
 */
#include <cub/device/device_reduce.cuh>

#include "reduction.h"

/* CUB fills the device with threads, so each adds up a short part of the input: far below this. */
enum { CHAIN = 16384 };

/* The whole device side, from host numbers to one sum. */
static void reduction_gpu(const float *a, int n, struct run *run, float *sums)
{
    float *d_a = device_input(float, a, n);
    float *d_result = device_output(float, run, 1);
    size_t bytes = 0;
    char *d_temporary;

    CHECK(cub::DeviceReduce::Sum(NULL, bytes, d_a, d_result, n));
    d_temporary = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceReduce::Sum(d_temporary, bytes, d_a, d_result, n));

    device_fetch(float, sums, d_result, 1);
    device_free(run, d_a);
    device_free(run, d_result);
    device_free(run, d_temporary);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, STEP, reduction_gpu, {.map = MAP_ONE, .chain = CHAIN});
}
