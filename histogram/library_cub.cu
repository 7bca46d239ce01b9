/* library_cub: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceHistogram. Its temporary storage is
 *         allocated beforehand and not timed.
 * See:    docs/histogram.md#library_cub
 */
#include <cub/device/device_histogram.cuh>

#include "histogram.h"

/* The whole device side, from host samples to host counts. */
template <typename T>
static void histogram_gpu(const T *a, int n, struct run *run, unsigned *counts)
{
    T *d_a = device_input(T, a, n);
    unsigned *d_counts = device_output(unsigned, run, BINS);
    size_t bytes = 0;
    char *d_room;

    CHECK(
        cub::DeviceHistogram::HistogramEven(NULL, bytes, d_a, d_counts, BINS + 1, 0, (int)BINS, n));
    d_room = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceHistogram::HistogramEven(d_room, bytes, d_a, d_counts, BINS + 1, 0,
                                                  (int)BINS, n));

    device_fetch(unsigned, counts, d_counts, BINS);
    device_free(run, d_a);
    device_free(run, d_counts);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return histogram_main(
        argc, argv, STEP,
        {.words = histogram_gpu<unsigned>, .bytes = histogram_gpu<unsigned char>});
}
