/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceRadixSort. Its temporary storage is
 *         allocated beforehand and not timed. Items are words here, and of pairs the upper half
 *         counts.
 * See:    docs/sort.md#library_cub
 */
#include <cub/device/device_radix_sort.cuh>

#include "sort.h"
#include "word_of.cuh"

/* The whole device side, from host items to the same in order. */
template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    const int end = 8 * sizeof(T), begin = end - KEY_BITS<T>;
    T *d_a = device_input(T, a, n);
    T *d_sorted = device_output(T, run, n);
    size_t bytes = 0;
    char *d_room;

    CHECK(cub::DeviceRadixSort::SortKeys(NULL, bytes, (const word_of<T> *)d_a,
                                         (word_of<T> *)d_sorted, n, begin, end));
    d_room = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceRadixSort::SortKeys(d_room, bytes, (const word_of<T> *)d_a,
                                             (word_of<T> *)d_sorted, n, begin, end));

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {OF_ALL_ITEMS(sort_gpu)});
}
