/* k11: two more warps look back. A new beginning.
 *
 * Before: a block of k10 puts its items in place, then looks back: one after the other.
 * Now:    two warps more do nothing else but look_back_for_four(): each thread for four digits at
 *         once, while the others put the items in place.
 * See:    docs/sort.md#k11
 */
#include "many.cuh"

enum { LOOKERS = 64, EACH = DIGITS / LOOKERS, SWEEPERS = SORTERS + LOOKERS };

/* Add to each sum that of all tiles before this one, whose word of the first digit is at `at`; the
 * other digits are LOOKERS further on each. */
__device__ static void look_back_for_four(volatile word *at, int tile, int *sums)
{
    unsigned open = (1 << EACH) - 1; /* whose sums are not complete */

    for (int k = tile; k > 0 && open; k--) {
        word found[EACH];

        at -= DIGITS;
        for (bool missing = true; missing;) {
            missing = false;
            for (int d = 0; d < EACH; d++) {
                found[d] = at[d * LOOKERS];
                missing |= found[d] >> 32 == NOTHING;
            }
        }
        for (int d = 0; d < EACH; d++) {
            if (open >> d & 1)
                sums[d] += (int)found[d];
            if (found[d] >> 32 == ALL_SUM)
                open &= ~(1u << d);
        }
    }
}

/* Where the tile's digits belong. `totals` are its counts. */
template <typename T> __device__ void look(tile_t<T> *tile, const int *totals, volatile word *words)
{
    const int first = threadIdx.x - SORTERS;
    volatile word *const own = words + (size_t)tile->number * DIGITS + first;
    int sums[EACH] = {};

    look_back_for_four(own, tile->number, sums);
    for (int d = 0; d < EACH; d++) {
        const int digit = first + d * LOOKERS;

        own[d * LOOKERS] = word_of_sum(ALL_SUM, sums[d] + totals[digit]);
        tile->bases[digit] += sums[d];
    }
}

template <typename T>
__global__ void __launch_bounds__(SWEEPERS, BLOCKS<T>)
    sweep(const T *a, int n, int shift, const int *counts, volatile word *words, int *started,
          T *out)
{
    extern __shared__ __align__(16) char room[];
    __shared__ int totals[DIGITS];
    tile_t<T> *const tile = (tile_t<T> *)room;
    const bool sorter = threadIdx.x < SORTERS;
    const int t = threadIdx.x, start = before_digit(sorter ? counts[t] : 0);
    T items[MANY<T>];

    clear_and_number(tile, started);
    __syncthreads();
    const int first = tile->number * MANY_TILE<T>, here = min(MANY_TILE<T>, n - first);

    if (sorter) {
        load(a + first, here, items);
        count(tile, shift, items);
    }
    __syncthreads();
    const int total = sorter ? count_of(tile, t) : 0, in_tile = before_digit(total);

    if (sorter) {
        words[(size_t)tile->number * DIGITS + t] = word_of_sum(ITS_SUM, total);
        totals[t] = total;
        tile->bases[t] = start - in_tile;
        set_places(tile, t, in_tile);
    }
    __syncthreads();
    if (sorter)
        put(tile, shift, items);
    else
        look<T>(tile, totals, words);
    __syncthreads();
    store(tile, here, shift, out);
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by_sweeps<T>({SWEEPERS, MANY_TILE<T>, sizeof(tile_t<T>), sweep<T>}, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {OF_ALL_ITEMS(sort_gpu), WAVE_OF_MANY(sweep, SWEEPERS)});
}
