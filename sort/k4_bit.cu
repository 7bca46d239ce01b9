/* k4: by one bit at a time, with a scan. A new beginning.
 *
 * Before: k3 compares keys, in rounds that grow with the square of log n.
 * Now:    a pass puts all items whose bit is 0 before all whose bit is 1, and
 *         changes no order else; after a pass for each bit, from the lowest up, all are in order.
 *         split() knows an item's new place from the number of zeros before it, which is a prefix
 *         sum: c5's three launches.
 * See:    docs/sort.md#k4
 */
#include "../scan/block.cuh"
#include "sort.h"

template <typename T> __device__ bool is_zero(const T *a, int i, int n, int bit)
{
    return i < n && (key_of(a[i]) >> bit & 1) == 0;
}

/* How many zeros each block has. */
template <typename T>
__global__ void __launch_bounds__(THREADS) count_zeros(const T *a, int n, int bit, int *zeros)
{
    const int count = __syncthreads_count(is_zero(a, blockIdx.x * THREADS + threadIdx.x, n, bit));

    if (threadIdx.x == 0)
        zeros[blockIdx.x] = count;
}

/* `zeros` are now those before each block, and in the end all. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    split(const T *a, int n, int bit, const int *zeros, T *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const bool zero = is_zero(a, i, n, bit);
    int total;
    const int before = zeros[blockIdx.x] + block_scan<int>(zero, &total);

    if (i < n)
        out[zero ? before : zeros[gridDim.x] + i - before] = a[i];
}

/* The whole device side, from host items to the same in order. */
template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    const int blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
    T *d_a = device_input(T, a, n);
    T *to[2] = {device_output(T, run, n), device_output(T, run, n)};
    int *d_zeros = device_output(int, run, blocks + 1);

    run->blocks = blocks;
    run->threads = THREADS;
    TIMED(run)
        for (int bit = 0; bit < KEY_BITS<T>; bit++) {
            const T *from = bit > 0 ? to[(bit + 1) % 2] : d_a;

            CHECK(cudaMemsetAsync(d_zeros + blocks, 0, sizeof(int)));
            count_zeros<<<blocks, THREADS>>>(from, n, bit, d_zeros);
            scan_by_one_block<<<1, THREADS>>>(d_zeros, blocks + 1);
            split<<<blocks, THREADS>>>(from, n, bit, (const int *)d_zeros, to[bit % 2]);
        }

    device_fetch(T, sorted, to[1], n);
    device_free(run, d_a);
    device_free(run, to[0]);
    device_free(run, to[1]);
    device_free(run, d_zeros);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = THREADS, WAVE_OF(split, THREADS)});
}
