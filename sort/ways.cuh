/* What k15 teaches, for the step after it: all launches, with words that are cleared once. */
#ifndef WAYS_CUH
#define WAYS_CUH

#include "plan.cuh"

/* What the passes share on the device; behind it come the words, DIGITS for each tile. */
template <typename T> struct room {
    int counts[PASSES<T>][DIGITS];
    way<T> ways[PASSES<T>];
    int started[PASSES<T>];
};

/* The kernel of a pass: SWEEPERS threads, sizeof(tile_t<T>) bytes of dynamic shared memory. */
template <typename T>
using sweep_by_plan = void(int n, int pass, room<T> *room, volatile word *words);

/* All launches, from `a` to `out`. */
template <typename T>
static void sort_on_device(sweep_by_plan<T> *sweep, const T *a, int n, room<T> *room, T *out,
                           T *spare)
{
    const int blocks = n > 0 ? (n - 1) / MANY_TILE<T> + 1 : 1;
    const size_t words = (size_t)blocks * DIGITS * sizeof(word);

    CHECK(cudaMemsetAsync(room, 0, sizeof(*room) + words));
    count_all<<<min(blocks, 1024), SORTERS>>>(a, n, room->counts[0]);
    plan<<<1, DIGITS>>>(a, n, room->counts, room->ways, out, spare);
    for (int pass = 0; pass < PASSES<T>; pass++)
        sweep<<<blocks, SWEEPERS, sizeof(tile_t<T>)>>>(n, pass, room, (volatile word *)(room + 1));
}

/* The whole device side, from host items to the same in order. */
template <typename T>
static void sort_by_plan(sweep_by_plan<T> *sweep, const T *a, int n, struct run *run, T *sorted)
{
    run->blocks = n > 0 ? (n - 1) / MANY_TILE<T> + 1 : 1;
    run->threads = SWEEPERS;
    run->shared_bytes = sizeof(tile_t<T>);
    T *d_a = device_input(T, a, n);
    T *d_sorted = device_output(T, run, n), *d_spare = device_output(T, run, n);
    char *d_room = device_output(char, run, sizeof(room<T>) + run->blocks * DIGITS * sizeof(word));

    CHECK(cudaFuncSetAttribute(sweep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(tile_t<T>)));
    TIMED(run)
        sort_on_device<T>(sweep, d_a, n, (room<T> *)d_room, d_sorted, d_spare);

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
    device_free(run, d_spare);
    device_free(run, d_room);
}

#endif
