/* k6: by 8 bits at a time, ranks by matching lanes. A new beginning.
 *
 * Before: k5 sorts a tile by one bit after the other, and needs 8 passes.
 * Now:    a thread has ITEMS items, and a digit is 8 bits: 4 passes for 32. In rank_of() lanes of a
 *         warp find out who has the same digit, by __match_any_sync, and the first of them adds
 *         them all to the warp's count. What it was before, and the lanes below, are an item's
 *         rank; no barrier of the block is needed for that.
 * See:    docs/sort.md#k6
 */
#include "tile.cuh"

/* The rank of an item among those of its digit that this warp has had so far. */
__device__ inline int rank_of(int *counts, int digit)
{
    const unsigned same = __match_any_sync(0xffffffff, digit), me = 1u << threadIdx.x % 32;
    const int before = counts[digit];

    __syncwarp();
    if ((same & (me - 1)) == 0) /* the first of them */
        counts[digit] = before + __popc(same);
    __syncwarp();
    return before + __popc(same & (me - 1));
}

/* Sort `here` items at `a` into tile->items. Items behind the end count as the largest digit. All
 * threads call it; thread t returns how many items have digit t. */
template <typename T> __device__ int sort_tile(tile_of<T> *tile, const T *a, int here, int shift)
{
    int *const counts = tile->counts[threadIdx.x / 32], digit = threadIdx.x, count = 0;
    T items[ITEMS<T>];
    int ranks[ITEMS<T>];

    for (int i = threadIdx.x; i < SORTER_WARPS * DIGITS; i += SORTERS)
        tile->counts[0][i] = 0;
    __syncthreads();
    for (int k = 0; k < ITEMS<T>; k++) {
        items[k] = place<ITEMS<T>>(k) < here ? a[place<ITEMS<T>>(k)] : last_item<T>();
        ranks[k] = rank_of(counts, digit_of(items[k], shift));
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
__global__ void __launch_bounds__(SORTERS) count_digits(const T *a, int n, int shift, int *counts)
{
    __shared__ int mine[DIGITS];
    const int t = threadIdx.x, first = blockIdx.x * TILE<T>;

    mine[t] = 0;
    __syncthreads();
    for (int i = first + t; i < min(n, first + TILE<T>); i += SORTERS)
        atomicAdd(&mine[digit_of(a[i], shift)], 1);
    __syncthreads();
    counts[t * gridDim.x + blockIdx.x] = mine[t];
}

template <typename T>
__global__ void __launch_bounds__(SORTERS)
    scatter(const T *a, int n, int shift, const int *counts, T *out)
{
    __shared__ tile_of<T> tile;
    const int first = blockIdx.x * TILE<T>, here = min(TILE<T>, n - first);

    sort_tile(&tile, a + first, here, shift);
    for (int i = threadIdx.x; i < here; i += SORTERS) {
        const int digit = digit_of(tile.items[i], shift);

        out[counts[digit * gridDim.x + blockIdx.x] + i - tile.starts[digit]] = tile.items[i];
    }
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by<T>({BITS, SORTERS, TILE<T>, count_digits<T>, scatter<T>}, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = TILE<unsigned>, WAVE_OF(scatter, SORTERS)});
}
