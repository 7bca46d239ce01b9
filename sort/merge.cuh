/* What k13 teaches, for the step after it: merges by paths, in a block. */
#ifndef MERGE_CUH
#define MERGE_CUH

#include "sort.h"

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

/* Sort `here` items in shared memory, from runs of one item. All threads call it. */
template <typename T> __device__ void sort_tile(T *items, int here)
{
    const int t = threadIdx.x;

    for (int i = t * ITEMS + 1; i < min(here, (t + 1) * ITEMS); i++) /* each thread its own */
        for (int k = i; k > t * ITEMS && key_of(items[k]) < key_of(items[k - 1]); k--) {
            const T item = items[k];

            items[k] = items[k - 1];
            items[k - 1] = item;
        }
    __syncthreads();
    for (int length = ITEMS; length < TILE; length *= 2) {
        const int first = t * ITEMS / (2 * length) * 2 * length;

        merge<T>(runs_at((const T *)items, first, length, here), first, items, here);
    }
}

#endif
