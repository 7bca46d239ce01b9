/* SPDX-License-Identifier: MIT */
/* Kernels to launch: one that does nothing, and one that takes as long as it is told; and what it
 * does, for others. */
#ifndef WORK_CUH
#define WORK_CUH

__global__ void nothing()
{
}

/* A chain of `count` multiply-adds. */
__device__ static inline float chain(int count, float f)
{
    float x = f;

#pragma unroll 1
    for (int k = 0; k < count; k += 16) {
#pragma unroll
        for (int j = 0; j < 16; j++)
            x = fmaf(x, f, f);
    }
    return x;
}

/* One in each thread. */
__global__ void work(int count, float f, float *sink)
{
    const float x = chain(count, f);

    if (x == 1)
        *sink = x;
}

#endif
