/* k8: ranks by an atomic or. A new beginning.
 *
 * Before: in k7 the lanes find each other by __match_any_sync, which takes the hardware a turn for
 *         each digit that the warp has.
 * Now:    each digit has a word of lanes in `seen`, in which each lane sets its own bit. That takes
 *         as many turns as the most frequent digit has lanes. The first of them clears the word for
 *         the next 32 items.
 * See:    docs/sort.md#k8
 */
#include "sweeps.cuh"

/* The rank of an item among those of its digit that this warp has had so far. */
__device__ inline int rank_of(int *counts, unsigned *seen, int digit)
{
    const unsigned me = 1u << threadIdx.x % 32;

    atomicOr(&seen[digit], me);
    __syncwarp();
    const unsigned same = seen[digit];
    const int before = counts[digit];

    __syncwarp();
    if ((same & (me - 1)) == 0) { /* the first of them */
        counts[digit] = before + __popc(same);
        seen[digit] = 0;
    }
    __syncwarp();
    return before + __popc(same & (me - 1));
}

/* As in k6. */
template <typename T>
__device__ int sort_tile(tile_of<T> *tile, unsigned (*seen)[DIGITS], const T *a, int here,
                         int shift)
{
    int *const counts = tile->counts[threadIdx.x / 32], digit = threadIdx.x, count = 0;
    T items[ITEMS<T>];
    int ranks[ITEMS<T>];

    for (int i = threadIdx.x; i < SORTER_WARPS * DIGITS; i += SORTERS)
        tile->counts[0][i] = seen[0][i] = 0;
    __syncthreads();
    for (int k = 0; k < ITEMS<T>; k++) {
        items[k] = place<ITEMS<T>>(k) < here ? a[place<ITEMS<T>>(k)] : last_item<T>();
        ranks[k] = rank_of(counts, seen[threadIdx.x / 32], digit_of(items[k], shift));
    }
    __syncthreads();
    for (int warp = 0; warp < SORTER_WARPS; warp++)
        count += tile->counts[warp][digit];
    int before = tile->starts[digit] = before_digit(count);

    for (int warp = 0; warp < SORTER_WARPS; warp++) {
        const int here = tile->counts[warp][digit];

        tile->counts[warp][digit] = before;
        before += here;
    }
    __syncthreads();
    for (int k = 0; k < ITEMS<T>; k++)
        tile->items[counts[digit_of(items[k], shift)] + ranks[k]] = items[k];
    __syncthreads();
    return count;
}

template <typename T>
__global__ void __launch_bounds__(SORTERS) sweep(const T *a, int n, int shift, const int *counts,
                                                 volatile word *words, int *started, T *out)
{
    __shared__ tile_of<T> tile;
    __shared__ unsigned seen[SORTER_WARPS][DIGITS]; /* lanes that have each digit */
    __shared__ int bases[DIGITS], mine;
    const int t = threadIdx.x;

    if (t == 0)
        mine = atomicAdd(started, 1);
    __syncthreads();
    const int first = mine * TILE<T>, here = min(TILE<T>, n - first);
    const int count = sort_tile(&tile, seen, a + first, here, shift);
    volatile word *const own = words + (size_t)mine * DIGITS + t;

    *own = word_of_sum(ITS_SUM, count);
    const int before = look_back(own, mine);

    *own = word_of_sum(ALL_SUM, before + count);
    bases[t] = before_digit(counts[t]) + before - tile.starts[t];
    __syncthreads();
    for (int i = t; i < here; i += SORTERS)
        out[bases[digit_of(tile.items[i], shift)] + i] = tile.items[i];
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
