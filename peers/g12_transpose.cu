/* g12: a matrix turned over, whose rows are shared out. A new beginning.
 *
 * Now:    a Fourier transform on several GPUs has passes along rows, and between these rows become
 *         columns: every GPU needs a piece of every other's memory. turn() reads a tile of a piece
 *         over the link, row by row, and stores it turned over; both ways the lanes of a warp have
 *         neighbours. Each GPU begins with its own piece, then goes on to its right neighbour's, so
 *         that at no time all of them read from one.
 * See:    docs/peers.md#g12
 */
#include "team.cuh"

enum { TILE = 32, HIGH = 8 };

/* n x n numbers: device d has the rows from first[d] up to first[d + 1]. */
struct matrix {
    int n, devices, first[MAX_DEVICES + 1];
    float *rows[MAX_DEVICES];
};

/* The rows of device `me` in `to`. */
__global__ void turn(const struct matrix from, const struct matrix to, int me)
{
    __shared__ float tile[TILE][TILE + 1];
    const int n = from.n, other = (me + blockIdx.z) % from.devices;
    const int row = from.first[other] + blockIdx.y * TILE;
    const int column = to.first[me] + blockIdx.x * TILE;
    const int high = from.first[other + 1] - row, wide = to.first[me + 1] - column;
    const float *const in = from.rows[other] + (size_t)(blockIdx.y * TILE) * n + column;
    float *const out = to.rows[me] + (size_t)(blockIdx.x * TILE) * n + row;
    const int t = threadIdx.x;

    for (int k = threadIdx.y; k < TILE; k += HIGH)
        if (k < high && t < wide)
            tile[k][t] = in[(size_t)k * n + t];
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += HIGH)
        if (k < wide && t < high)
            out[(size_t)k * n + t] = tile[t][k];
}

/* The whole device side, from a host matrix to one turned over. */
static void transpose_gpu(const float *in, float *out, int n, int devices, struct run *run)
{
    struct team team = team_new(devices);
    struct matrix from = {n, devices}, to = {n, devices};
    const int most = (n + devices - 1) / devices, tiles = max((most + TILE - 1) / TILE, 1);

    enable_peers(devices);
    for (int d = 0; d < devices; d++) {
        const size_t first = (size_t)share(n, d, devices) * n;
        const size_t count = (size_t)share(n, d + 1, devices) * n - first;

        CHECK(cudaSetDevice(d));
        from.first[d + 1] = to.first[d + 1] = share(n, d + 1, devices);
        from.rows[d] = device_input(float, in + first, count);
        to.rows[d] = device_output(float, run, count);
    }
    CHECK(cudaSetDevice(0));

    run->blocks = run->blocks_y = tiles;
    run->threads = TILE;
    run->threads_y = HIGH;
    TIMED(run) {
        start_all(&team, run);
        for (int d = 0; d < devices; d++) {
            CHECK(cudaSetDevice(d));
            turn<<<dim3(tiles, tiles, devices), dim3(TILE, HIGH), 0, team.streams[d]>>>(from, to,
                                                                                        d);
        }
        wait_for_all(&team);
    }

    for (int d = 0; d < devices; d++) {
        const size_t first = (size_t)to.first[d] * n;

        device_fetch(float, out + first, to.rows[d], (size_t)to.first[d + 1] * n - first);
        device_free(run, from.rows[d]);
        device_free(run, to.rows[d]);
    }
    team_free(&team);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.transpose = transpose_gpu, .peers = true});
}
