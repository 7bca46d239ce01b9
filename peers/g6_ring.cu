/* g6: an all-reduce around a ring. A new beginning.
 *
 * Now:    each GPU has a vector, and all shall have the sum of all vectors. A vector is cut into as
 *         many pieces as there are GPUs. In each round every GPU takes a piece from the one to its
 *         left: add_piece() reads it over the link and adds its own, so that after devices - 1
 *         rounds each has one piece of the sum; then the finished pieces go around. A round waits
 *         for the left neighbour's event of the round before; there are two events per GPU, as
 *         the neighbour may already have recorded the next.
 * See:    docs/peers.md#g6
 */
#include "vectors.cuh"

enum { THREADS = 256 };

__global__ void add_piece(const unsigned *mine, const unsigned *left, unsigned *sum, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        sum[i] = mine[i] + left[i];
}

/* Round `round` of device d, of 2 (devices - 1). */
static void go_round(const struct team *team, const struct vectors *v, int d, int round)
{
    const int p = team->devices, left = (d + p - 1) % p;
    const bool adds = round < p - 1;
    const int piece = (d + 2 * p - round - (adds ? 1 : 0) + (adds ? 0 : p - 1)) % p;
    const int first = share(v->n, piece, p), count = share(v->n, piece + 1, p) - first;
    const unsigned *from = round == 0 ? v->in[left] : v->out[left];

    CHECK(cudaSetDevice(d));
    if (adds)
        add_piece<<<count / THREADS + 1, THREADS, 0, team->streams[d]>>>(
            v->in[d] + first, from + first, v->out[d] + first, count);
    else
        CHECK(cudaMemcpyPeerAsync(v->out[d] + first, d, from + first, left,
                                  count * sizeof(unsigned), team->streams[d]));
}

static void ring(const struct team teams[2], const struct vectors *v)
{
    const int p = teams[0].devices;

    for (int round = 0; round < 2 * (p - 1); round++)
        for (int d = 0; d < p; d++) {
            if (round > 0)
                CHECK(cudaStreamWaitEvent(teams[0].streams[d],
                                          teams[(round - 1) % 2].done[(d + p - 1) % p], 0));
            go_round(&teams[0], v, d, round);
            CHECK(cudaEventRecord(teams[round % 2].done[d], teams[0].streams[d]));
        }
    if (p == 1)
        CHECK(cudaMemcpyAsync(v->out[0], v->in[0], v->n * sizeof(unsigned),
                              cudaMemcpyDeviceToDevice, teams[0].streams[0]));
}

/* The whole device side, from host vectors to host vectors. */
static void all_reduce_gpu(const unsigned *in, unsigned *out, int n, int devices, struct run *run)
{
    struct team teams[2] = {team_new(devices), team_new(devices)};
    struct vectors v = vectors_new(in, n, devices, run);

    enable_peers(devices);
    run->blocks = n / devices / THREADS + 1;
    run->threads = THREADS;
    TIMED(run) {
        start_all(&teams[0], run);
        ring(teams, &v);
        wait_for_all(&teams[0]);
    }

    vectors_fetch(&v, out, devices, run);
    team_free(&teams[0]);
    team_free(&teams[1]);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.all_reduce = all_reduce_gpu, .peers = true});
}
