/* g7b: an all-reduce of short vectors, in one round.
 *
 * Before: in g7 the second round waits for the first, on every GPU. Of short vectors the latencies
 *         are all that counts.
 * Now:    add_all() on every GPU reads all vectors and adds them up whole: more bytes over the
 *         links, p - 1 vectors instead of 2 (p - 1) / p, but nobody waits for anybody.
 * See:    docs/peers.md#g7b
 */
#include "vectors.cuh"

enum { THREADS = 256 };

__global__ void add_all(struct vectors v, int devices, int me)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned total = 0;

    for (int d = 0; d < devices && i < v.n; d++)
        total += v.in[d][i];
    if (i < v.n)
        v.out[me][i] = total;
}

/* The whole device side, from host vectors to host vectors. */
static void all_reduce_gpu(const unsigned *in, unsigned *out, int n, int devices, struct run *run)
{
    struct team team = team_new(devices);
    struct vectors v = vectors_new(in, n, devices, run);

    enable_peers(devices);
    run->blocks = n / THREADS + 1;
    run->threads = THREADS;
    TIMED(run) {
        start_all(&team, run);
        for (int d = 0; d < devices; d++) {
            CHECK(cudaSetDevice(d));
            add_all<<<n / THREADS + 1, THREADS, 0, team.streams[d]>>>(v, devices, d);
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
