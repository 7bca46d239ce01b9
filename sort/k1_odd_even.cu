/* k1: neighbours change places, in one block.
 *
 * Now:    a tile is in shared memory, and each thread compares two neighbours and puts the smaller
 *         key first: in even rounds items 0 and 1, 2 and 3, ..., in odd ones 1 and 2, 3 and 4, ...
 *         That is odd-even transposition sort: after n rounds of exchange() all are in order,
 *         for no item has further to go.
 * See:    docs/sort.md#k1
 */
#include "sort.h"

enum { THREADS = 1024, TILE = SORT_ONE_TILE_N };

/* Let the smaller key be in item i. Equal ones keep their order. */
template <typename T> __device__ void exchange(T *items, int i, int j, int n)
{
    if (j < n && key_of(items[j]) < key_of(items[i])) {
        const T item = items[i];

        items[i] = items[j];
        items[j] = item;
    }
}

template <typename T> __global__ void __launch_bounds__(THREADS) sort(const T *a, int n, T *sorted)
{
    __shared__ T items[TILE];

    for (int i = threadIdx.x; i < n; i += THREADS)
        items[i] = a[i];
    __syncthreads();
    for (int round = 0; round < n; round++) {
        const int i = 2 * threadIdx.x + round % 2;

        exchange(items, i, i + 1, n);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += THREADS)
        sorted[i] = items[i];
}

/* The whole device side, from host items to the same in order. */
template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    T *d_a = device_input(T, a, n);
    T *d_sorted = device_output(T, run, n);

    run->blocks = 1;
    run->threads = THREADS;
    TIMED(run)
        sort<<<1, THREADS>>>((const T *)d_a, n, d_sorted);

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {OF_ALL_ITEMS(sort_gpu), .one_tile = true});
}
