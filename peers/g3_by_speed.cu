/* g3: a GPU that is twice as fast gets twice as many numbers.
 *
 * Before: in g2 all shares were equal, so all waited for the slowest GPU.
 * Now:    speed_of() times add_up() on a sample, on each GPU alone, and the share of each is in
 *         proportion.
 * See:    docs/peers.md#g3
 */
#include "team.cuh"
#include "add_up.cuh"

enum { SAMPLE = 4 * 1024 * 1024 };

/* Numbers per millisecond of device d; the first of two runs only warms up. */
static double speed_of(int d, const int *a, int n, struct run *run)
{
    cudaEvent_t begin, end;
    float ms;

    CHECK(cudaSetDevice(d));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    int *d_a = device_input(int, a, n);
    unsigned long long *d_sum = device_output(unsigned long long, run, 1);
    CHECK(cudaMemset(d_sum, 0, sizeof(*d_sum)));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventRecord(begin));
        add_up<<<min(BLOCKS, n / THREADS + 1), THREADS>>>(d_a, n, d_sum);
        CHECK(cudaEventRecord(end));
    }
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    device_free(run, d_a);
    device_free(run, d_sum);
    return ms > 0 ? n / ms : 1;
}

/* The whole device side, from host numbers to a host sum. */
static long long sum_gpu(const int *a, int n, int devices, struct run *run)
{
    struct team team = team_new(devices);
    int *d_a[MAX_DEVICES], first[MAX_DEVICES + 1];
    unsigned long long *d_sum[MAX_DEVICES], total = 0;
    double speed[MAX_DEVICES + 1] = {0}; /* of all devices before */

    for (int d = 0; d < devices; d++)
        speed[d + 1] = speed[d] + speed_of(d, a, min(n, SAMPLE), run);
    for (int d = 0; d <= devices; d++)
        first[d] = d == devices || n == 0 ? n : (int)(n * (speed[d] / speed[devices]));
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        d_a[d] = device_input(int, a + first[d], first[d + 1] - first[d]);
        d_sum[d] = device_output(unsigned long long, run, 1);
    }
    CHECK(cudaSetDevice(0));

    run->blocks = min(BLOCKS, n / devices / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        start_all(&team, run);
        for (int d = 0; d < devices; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaMemsetAsync(d_sum[d], 0, sizeof(*d_sum[d]), team.streams[d]));
            add_up<<<run->blocks, THREADS, 0, team.streams[d]>>>(d_a[d], first[d + 1] - first[d],
                                                                 d_sum[d]);
        }
        wait_for_all(&team);
    }

    for (int d = 0; d < devices; d++) {
        unsigned long long sum;

        device_fetch(unsigned long long, &sum, d_sum[d], 1);
        total += sum;
        device_free(run, d_a[d]);
        device_free(run, d_sum[d]);
    }
    team_free(&team);
    return (long long)total;
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.sum = sum_gpu});
}
