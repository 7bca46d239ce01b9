/* library_cub_select: the row for c10 to beat.
 *
 * Now:    CUB again: cub::DeviceSelect::If. Its temporary storage is allocated beforehand and not
 *         timed.
 * See:    docs/scan.md#library_cub
 */
#include <cub/device/device_select.cuh>

#include "scan.h"

struct even {
    __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

/* The whole device side, from host numbers to those that stay, and how many these are. */
static int select_gpu(const int *a, int n, struct run *run, int *kept)
{
    int *d_a = device_input(int, a, n);
    int *d_kept = device_output(int, run, n);
    int *d_count = device_output(int, run, 1), count;
    size_t bytes = 0;
    char *d_room;

    CHECK(cub::DeviceSelect::If(NULL, bytes, d_a, d_kept, d_count, n, even()));
    d_room = device_output(char, run, bytes);

    TIMED(run)
        CHECK(cub::DeviceSelect::If(d_room, bytes, d_a, d_kept, d_count, n, even()));

    device_fetch(int, &count, d_count, 1);
    device_fetch(int, kept, d_kept, count);
    device_free(run, d_a);
    device_free(run, d_kept);
    device_free(run, d_count);
    device_free(run, d_room);
    return count;
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP, {.select = select_gpu});
}
