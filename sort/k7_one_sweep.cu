/* k7: one launch per digit, and tiles that look back. A new beginning.
 *
 * Before: a pass of k6 reads all items twice, and in between one block scans all blocks' counts.
 * Now:    how many items have which digit does not depend on their order: count_all() reads the
 *         items once and counts all digits. What lies before a tile's items of a digit is then that
 *         digit's start and a sum over earlier tiles, for which thread t looks back for digit t, as
 *         in c7b: look_back(). So a pass reads each item once. That is called onesweep.
 * See:    docs/sort.md#k7
 */
#include "all_digits.cuh"
#include "ranks.cuh"

enum { NOTHING = 0, ITS_SUM = 1, ALL_SUM = 2 };

typedef unsigned long long word; /* which of these, in its upper half, and the sum */

/* The sum of all tiles before this one: of their counts of the digit whose word of this tile is at
 * `at`. */
__device__ static int look_back(volatile word *at, int tile)
{
    int sum = 0;

    for (int k = tile; k > 0; k--) {
        word found = 0;

        at -= DIGITS;
        while (found >> 32 == NOTHING)
            found = *at;
        sum += (int)found;
        if (found >> 32 == ALL_SUM)
            break;
    }
    return sum;
}

/* `words` and `started` are zeros at first; `counts` those of this pass. */
template <typename T>
__global__ void __launch_bounds__(SORTERS) sweep(const T *a, int n, int shift, const int *counts,
                                                 volatile word *words, int *started, T *out)
{
    __shared__ tile_of<T> tile;
    __shared__ int bases[DIGITS], mine;
    const int t = threadIdx.x;

    if (t == 0)
        mine = atomicAdd(started, 1);
    __syncthreads();
    const int first = mine * TILE<T>, here = min(TILE<T>, n - first);
    const int count = sort_tile(&tile, a + first, here, shift), start = before_digit(counts[t]);
    volatile word *const own = words + (size_t)mine * DIGITS + t;

    *own = (word)ITS_SUM << 32 | count;
    const int before = look_back(own, mine);

    *own = (word)ALL_SUM << 32 | (before + count);
    bases[t] = start + before - tile.starts[t];
    __syncthreads();
    for (int i = t; i < here; i += SORTERS)
        out[bases[digit_of(tile.items[i], shift)] + i] = tile.items[i];
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    const int blocks = n > 0 ? (n - 1) / TILE<T> + 1 : 1;
    const size_t room = PASSES<T> * DIGITS * sizeof(int) + sizeof(word);
    const size_t words = (size_t)blocks * DIGITS * sizeof(word);
    T *d_a = device_input(T, a, n);
    T *to[2] = {device_output(T, run, n), device_output(T, run, n)};
    char *d_room = device_output(char, run, room + words);
    int *d_counts = (int *)d_room, *d_started = d_counts + PASSES<T> * DIGITS;

    run->blocks = blocks;
    run->threads = SORTERS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_room, 0, room));
        count_all<<<min(blocks, 1024), SORTERS>>>((const T *)d_a, n, d_counts);
        for (int pass = 0; pass < PASSES<T>; pass++) {
            CHECK(cudaMemsetAsync(d_started, 0, sizeof(word) + words));
            sweep<<<blocks, SORTERS>>>((const T *)(pass > 0 ? to[!(pass % 2)] : d_a), n,
                                       pass * BITS, d_counts + pass * DIGITS,
                                       (volatile word *)(d_room + room), d_started, to[pass % 2]);
        }
    }

    device_fetch(T, sorted, to[1], n);
    device_free(run, d_a);
    device_free(run, to[0]);
    device_free(run, to[1]);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = TILE<unsigned>, WAVE_OF(sweep, SORTERS)});
}
