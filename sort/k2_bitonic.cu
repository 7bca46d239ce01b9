/* k2: a bitonic network, in one block.
 *
 * Before: k1 takes n rounds, for an item moves by one place in each.
 * Now:    merge() makes one sorted run of every two, which are `half` long: it compares the first
 *         item with the last, the second with the last but one, ..., then items half / 2 apart,
 *         half / 4, ..., 1. Runs of 1 become runs of 2, 4, ..., n. The smaller key always goes to
 *         the lower place, so that what lies behind the end may be missing.
 * See:    docs/sort.md#k2
 */
#include "one_launch.cuh"

enum { THREADS = 1024, TILE = SORT_ONE_TILE_N };

/* Let the smaller key be in item i. */
template <typename T> __device__ void exchange(T *items, int i, int j, int n)
{
    if (j < n && key_of(items[j]) < key_of(items[i])) {
        const T item = items[i];

        items[i] = items[j];
        items[j] = item;
    }
}

/* Every two neighbouring runs of `half` items become one. All threads of the block call it. */
template <typename T> __device__ void merge(T *items, int half, int n)
{
    const int t = threadIdx.x, first = t / half * 2 * half, k = t % half;

    exchange(items, first + k, first + 2 * half - 1 - k, n);
    __syncthreads();
    for (int apart = half / 2; apart > 0; apart /= 2) {
        const int i = t / apart * 2 * apart + t % apart;

        exchange(items, i, i + apart, n);
        __syncthreads();
    }
}

template <typename T> __global__ void __launch_bounds__(THREADS) sort(const T *a, int n, T *sorted)
{
    __shared__ T items[TILE];

    for (int i = threadIdx.x; i < n; i += THREADS)
        items[i] = a[i];
    __syncthreads();
    for (int half = 1; half < n; half *= 2)
        merge(items, half, n);
    for (int i = threadIdx.x; i < n; i += THREADS)
        sorted[i] = items[i];
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by_one_block<T>(sort<T>, THREADS, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(
        argc, argv, STEP,
        {.keys = sort_gpu<unsigned>, .wide_keys = sort_gpu<wide_key>, .one_tile = true});
}
