/* What k7 teaches, for the steps after it: all digits counted first, then a launch for each, and
 * tiles that look back. */
#ifndef SWEEPS_CUH
#define SWEEPS_CUH

#include "all_digits.cuh"

enum { NOTHING = 0, ITS_SUM = 1, ALL_SUM = 2 };

typedef unsigned long long word; /* which of these, in its upper half, and the sum */

__device__ inline word word_of_sum(int which, int sum)
{
    return (word)which << 32 | sum;
}

/* The sum of all tiles before this one: of their counts of the digit whose word of this tile is at
 * `at`. */
__device__ inline int look_back(volatile word *at, int tile)
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

/* The kernel of a pass: blocks of `threads` threads, with a tile of `tile` items and `shared` bytes
 * of dynamic shared memory each. `counts` are those of this pass; `words`, DIGITS for each tile,
 * and `started` are zeros at first. */
template <typename T> struct sweep_pass {
    int threads, tile;
    size_t shared;
    void (*sweep)(const T *a, int n, int shift, const int *counts, volatile word *words,
                  int *started, T *out);
};

/* The whole device side, from host items to the same in order. */
template <typename T>
static void sort_by_sweeps(sweep_pass<T> pass, const T *a, int n, struct run *run, T *sorted)
{
    const int blocks = n > 0 ? (n - 1) / pass.tile + 1 : 1;
    const size_t room = PASSES<T> * DIGITS * sizeof(int) + sizeof(word);
    const size_t words = (size_t)blocks * DIGITS * sizeof(word);
    T *d_a = device_input(T, a, n);
    T *to[2] = {device_output(T, run, n), device_output(T, run, n)};
    char *d_room = device_output(char, run, room + words);
    int *d_counts = (int *)d_room, *d_started = d_counts + PASSES<T> * DIGITS;

    run->blocks = blocks;
    run->threads = pass.threads;
    run->shared_bytes = pass.shared;
    CHECK(
        cudaFuncSetAttribute(pass.sweep, cudaFuncAttributeMaxDynamicSharedMemorySize, pass.shared));
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_room, 0, room));
        count_all<<<min(blocks, 1024), SORTERS>>>((const T *)d_a, n, d_counts);
        for (int k = 0; k < PASSES<T>; k++) {
            CHECK(cudaMemsetAsync(d_started, 0, sizeof(word) + words));
            pass.sweep<<<blocks, pass.threads, pass.shared>>>(
                (const T *)(k > 0 ? to[!(k % 2)] : d_a), n, k * BITS, d_counts + k * DIGITS,
                (volatile word *)(d_room + room), d_started, to[k % 2]);
        }
    }

    device_fetch(T, sorted, to[1], n);
    device_free(run, d_a);
    device_free(run, to[0]);
    device_free(run, to[1]);
    device_free(run, d_room);
}

#endif
