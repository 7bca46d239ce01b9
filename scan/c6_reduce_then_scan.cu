/* c6: reduce, then scan.
 *
 * Before: c5 writes each number twice, because it scans the tiles before it knows what lies
 *         before them.
 * Now:    the first launch, add_tiles(), only adds up: it reads each number and writes one sum
 *         per block. The third one scans the tiles, and knows what lies before. A number is read
 *         twice and written once.
 * See:    docs/scan.md#c6
 */
#include "block.cuh"

template <typename T>
__global__ void __launch_bounds__(THREADS) add_tiles(const T *a, int n, T *tiles)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    T total;

    block_scan(i < n ? a[i] : 0, &total);
    if (threadIdx.x == 0)
        tiles[blockIdx.x] = total;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    scan_tiles(const T *a, int n, bool inclusive, const T *tiles, T *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const T x = i < n ? a[i] : 0;
    T total;
    const T sum = tiles[blockIdx.x] + block_scan(x, &total);

    if (i < n)
        out[i] = inclusive ? sum + x : sum;
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
        add_tiles<<<blocks, THREADS>>>(d_a, n, d_tiles);
        scan_by_one_block<<<1, THREADS>>>(d_tiles, blocks);
        scan_tiles<<<blocks, THREADS>>>(d_a, n, inclusive, d_tiles, d_sums);
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
