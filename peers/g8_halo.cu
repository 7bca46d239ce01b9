/* g8: a stencil, and the rows that neighbours exchange. A new beginning.
 *
 * Now:    a plate of cells: in each iteration a cell becomes the mean of its neighbours. The rows
 *         are shared out, and a cell on the edge of a share needs one of another GPU: its row is
 *         copied into the halo, a row more on either side. exchange() waits for the neighbours'
 *         events, and the next iteration for the copies.
 * See:    docs/peers.md#g8
 */
#include "plate.cuh"

/* The rows next to device d's come from its neighbours, as this iteration made them. */
static void exchange(const struct team *team, const struct plate *plate, int d, int iteration)
{
    cudaStream_t stream = team->streams[d];

    CHECK(cudaSetDevice(d));
    if (d > 0) {
        CHECK(cudaStreamWaitEvent(stream, team->done[d - 1], 0));
        copy_row(plate, d, d - 1, iteration, plate->first[d] - 1, stream);
    }
    if (d < plate->devices - 1) {
        CHECK(cudaStreamWaitEvent(stream, team->done[d + 1], 0));
        copy_row(plate, d, d + 1, iteration, plate->end[d], stream);
    }
}

/* The whole device side, from host cells to host cells. */
static void heat_gpu(const float *in, float *out, int n, int devices, struct run *run)
{
    devices = max(1, min(devices, n));
    struct team team = team_new(devices);
    struct plate plate = plate_new(in, n, devices, run);

    enable_peers(devices);
    run->blocks = (unsigned)((long long)n * n / devices / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        start_all(&team, run);
        for (int iteration = 0; iteration < ITERATIONS; iteration++) {
            for (int d = 0; d < devices; d++) {
                CHECK(cudaSetDevice(d));
                make_rows(&plate, d, iteration, plate.first[d], plate.end[d] - plate.first[d], 1,
                          team.streams[d]);
                ready(&team, d);
            }
            for (int d = 0; d < devices && iteration < ITERATIONS - 1; d++)
                exchange(&team, &plate, d, iteration);
        }
        wait_for_all(&team);
    }

    plate_fetch(&plate, out, run);
    team_free(&team);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.heat = heat_gpu, .peers = true});
}
