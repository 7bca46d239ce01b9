/* k3: the bitonic network, in all blocks. A new beginning.
 *
 * Before: k2 sorts what one block holds.
 * Now:    near() does that in every block, too. Items further apart than a tile meet in device
 *         memory: far() is one round, a launch each. Once they are near enough, near() does all
 *         rounds that are left of a merge in shared memory, in one launch.
 * See:    docs/sort.md#k3
 */
#include "sort.h"

enum { THREADS = 1024, TILE = 2 * THREADS };

/* Let the smaller key be in item i. */
template <typename T> __device__ void exchange(T *items, int i, int j, int n)
{
    if (j < n && key_of(items[j]) < key_of(items[i])) {
        const T item = items[i];

        items[i] = items[j];
        items[j] = item;
    }
}

/* The rounds of a merge in which items are at most `apart` apart. */
template <typename T> __device__ void merge(T *items, int apart, int n)
{
    for (; apart > 0; apart /= 2) {
        const int i = threadIdx.x / apart * 2 * apart + threadIdx.x % apart;

        exchange(items, i, i + apart, n);
        __syncthreads();
    }
}

/* This block's tile, in place: sorted, or through the last rounds of a merge. */
template <typename T, bool WHOLE> __global__ void __launch_bounds__(THREADS) near(T *a, int n)
{
    __shared__ T items[TILE];
    const int t = threadIdx.x, first = blockIdx.x * TILE, here = min((int)TILE, n - first);

    for (int i = t; i < here; i += THREADS)
        items[i] = a[first + i];
    __syncthreads();
    for (int half = WHOLE ? 1 : TILE; half < TILE; half *= 2) {
        const int start = t / half * 2 * half, k = t % half;

        exchange(items, start + k, start + 2 * half - 1 - k, here);
        __syncthreads();
        merge(items, half / 2, here);
    }
    if (!WHOLE)
        merge(items, TILE / 2, here);
    for (int i = t; i < here; i += THREADS)
        a[first + i] = items[i];
}

/* One round: items that mirror each other in two runs of `apart`, or items so far apart. */
template <typename T> __global__ void far(T *a, int n, int apart, bool mirrored)
{
    const int t = blockIdx.x * THREADS + threadIdx.x, first = t / apart * 2 * apart, k = t % apart;

    exchange(a, first + k, first + (mirrored ? 2 * apart - 1 - k : apart + k), n);
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    T *d_a = device_input(T, a, n), *d_sorted = device_output(T, run, n);

    run->blocks = n > 0 ? (n - 1) / TILE + 1 : 1;
    run->threads = THREADS;
    TIMED(run) {
        CHECK(cudaMemcpyAsync(d_sorted, d_a, n * sizeof(T), cudaMemcpyDeviceToDevice));
        near<T, true><<<run->blocks, THREADS>>>(d_sorted, n);
        for (long long half = TILE; half < n; half *= 2) {
            for (int apart = half; apart >= TILE; apart /= 2)
                far<<<((n - 1) / (2 * half) + 1) * (half / THREADS), THREADS>>>(d_sorted, n, apart,
                                                                                apart == half);
            near<T, false><<<run->blocks, THREADS>>>(d_sorted, n);
        }
    }

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {.keys = sort_gpu<unsigned>,
                      .wide_keys = sort_gpu<wide_key>,
                      .tile = TILE,
                      .wave = {(void *)near<unsigned, true>, THREADS}});
}
