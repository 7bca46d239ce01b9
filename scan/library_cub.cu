/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceScan. Its temporary storage is allocated
 *         beforehand and not timed.
 * See:    docs/scan.md#library_cub
 */
#include <cub/device/device_scan.cuh>

#include "scan.h"

/* The smallest tile that CUB may choose, and more than a float goes through in it. */
enum { TILE = 256, CHAIN = 1024 };

template <typename T>
static void scan_cub(void *room, size_t &bytes, const T *a, int n, bool inclusive, T *sums)
{
    if (inclusive)
        CHECK(cub::DeviceScan::InclusiveSum(room, bytes, a, sums, n));
    else
        CHECK(cub::DeviceScan::ExclusiveSum(room, bytes, a, sums, n));
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    T *d_a = device_input(T, a, n);
    T *d_sums = device_output(T, run, n);
    size_t bytes = 0;
    char *d_room;

    scan_cub(NULL, bytes, d_a, n, inclusive, d_sums);
    d_room = device_output(char, run, bytes);

    TIMED(run)
        scan_cub(d_room, bytes, d_a, n, inclusive, d_sums);

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_a);
    device_free(run, d_sums);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return scan_main(
        argc, argv, STEP,
        {.ints = scan_gpu<int>, .floats = scan_gpu<float>, .tile = TILE, .chain = CHAIN});
}
