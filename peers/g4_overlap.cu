/* g4: the copies from the host run beside the kernels.
 *
 * Before: in g2 the numbers were on the GPUs before the clock started. Bringing them there takes
 *         longer than adding them up.
 * Now:    the host's numbers are page-locked by cudaHostRegister(), so that cudaMemcpyAsync() does
 *         not wait. Each GPU has two streams with a `stage` each: while one adds up a chunk,
 *         the other copies the next. The time includes the copies.
 * See:    docs/peers.md#g4
 */
#include "team.cuh"
#include "add_up.cuh"

enum { CHUNK = 1024 * 1024, STAGES = 2 };

/* What a device adds up, chunk after chunk. */
static void sum_share(const int *a, int n, int *const *stage, struct team *const *teams, int d,
                      unsigned long long *sum, const struct run *run)
{
    CHECK(cudaSetDevice(d));
    for (int first = 0, k = 0; first < n; first += CHUNK, k = (k + 1) % STAGES) {
        const int count = min(CHUNK, n - first);
        cudaStream_t stream = teams[k]->streams[d];

        CHECK(cudaMemcpyAsync(stage[k], a + first, count * sizeof(int), cudaMemcpyHostToDevice,
                              stream));
        add_up<<<run->blocks, THREADS, 0, stream>>>(stage[k], count, sum);
    }
}

/* The whole device side, from host numbers to a host sum. */
static long long sum_gpu(const int *a, int n, int devices, struct run *run)
{
    struct team team[STAGES] = {team_new(devices), team_new(devices)};
    struct team *const teams[STAGES] = {&team[0], &team[1]};
    int *stage[MAX_DEVICES][STAGES];
    unsigned long long *d_sum[MAX_DEVICES], total = 0;

    if (n > 0)
        CHECK(cudaHostRegister((void *)a, n * sizeof(int), cudaHostRegisterPortable));
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        for (int k = 0; k < STAGES; k++)
            CHECK(cudaMalloc(&stage[d][k], CHUNK * sizeof(int)));
        d_sum[d] = device_output(unsigned long long, run, 1);
    }
    CHECK(cudaSetDevice(0));

    run->blocks = min(BLOCKS, n / devices / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        for (int d = 0; d < devices; d++) { /* both streams of a device wait for it */
            CHECK(cudaSetDevice(d));
            CHECK(cudaStreamWaitEvent(team[0].streams[d], run->begin, 0));
            CHECK(cudaMemsetAsync(d_sum[d], 0, sizeof(*d_sum[d]), team[0].streams[d]));
            ready(&team[0], d);
            CHECK(cudaStreamWaitEvent(team[1].streams[d], team[0].done[d], 0));
        }
        for (int d = 0; d < devices; d++) {
            const int first = share(n, d, devices), end = share(n, d + 1, devices);
            sum_share(a + first, end - first, stage[d], teams, d, d_sum[d], run);
        }
        wait_for_all(&team[0]);
        wait_for_all(&team[1]);
    }

    for (int d = 0; d < devices; d++) {
        unsigned long long sum;

        device_fetch(unsigned long long, &sum, d_sum[d], 1);
        total += sum;
        for (int k = 0; k < STAGES; k++)
            device_free(run, stage[d][k]);
        device_free(run, d_sum[d]);
    }
    if (n > 0)
        CHECK(cudaHostUnregister((void *)a));
    team_free(&team[0]);
    team_free(&team[1]);
    return (long long)total;
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.sum = sum_gpu});
}
