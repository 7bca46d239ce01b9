/* k15: words are cleared once for all passes.
 *
 * Before: each pass of k12 has to clear the words that tiles leave and the counter that numbers
 *         them: a launch of its own, and few keys are sorted as fast as launches follow each other.
 * Now:    what a word says is counted on from pass to pass, by ALL_SUM in each: whatever is left
 *         from an earlier pass is less, and says nothing. Each pass has its own counter `started`.
 * See:    docs/sort.md#k15
 */
#include "plan.cuh"

/* What the passes share on the device; behind it come the words, DIGITS for each tile. */
template <typename T> struct room {
    int counts[PASSES<T>][DIGITS];
    way<T> ways[PASSES<T>];
    int started[PASSES<T>];
};

template <typename T>
__global__ void __launch_bounds__(SWEEPERS, BLOCKS<T>)
    sweep(int n, int pass, room<T> *room, volatile word *words)
{
    const way<T> way = room->ways[pass];

    if (way.to)
        sweep_tile<T>(way.from, n, pass * BITS, room->counts[pass], words, &room->started[pass],
                      way.to, pass * ALL_SUM);
}

/* All launches, from `a` to `out`. */
template <typename T> static void sort_on_device(const T *a, int n, room<T> *room, T *out, T *spare)
{
    const int blocks = n > 0 ? (n - 1) / MANY_TILE<T> + 1 : 1;
    const size_t words = (size_t)blocks * DIGITS * sizeof(word);

    CHECK(cudaMemsetAsync(room, 0, sizeof(*room) + words));
    count_all<<<min(blocks, 1024), SORTERS>>>(a, n, room->counts[0]);
    plan<<<1, DIGITS>>>(a, n, room->counts, room->ways, out, spare);
    for (int pass = 0; pass < PASSES<T>; pass++)
        sweep<<<blocks, SWEEPERS, sizeof(tile_t<T>)>>>(n, pass, room, (volatile word *)(room + 1));
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    run->blocks = n > 0 ? (n - 1) / MANY_TILE<T> + 1 : 1;
    run->threads = SWEEPERS;
    run->shared_bytes = sizeof(tile_t<T>);
    T *d_a = device_input(T, a, n);
    T *d_sorted = device_output(T, run, n), *d_spare = device_output(T, run, n);
    char *d_room = device_output(char, run, sizeof(room<T>) + run->blocks * DIGITS * sizeof(word));

    CHECK(cudaFuncSetAttribute(sweep<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(tile_t<T>)));
    TIMED(run)
        sort_on_device((const T *)d_a, n, (room<T> *)d_room, d_sorted, d_spare);

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
    device_free(run, d_spare);
    device_free(run, d_room);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP, {OF_ALL_ITEMS(sort_gpu), WAVE_OF_MANY(sweep, SWEEPERS)});
}
