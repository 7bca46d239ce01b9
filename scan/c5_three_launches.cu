/* c5: all blocks, in three launches.
 *
 * Before: in c4 one block works, and all other SMs are idle.
 * Now:    each block scans one tile with scan_tiles() and leaves the tile's sum. A second launch
 *         scans these sums, by c4. Then add_tiles() adds to each number what lies before its
 *         tile. A number is read twice and written twice.
 * See:    docs/scan.md#c5
 */
#include "block.cuh"

template <typename T>
__global__ void __launch_bounds__(THREADS)
    scan_tiles(const T *a, int n, bool inclusive, T *out, T *tiles)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const T x = i < n ? a[i] : 0;
    T total;
    const T sum = block_scan(x, &total);

    if (i < n)
        out[i] = inclusive ? sum + x : sum;
    if (threadIdx.x == 0)
        tiles[blockIdx.x] = total;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) add_tiles(int n, const T *tiles, T *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        out[i] += tiles[blockIdx.x];
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    const int blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
    T *d_a = device_input(T, a, n);
    T *d_sums = device_output(T, run, n);
    T *d_tiles = device_output(T, run, blocks);

    run->blocks = blocks;
    run->threads = THREADS;
    TIMED(run) {
        scan_tiles<<<blocks, THREADS>>>(d_a, n, inclusive, d_sums, d_tiles);
        scan_by_one_block<<<1, THREADS>>>(d_tiles, blocks);
        add_tiles<<<blocks, THREADS>>>(n, d_tiles, d_sums);
    }

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_a);
    device_free(run, d_sums);
    device_free(run, d_tiles);
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.ints = scan_gpu<int>,
                      .floats = scan_gpu<float>,
                      .tile = THREADS,
                      .chain = 28,
                      .wave = {(void *)scan_tiles<int>, THREADS}});
}
