/* g9: the exchange hides behind the inner rows.
 *
 * Before: in g8 all cells waited for the exchange, though only the outer rows need it.
 * Now:    a GPU makes its outer rows first, by one launch. While it makes the inner ones, a stream
 *         of its own exchanges the outer: `outer` are the events after these, `halo` those of the
 *         exchange, of an even and of an odd iteration.
 * See:    docs/peers.md#g9
 */
#include "plate.cuh"

/* The rows next to device d's come from its neighbours, as this iteration made them. Its own outer
 * rows must be made too: they read the halo that is overwritten. */
static void exchange(const struct team *outer, const struct team *halo, const struct plate *plate,
                     int d, int iteration)
{
    cudaStream_t stream = halo->streams[d];

    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamWaitEvent(stream, outer->done[d], 0));
    if (d > 0) {
        CHECK(cudaStreamWaitEvent(stream, outer->done[d - 1], 0));
        copy_row(plate, d, d - 1, iteration, plate->first[d] - 1, stream);
    }
    if (d < plate->devices - 1) {
        CHECK(cudaStreamWaitEvent(stream, outer->done[d + 1], 0));
        copy_row(plate, d, d + 1, iteration, plate->end[d], stream);
    }
    ready(halo, d);
}

static void play(const struct team *outer, const struct team *halo, const struct plate *plate)
{
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        for (int d = 0; d < plate->devices; d++) {
            const int first = plate->first[d], rows = plate->end[d] - first;
            cudaStream_t stream = outer->streams[d];

            CHECK(cudaSetDevice(d));
            if (iteration > 0)
                CHECK(cudaStreamWaitEvent(stream, halo->done[d], 0));
            make_rows(plate, d, iteration, first, min(rows, 2), max(rows - 1, 1), stream);
            ready(outer, d);
            make_rows(plate, d, iteration, first + 1, rows - 2, 1, stream);
        }
        for (int d = 0; d < plate->devices && iteration < ITERATIONS - 1; d++)
            exchange(outer, halo, plate, d, iteration);
    }
}

/* The whole device side, from host cells to host cells. */
static void heat_gpu(const float *in, float *out, int n, int devices, struct run *run)
{
    devices = max(1, min(devices, n));
    struct team outer = team_new(devices), halo = team_new(devices);
    struct plate plate = plate_new(in, n, devices, run);

    enable_peers(devices);
    run->blocks = (unsigned)((long long)n * n / devices / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        start_all(&outer, run);
        play(&outer, &halo, &plate);
        wait_for_all(&outer);
    }

    plate_fetch(&plate, out, run);
    team_free(&outer);
    team_free(&halo);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.heat = heat_gpu, .peers = true});
}
