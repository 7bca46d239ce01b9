/* What k4 spells out, for the steps after it: a pass for each digit, of three launches. */
#ifndef PASSES_CUH
#define PASSES_CUH

#include "../scan/block.cuh"
#include "sort.h"

/* The two kernels of a pass around the scan: blocks of `threads` threads, with `tile` items each,
 * leave counts[digit][block], and later find there what lies before their items of a digit. */
template <typename T> struct digit_pass {
    int bits, threads, tile;
    void (*count)(const T *a, int n, int shift, int *counts);
    void (*scatter)(const T *a, int n, int shift, const int *counts, T *out);
};

/* The whole device side, from host items to the same in order. */
template <typename T>
static void sort_by(digit_pass<T> pass, const T *a, int n, struct run *run, T *sorted)
{
    const int blocks = n > 0 ? (n - 1) / pass.tile + 1 : 1, counts = blocks << pass.bits;
    T *d_a = device_input(T, a, n);
    T *to[2] = {device_output(T, run, n), device_output(T, run, n)};
    int *d_counts = device_output(int, run, counts);

    run->blocks = blocks;
    run->threads = pass.threads;
    TIMED(run)
        for (int shift = 0, now = 0; shift < KEY_BITS<T>; shift += pass.bits, now = !now) {
            const T *from = shift > 0 ? to[!now] : d_a;

            pass.count<<<blocks, pass.threads>>>(from, n, shift, d_counts);
            scan_by_one_block<<<1, THREADS>>>(d_counts, counts);
            pass.scatter<<<blocks, pass.threads>>>(from, n, shift, d_counts, to[now]);
        }

    device_fetch(T, sorted, to[1], n); /* after an even number of passes */
    device_free(run, d_a);
    device_free(run, to[0]);
    device_free(run, to[1]);
    device_free(run, d_counts);
}

#endif
