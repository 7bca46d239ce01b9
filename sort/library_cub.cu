/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceRadixSort. Its temporary storage is
 *         allocated beforehand and not timed. Pairs are words of 64 bits here, sorted by the upper
 *         32.
 * See:    docs/sort.md#library_cub
 */
#include <cub/device/device_radix_sort.cuh>

#include "sort.h"

/* The whole device side, from host items to the same in order. */
template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    const int end = 8 * sizeof(T);
    T *d_a = device_input(T, a, n);
    T *d_sorted = device_output(T, run, n);
    size_t bytes = 0;
    char *d_room;

    CHECK(cub::DeviceRadixSort::SortKeys(NULL, bytes, d_a, d_sorted, n, end - 32, end));
    d_room = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceRadixSort::SortKeys(d_room, bytes, d_a, d_sorted, n, end - 32, end));

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {.keys = sort_gpu<unsigned>, .pairs = sort_gpu<pair_t>});
}
