/* What k8 teaches, for the steps after it: ranks by an atomic or. */
#ifndef OR_CUH
#define OR_CUH

#include "sweeps.cuh"

/* The rank of an item among those of its digit that this warp has had so far. */
__device__ inline int rank_of(int *counts, unsigned *seen, int digit)
{
    const unsigned me = 1u << threadIdx.x % 32;

    atomicOr(&seen[digit], me);
    __syncwarp();
    const unsigned same = seen[digit];
    const int before = counts[digit];

    __syncwarp();
    if ((same & (me - 1)) == 0) { /* the first of them */
        counts[digit] = before + __popc(same);
        seen[digit] = 0;
    }
    __syncwarp();
    return before + __popc(same & (me - 1));
}

#endif
