/* k16: keys that collide. A new beginning.
 *
 * Before: where many items of a tile have one digit, its lanes take turns in k8's atomic or; and
 *         digits that are multiples of four have their counts in a quarter of the banks.
 * Now:    a tile is `crowded` if a digit has more than a CROWD-th of it. Then the lanes find each
 *         other by __match_any_sync, which takes a turn for each digit, not for each lane. And the
 *         counts of a digit are at slot(), which spreads such digits over all banks.
 * See:    docs/sort.md#k16
 */
#include "ranks.cuh"
#include "ways.cuh"

enum { CROWD = 12 };

/* Where a digit's counts are. */
__device__ static int slot(int digit)
{
    return digit ^ digit >> 3;
}

/* Count the digits of this thread's items. */
template <typename T> __device__ void count_slots(tile_t<T> *tile, int shift, const T *items)
{
#pragma unroll
    for (int k = 0; k < MANY<T>; k++)
        atomicAdd(&tile->counts[threadIdx.x / 32][slot(digit_of(items[k], shift))], 1);
}

/* Put this thread's items into the tile. */
template <bool CROWDED, typename T>
__device__ void put_by_slots(tile_t<T> *tile, int shift, const T *items)
{
    int *const counts = tile->counts[threadIdx.x / 32];
    unsigned *const seen = tile->seen[threadIdx.x / 32];

#pragma unroll
    for (int k = 0; k < MANY<T>; k++) {
        const int at = slot(digit_of(items[k], shift));

        tile->items[CROWDED ? rank_of(counts, at) : rank_of(counts, seen, at)] = items[k];
    }
}

/* As sweep_tile(). */
template <typename T>
__global__ void __launch_bounds__(SWEEPERS, BLOCKS<T>)
    sweep(int n, int pass, room<T> *room, volatile word *words)
{
    extern __shared__ __align__(16) char shared[];
    __shared__ int totals[DIGITS];
    tile_t<T> *const tile = (tile_t<T> *)shared;
    const way<T> way = room->ways[pass];
    const bool sorter = threadIdx.x < SORTERS;
    const int t = threadIdx.x, shift = pass * BITS, nothing = pass * ALL_SUM;
    T items[MANY<T>];

    if (!way.to)
        return;
    const int start = before_digit(sorter ? room->counts[pass][t] : 0);

    clear_and_number(tile, &room->started[pass]);
    __syncthreads();
    const int first = tile->number * MANY_TILE<T>, here = min(MANY_TILE<T>, n - first);

    if (sorter) {
        load(way.from + first, here, items);
        count_slots(tile, shift, items);
    }
    __syncthreads();
    const int total = sorter ? count_of(tile, slot(t)) : 0, in_tile = before_digit(total);

    if (sorter) {
        words[(size_t)tile->number * DIGITS + t] = word_of_sum(nothing + ITS_SUM, total);
        totals[t] = total;
        tile->bases[t] = start - in_tile;
        set_places(tile, slot(t), in_tile);
    }
    const bool crowded = __syncthreads_or(total > MANY_TILE<T> / CROWD);

    if (!sorter)
        look<T>(tile, totals, words, nothing);
    else if (crowded)
        put_by_slots<true>(tile, shift, items);
    else
        put_by_slots<false>(tile, shift, items);
    __syncthreads();
    store(tile, here, shift, way.to);
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by_plan<T>(sweep<T>, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {OF_ALL_ITEMS(sort_gpu), WAVE_OF_MANY(sweep, SWEEPERS)});
}
