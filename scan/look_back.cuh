/* What c7c teaches, for the steps after it: a warp looks back. */
#ifndef LOOK_BACK_CUH
#define LOOK_BACK_CUH

#include "block.cuh"
#include "words.cuh"

enum { NOTHING, ITS_SUM, ALL_SUM };

/* The sum of all tiles before this one. A warp calls it; lane 31 looks at the nearest tile. */
template <typename T> __device__ T look_back(const volatile unsigned long long *words, int tile)
{
    const int lane = threadIdx.x % 32;
    T sum = 0;

    for (int at = tile - 32 + lane;; at -= 32) {
        word<T> found = {{0, at < 0 ? ALL_SUM : NOTHING}};

        while (found.half.what == NOTHING)
            found.whole = words[at];
        const unsigned all = __ballot_sync(0xffffffff, found.half.what == ALL_SUM);
        const int from = 31 - __clz(all); /* -1: none of them */

        sum += warp_sum<T>(lane >= from ? found.half.sum : 0);
        if (all)
            return sum;
    }
}

/* Leave the sum of this tile, look back, and leave the sum of all up to here. A warp calls it, and
 * every lane returns the sum of all tiles before. */
template <typename T>
__device__ T leave_and_look_back(volatile unsigned long long *words, int tile, T total)
{
    if (threadIdx.x % 32 == 0)
        words[tile] = word<T>{{total, ITS_SUM}}.whole;
    const T before = look_back<T>(words, tile);

    if (threadIdx.x % 32 == 0)
        words[tile] = word<T>{{before + total, ALL_SUM}}.whole;
    return before;
}

#endif
