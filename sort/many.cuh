/* What k10 teaches, for the steps after it: large tiles. */
#ifndef MANY_CUH
#define MANY_CUH

#include "places.cuh"

/* Items of a thread, blocks that an SM holds, and a block's dynamic shared memory. */
template <typename T> constexpr int MANY = sizeof(T) > 8 ? 16 : 32;
template <typename T> constexpr int BLOCKS = sizeof(T) > 4 ? 2 : 3;
template <typename T> constexpr int MANY_TILE = SORTERS *MANY<T>;
template <typename T> using tile_t = placed_tile<T, MANY<T>>;

/* The last fields of such a step's sort_step. */
#define WAVE_OF_MANY(kernel, threads) \
    .tile = MANY_TILE<unsigned>, WAVE_OF(kernel, threads, sizeof(tile_t<unsigned>))

#endif
