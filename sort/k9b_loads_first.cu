/* k9b: all loads before the first count.
 *
 * Before: a thread of k9 loads an item, counts it, and only then loads the next: the compiler must
 *         not move a load past an atomic addition, which might change what it reads.
 * Now:    load_and_count() loads all its items, then counts all: all loads are in flight at once.
 * See:    docs/sort.md#k9b
 */
#include "or.cuh"

template <typename T> struct placed_tile {
    T items[TILE<T>];
    int counts[SORTER_WARPS][DIGITS]; /* in each warp's part; then where its next item belongs */
    unsigned seen[SORTER_WARPS][DIGITS]; /* the lanes of a warp with this digit, for a moment */
    int bases[DIGITS]; /* where the tile's items of a digit begin in the output, less in the tile */
    int number;
};

/* Load this thread's items, then count their digits. */
template <typename T>
__device__ void load_and_count(placed_tile<T> *tile, const T *a, int here, int shift, T *items)
{
    int *const counts = tile->counts[threadIdx.x / 32];

    for (int k = 0; k < ITEMS<T>; k++) {
        const int from = place<ITEMS<T>>(k);

        items[k] = from < here ? a[from] : last_item<T>();
    }
    for (int k = 0; k < ITEMS<T>; k++)
        atomicAdd(&counts[digit_of(items[k], shift)], 1);
}

/* Put this thread's items into the tile. */
template <typename T> __device__ void put(placed_tile<T> *tile, int shift, const T *items)
{
    const int warp = threadIdx.x / 32;

    for (int k = 0; k < ITEMS<T>; k++) {
        const int digit = digit_of(items[k], shift);

        tile->items[rank_of(tile->counts[warp], tile->seen[warp], digit)] = items[k];
    }
}

template <typename T>
__global__ void __launch_bounds__(SORTERS) sweep(const T *a, int n, int shift, const int *counts,
                                                 volatile word *words, int *started, T *out)
{
    __shared__ placed_tile<T> tile;
    const int t = threadIdx.x, start = before_digit(counts[t]);
    T items[ITEMS<T>];
    int count = 0;

    for (int i = t; i < SORTER_WARPS * DIGITS; i += SORTERS)
        tile.counts[0][i] = tile.seen[0][i] = 0;
    if (t == 0)
        tile.number = atomicAdd(started, 1);
    __syncthreads();
    const int first = tile.number * TILE<T>, here = min(TILE<T>, n - first);
    volatile word *const own = words + (size_t)tile.number * DIGITS + t;

    load_and_count(&tile, a + first, here, shift, items);
    __syncthreads();
    for (int warp = 0; warp < SORTER_WARPS; warp++)
        count += tile.counts[warp][t];
    *own = word_of_sum(ITS_SUM, count);
    const int in_tile = before_digit(count);

    for (int warp = 0, place = in_tile; warp < SORTER_WARPS; warp++) {
        const int here = tile.counts[warp][t];

        tile.counts[warp][t] = place;
        place += here;
    }
    __syncthreads();
    put(&tile, shift, items);
    const int before = look_back(own, tile.number);

    *own = word_of_sum(ALL_SUM, before + count);
    tile.bases[t] = start + before - in_tile;
    __syncthreads();
    for (int i = t; i < here; i += SORTERS)
        out[tile.bases[digit_of(tile.items[i], shift)] + i] = tile.items[i];
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by_sweeps<T>({SORTERS, TILE<T>, 0, sweep<T>}, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = TILE<unsigned>, WAVE_OF(sweep, SORTERS)});
}
