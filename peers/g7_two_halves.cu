/* g7: an all-reduce in two halves, all to all.
 *
 * Before: g6 went around in 2 (devices - 1) rounds, each of which waits for the one before. Short
 *         vectors cost a latency per round.
 * Now:    where every GPU reaches every other directly, two rounds are enough: in reduce_scatter()
 *         each reads its piece of all vectors and adds them up; in all_gather() each reads the
 *         finished pieces of the others. The bytes per link are the same.
 * See:    docs/peers.md#g7
 */
#include "vectors.cuh"

enum { THREADS = 256 };

/* Piece `first` to `first + n` of the sum of all vectors. */
__global__ void reduce_scatter(struct vectors v, int devices, int first, int n, unsigned *sum)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned total = 0;

    for (int d = 0; d < devices && i < n; d++)
        total += v.in[d][first + i];
    if (i < n)
        sum[i] = total;
}

/* Device `me` reads the finished pieces of the others, one for each blockIdx.y. */
__global__ void all_gather(struct vectors v, int devices, int me)
{
    const int piece = (me + blockIdx.y + 1) % devices; /* each GPU begins with another */
    const int first = (int)((long long)v.n * piece / devices);
    const int end = (int)((long long)v.n * (piece + 1) / devices);
    const int i = first + blockIdx.x * THREADS + threadIdx.x;

    if (i < end)
        v.out[me][i] = v.out[piece][i];
}

/* The whole device side, from host vectors to host vectors. */
static void all_reduce_gpu(const unsigned *in, unsigned *out, int n, int devices, struct run *run)
{
    struct team team = team_new(devices);
    struct vectors v = vectors_new(in, n, devices, run);

    enable_peers(devices);
    run->blocks = n / devices / THREADS + 1;
    run->threads = THREADS;
    TIMED(run) {
        start_all(&team, run);
        for (int d = 0; d < devices; d++) {
            const int first = share(n, d, devices), count = share(n, d + 1, devices) - first;

            CHECK(cudaSetDevice(d));
            reduce_scatter<<<count / THREADS + 1, THREADS, 0, team.streams[d]>>>(
                v, devices, first, count, v.out[d] + first);
            ready(&team, d);
        }
        for (int d = 0; d < devices && devices > 1; d++) {
            const dim3 grid(n / devices / THREADS + 1, devices - 1);

            CHECK(cudaSetDevice(d));
            for (int other = 0; other < devices; other++)
                CHECK(cudaStreamWaitEvent(team.streams[d], team.done[other], 0));
            all_gather<<<grid, THREADS, 0, team.streams[d]>>>(v, devices, d);
        }
        wait_for_all(&team);
    }

    vectors_fetch(&v, out, devices, run);
    team_free(&team);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.all_reduce = all_reduce_gpu, .peers = true});
}
