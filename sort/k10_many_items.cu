/* k10: 32 keys per thread. A new beginning.
 *
 * Before: a tile of k9b leaves and reads 256 words, stores 256 runs, and meets at its barriers, all
 *         that for 4096 keys.
 * Now:    `MANY` items per thread, twice as many keys: a tile of 32 KB, in dynamic shared memory,
 *         for which a block has to ask. A digit's run in the tile is twice as long: stores coalesce
 *         better.
 * See:    docs/sort.md#k10
 */
#include "places.cuh"

template <typename T> constexpr int MANY = sizeof(T) > 8 ? 16 : 32;
template <typename T> constexpr int BLOCKS = sizeof(T) > 4 ? 2 : 3; /* that an SM holds */
template <typename T> constexpr int MANY_TILE = SORTERS *MANY<T>;
template <typename T> using tile_t = placed_tile<T, MANY<T>>;

template <typename T>
__global__ void __launch_bounds__(SORTERS, BLOCKS<T>)
    sweep(const T *a, int n, int shift, const int *counts, volatile word *words, int *started,
          T *out)
{
    extern __shared__ __align__(16) char room[];
    tile_t<T> *const tile = (tile_t<T> *)room;
    const int t = threadIdx.x, start = before_digit(counts[t]);
    T items[MANY<T>];

    clear_and_number(tile, started);
    __syncthreads();
    const int first = tile->number * MANY_TILE<T>, here = min(MANY_TILE<T>, n - first);
    volatile word *const own = words + (size_t)tile->number * DIGITS + t;

    load(a + first, here, items);
    count(tile, shift, items);
    __syncthreads();
    const int total = count_of(tile, t);

    *own = word_of_sum(ITS_SUM, total);
    const int in_tile = before_digit(total);

    set_places(tile, t, in_tile);
    __syncthreads();
    put(tile, shift, items);
    const int before = look_back(own, tile->number);

    *own = word_of_sum(ALL_SUM, before + total);
    tile->bases[t] = start + before - in_tile;
    __syncthreads();
    store(tile, here, shift, out);
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by_sweeps<T>({SORTERS, MANY_TILE<T>, sizeof(tile_t<T>), sweep<T>}, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = MANY_TILE<unsigned>,
                      WAVE_OF(sweep, SORTERS, sizeof(tile_t<unsigned>))});
}
