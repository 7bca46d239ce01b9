/* library_cub_many: the row to beat.
 *
 * Now:    CUB, which comes with the toolkit: cub::DeviceHistogram. Its temporary storage is
 *         allocated beforehand and not timed.
 * See:    docs/histogram.md#library_cub
 */
#include <cub/device/device_histogram.cuh>

#include "histogram.h"

/* The whole device side, from host samples to host counts. */
static void histogram_gpu(const unsigned *a, int n, struct run *run, unsigned *counts)
{
    unsigned *d_a = device_input(unsigned, a, n);
    unsigned *d_counts = device_output(unsigned, run, MANY_BINS);
    size_t bytes = 0;
    char *d_room;

    CHECK(cub::DeviceHistogram::HistogramEven(NULL, bytes, d_a, d_counts, MANY_BINS + 1, 0,
                                              (int)MANY_BINS, n));
    d_room = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceHistogram::HistogramEven(d_room, bytes, d_a, d_counts, MANY_BINS + 1, 0,
                                                  (int)MANY_BINS, n));

    device_fetch(unsigned, counts, d_counts, MANY_BINS);
    device_free(run, d_a);
    device_free(run, d_counts);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, STEP, {.words = histogram_gpu, .bins = MANY_BINS});
}
