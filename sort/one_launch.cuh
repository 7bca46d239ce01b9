/* What k1 spells out, for the steps after it: a sort that is one launch of one block. */
#ifndef ONE_LAUNCH_CUH
#define ONE_LAUNCH_CUH

#include "sort.h"

/* The whole device side, from host items to the same in order. */
template <typename T>
static void sort_by_one_block(void (*sort)(const T *a, int n, T *sorted), int threads, const T *a,
                              int n, struct run *run, T *sorted)
{
    T *d_a = device_input(T, a, n);
    T *d_sorted = device_output(T, run, n);

    run->blocks = 1;
    run->threads = threads;
    TIMED(run)
        sort<<<1, threads>>>(d_a, n, d_sorted);

    device_fetch(T, sorted, d_sorted, n);
    device_free(run, d_a);
    device_free(run, d_sorted);
}

#endif
