/* k13: merges by paths, in one block. A new beginning.
 *
 * Before: k2 takes log n rounds to merge two runs, each with a barrier; and it is not stable.
 * Now:    one round, whatever the length of the runs. Each thread writes ITEMS neighbours of the
 *         result, and path() finds where these begin in both runs: so many items lie before them,
 *         and a binary search tells how many of these are of the first run.
 * See:    docs/sort.md#k13
 */
#include "one_launch.cuh"

enum { THREADS = 256, ITEMS = 8, TILE = THREADS * ITEMS };

/* Two runs to merge, and how many items they have. */
template <typename T> struct runs {
    const T *a, *b;
    int in_a, in_b;
};

/* The runs that begin at `first`, `length` long as far as there are n items. */
template <typename T> __device__ runs<T> runs_at(const T *items, int first, int length, int n)
{
    return {items + first, items + first + length, max(0, min(length, n - first)),
            max(0, min(length, n - first - length))};
}

/* How many of the first `count` items of the result are of run a. Of equal items its come first. */
template <typename T> __device__ int path(runs<T> runs, int count)
{
    int low = max(0, count - runs.in_b), high = min(count, runs.in_a);

    while (low < high) {
        const int middle = (low + high) / 2;

        if (key_of(runs.b[count - 1 - middle]) < key_of(runs.a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* From shared memory: thread t merges ITEMS items from t * ITEMS on, counted from `first`, and puts
 * them there. All threads call it; there are `here` items. */
template <typename T> __device__ void merge(runs<T> runs, int first, T *items, int here)
{
    const int begin = threadIdx.x * ITEMS, count = begin - first;
    int i = path(runs, count), j = count - i;
    T mine[ITEMS];

#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (begin + k < here)
            mine[k] = j >= runs.in_b || (i < runs.in_a && key_of(runs.a[i]) <= key_of(runs.b[j]))
                          ? runs.a[i++]
                          : runs.b[j++];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (begin + k < here)
            items[begin + k] = mine[k];
    __syncthreads();
}

template <typename T> __global__ void __launch_bounds__(THREADS) sort(const T *a, int n, T *sorted)
{
    __shared__ T items[TILE];
    const int t = threadIdx.x;

    for (int i = t; i < n; i += THREADS)
        items[i] = a[i];
    __syncthreads();
    for (int i = t * ITEMS + 1; i < min(n, (t + 1) * ITEMS); i++) /* each thread its own */
        for (int k = i; k > t * ITEMS && key_of(items[k]) < key_of(items[k - 1]); k--) {
            const T item = items[k];

            items[k] = items[k - 1];
            items[k - 1] = item;
        }
    __syncthreads();
    for (int length = ITEMS; length < TILE; length *= 2) {
        const int first = t * ITEMS / (2 * length) * 2 * length;

        merge<T>(runs_at((const T *)items, first, length, n), first, items, n);
    }
    for (int i = t; i < n; i += THREADS)
        sorted[i] = items[i];
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by_one_block<T>(sort<T>, THREADS, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {OF_ALL_ITEMS(sort_gpu), .one_tile = true});
}
