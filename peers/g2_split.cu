/* g2: every GPU adds up its share. A new beginning.
 *
 * Before: in g1 all GPUs but one were idle.
 * Now:    cudaSetDevice() says which GPU the next calls are for. Each gets its share of the numbers
 *         and a stream; one host thread starts them all, as a launch does not wait. The events in
 *         `done` tell device 0 when the others are ready: every later step begins with start_all()
 *         and ends with wait_for_all().
 * See:    docs/peers.md#g2
 */
#include "peers.h"
#include "add_up.cuh"

static cudaStream_t streams[MAX_DEVICES];
static cudaEvent_t done[MAX_DEVICES];

/* No stream begins before run->begin, which the timing records on device 0. */
static void start_all(int devices, const struct run *run)
{
    for (int d = 0; d < devices; d++)
        CHECK(cudaStreamWaitEvent(streams[d], run->begin, 0));
}

/* Device 0, whose clock is read next, waits for all streams. */
static void wait_for_all(int devices)
{
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaEventRecord(done[d], streams[d]));
    }
    CHECK(cudaSetDevice(0));
    for (int d = 0; d < devices; d++)
        CHECK(cudaStreamWaitEvent(NULL, done[d], 0));
}

/* The whole device side, from host numbers to a host sum. */
static long long sum_gpu(const int *a, int n, int devices, struct run *run)
{
    int *d_a[MAX_DEVICES];
    unsigned long long *d_sum[MAX_DEVICES], total = 0;

    for (int d = 0; d < devices; d++) {
        const int first = share(n, d, devices), end = share(n, d + 1, devices);

        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreate(&streams[d]));
        CHECK(cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming));
        d_a[d] = device_input(int, a + first, end - first);
        d_sum[d] = device_output(unsigned long long, run, 1);
    }
    CHECK(cudaSetDevice(0));

    run->blocks = min(BLOCKS, n / devices / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        start_all(devices, run);
        for (int d = 0; d < devices; d++) {
            const int count = share(n, d + 1, devices) - share(n, d, devices);

            CHECK(cudaSetDevice(d));
            CHECK(cudaMemsetAsync(d_sum[d], 0, sizeof(*d_sum[d]), streams[d]));
            add_up<<<run->blocks, THREADS, 0, streams[d]>>>(d_a[d], count, d_sum[d]);
        }
        wait_for_all(devices);
    }

    for (int d = 0; d < devices; d++) {
        unsigned long long sum;

        device_fetch(unsigned long long, &sum, d_sum[d], 1);
        total += sum;
        device_free(run, d_a[d]);
        device_free(run, d_sum[d]);
        CHECK(cudaStreamDestroy(streams[d]));
        CHECK(cudaEventDestroy(done[d]));
    }
    return (long long)total;
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.sum = sum_gpu});
}
