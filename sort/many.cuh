/* What k10 teaches, for the steps after it: large tiles. */
#ifndef MANY_CUH
#define MANY_CUH

#include "places.cuh"

/* Items of a thread, and a block's dynamic shared memory. */
template <typename T> constexpr int MANY = 256 / sizeof(T);
template <typename T> using tile_t = placed_tile<T, MANY<T>>;

#endif
