/* What k12 teaches, for the steps after it: which passes move anything, and from where to where. */
#ifndef PLAN_CUH
#define PLAN_CUH

#include "lookers.cuh"

/* What a pass reads and writes; NULLs: it is skipped. */
template <typename T> struct way {
    const T *from;
    T *to;
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

#endif
