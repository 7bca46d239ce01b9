/* g5: one GPU reads what the others have computed.
 *
 * Before: in g2 the host fetched a sum from each GPU and added them up.
 * Now:    after cudaDeviceEnablePeerAccess() a kernel reads the memory of another GPU by its
 *         pointer: collect() on device 0 adds up the sums where they are. Its stream must wait for
 *         the events of the others first; nothing else orders two GPUs.
 * See:    docs/peers.md#g5
 */
#include "team.cuh"
#include "add_up.cuh"

struct sums {
    unsigned long long *of[MAX_DEVICES];
};

__global__ void collect(struct sums sums, int devices, unsigned long long *total)
{
    *total = 0;
    for (int d = 0; d < devices; d++)
        *total += *sums.of[d];
}

/* Device 0 may read the memory of the others. A second call would be an error. */
static void enable_reads(int devices)
{
    static bool enabled[MAX_DEVICES];

    for (int d = 1; d < devices; d++)
        if (!enabled[d])
            CHECK(cudaDeviceEnablePeerAccess(d, 0));
    for (int d = 1; d < devices; d++)
        enabled[d] = true;
}

/* The whole device side, from host numbers to a host sum. */
static long long sum_gpu(const int *a, int n, int devices, struct run *run)
{
    struct team team = team_new(devices);
    int *d_a[MAX_DEVICES];
    struct sums d_sum;
    unsigned long long *d_total = device_output(unsigned long long, run, 1), total;

    enable_reads(devices);
    for (int d = 0; d < devices; d++) {
        const int first = share(n, d, devices), end = share(n, d + 1, devices);

        CHECK(cudaSetDevice(d));
        d_a[d] = device_input(int, a + first, end - first);
        d_sum.of[d] = device_output(unsigned long long, run, 1);
    }
    CHECK(cudaSetDevice(0));

    run->blocks = min(BLOCKS, n / devices / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        start_all(&team, run);
        for (int d = 0; d < devices; d++) {
            const int count = share(n, d + 1, devices) - share(n, d, devices);

            CHECK(cudaSetDevice(d));
            CHECK(cudaMemsetAsync(d_sum.of[d], 0, sizeof(total), team.streams[d]));
            add_up<<<run->blocks, THREADS, 0, team.streams[d]>>>(d_a[d], count, d_sum.of[d]);
        }
        wait_for_all(&team);
        collect<<<1, 1>>>(d_sum, devices, d_total);
    }

    device_fetch(unsigned long long, &total, d_total, 1);
    device_free(run, d_total);
    for (int d = 0; d < devices; d++) {
        device_free(run, d_a[d]);
        device_free(run, d_sum.of[d]);
    }
    team_free(&team);
    return (long long)total;
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.sum = sum_gpu, .peers = true});
}
