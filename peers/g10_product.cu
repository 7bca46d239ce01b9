/* g10: a product whose rows are shared out. A new beginning.
 *
 * Now:    each GPU has all of B and its share of A's rows, and makes the same rows of C. Device 0
 *         shall have all of C. In make_share() a GPU makes a slab of SLAB rows at a time: while it
 *         makes the next, a second stream copies the last one over.
 * See:    docs/peers.md#g10
 */
#include "team.cuh"

enum { TILE = 16, SLAB = 4 * TILE };

__global__ void product(const float *a, const float *b, float *c, int rows, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k += TILE) {
        const int ka = k + threadIdx.x, kb = k + threadIdx.y;

        tile_a[threadIdx.y][threadIdx.x] = y < rows && ka < n ? a[(size_t)y * n + ka] : 0;
        tile_b[threadIdx.y][threadIdx.x] = x < n && kb < n ? b[(size_t)kb * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum = fmaf(tile_a[threadIdx.y][i], tile_b[i][threadIdx.x], sum);
        __syncthreads();
    }
    if (y < rows && x < n)
        c[(size_t)y * n + x] = sum;
}

/* Device d makes its rows, `rows` of them, of which device 0 gets each slab at `all`. */
static void make_share(const struct team *work, const struct team *copy, int d, int rows, int n,
                       const float *a, const float *b, float *c, float *all)
{
    CHECK(cudaSetDevice(d));
    for (int y = 0; y < rows; y += SLAB) {
        const int height = min(SLAB, rows - y);
        const dim3 grid((n + TILE - 1) / TILE, (height + TILE - 1) / TILE);
        const size_t at = (size_t)y * n;

        product<<<grid, dim3(TILE, TILE), 0, work->streams[d]>>>(a + at, b, c + at, height, n);
        ready(work, d);
        CHECK(cudaStreamWaitEvent(copy->streams[d], work->done[d], 0));
        CHECK(cudaMemcpyPeerAsync(all + at, 0, c + at, d, (size_t)height * n * sizeof(float),
                                  copy->streams[d]));
    }
}

/* The whole device side, from host matrices to a host matrix. */
static void product_gpu(const float *a, const float *b, float *c, int n, int devices,
                        struct run *run)
{
    struct team work = team_new(devices), copy = team_new(devices);
    float *d_a[MAX_DEVICES], *d_b[MAX_DEVICES], *d_c[MAX_DEVICES];
    float *d_all = device_output(float, run, (size_t)n *n);

    enable_peers(devices);
    for (int d = 0; d < devices; d++) {
        const size_t first = (size_t)share(n, d, devices) * n;
        const size_t count = (size_t)share(n, d + 1, devices) * n - first;

        CHECK(cudaSetDevice(d));
        d_a[d] = device_input(float, a + first, count);
        d_b[d] = device_input(float, b, (size_t)n *n);
        CHECK(cudaMalloc(&d_c[d], count * sizeof(float) + 1));
    }
    CHECK(cudaSetDevice(0));

    run->blocks = (n + TILE - 1) / TILE;
    run->blocks_y = SLAB / TILE;
    run->threads = run->threads_y = TILE;
    TIMED(run) {
        start_all(&work, run);
        for (int d = 0; d < devices; d++) {
            const int first = share(n, d, devices), rows = share(n, d + 1, devices) - first;
            make_share(&work, &copy, d, rows, n, d_a[d], d_b[d], d_c[d], d_all + (size_t)first * n);
        }
        wait_for_all(&work);
        wait_for_all(&copy);
    }

    device_fetch(float, c, d_all, (size_t)n *n);
    device_free(run, d_all);
    for (int d = 0; d < devices; d++) {
        device_free(run, d_a[d]);
        device_free(run, d_b[d]);
        CHECK(cudaFree(d_c[d]));
    }
    team_free(&work);
    team_free(&copy);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.product = product_gpu, .peers = true});
}
