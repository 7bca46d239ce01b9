/* k12: digits that all keys share are skipped. A new beginning.
 *
 * Before: k11 takes a pass for each digit, even where all keys have the same one, and a stable pass
 *         over these changes nothing.
 * Now:    plan() looks at the counts on the device, so the host need not wait, and gives each pass
 *         a `way`: from which buffer to which, or none. If all digits are shared, the last copies.
 * See:    docs/sort.md#k12
 */
#include "lookers.cuh"

/* What a pass reads and writes; NULLs: it is skipped. */
template <typename T> struct way {
    const T *from;
    T *to;
};

/* What the passes share on the device; behind it come the words, DIGITS for each tile. */
template <typename T> struct room {
    int counts[PASSES<T>][DIGITS];
    way<T> ways[PASSES<T>];
    int started[2];
};

/* One block of DIGITS threads. The last pass that moves anything writes to `out`, the one before to
 * `spare`, and so on; the first reads `a`. */
template <typename T>
__global__ void plan(const T *a, int n, const int (*counts)[DIGITS], way<T> *ways, T *out, T *spare)
{
    unsigned moving = 0; /* a bit for each pass */

    for (int pass = 0; pass < PASSES<T>; pass++)
        if (!__syncthreads_or(counts[pass][threadIdx.x] == n))
            moving |= 1u << pass;
    if (moving == 0)
        moving = 1u << (PASSES<T> - 1);
    if (threadIdx.x > 0)
        return;
    for (int pass = PASSES<T> - 1; pass >= 0; pass--) {
        const bool moves = moving >> pass & 1, first = (moving & ((1u << pass) - 1)) == 0;

        ways[pass] = {first ? a : spare, moves ? out : NULL};
        if (moves) {
            T *const to = out;

            out = spare;
            spare = to;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(SWEEPERS, BLOCKS<T>)
    sweep(int n, int pass, room<T> *room, volatile word *words)
{
    const way<T> way = room->ways[pass];

    if (way.to)
        sweep_tile<T>(way.from, n, pass * BITS, room->counts[pass], words, room->started, way.to);
}

/* All launches, from `a` to `out`. */
template <typename T> static void sort_on_device(const T *a, int n, room<T> *room, T *out, T *spare)
{
    const int blocks = n > 0 ? (n - 1) / MANY_TILE<T> + 1 : 1;
    const size_t words = (size_t)blocks * DIGITS * sizeof(word);

    CHECK(cudaMemsetAsync(room, 0, sizeof(*room)));
    count_all<<<min(blocks, 1024), SORTERS>>>(a, n, room->counts[0]);
    plan<<<1, DIGITS>>>(a, n, room->counts, room->ways, out, spare);
    for (int pass = 0; pass < PASSES<T>; pass++) {
        CHECK(cudaMemsetAsync(room->started, 0, sizeof(room->started) + words));
        sweep<<<blocks, SWEEPERS, sizeof(tile_t<T>)>>>(n, pass, room, (volatile word *)(room + 1));
    }
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
