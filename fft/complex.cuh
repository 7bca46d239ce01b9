/* Complex arithmetic. Roundings are spelled out: a GPU and the emulator agree bit by bit. */
#ifndef COMPLEX_CUH
#define COMPLEX_CUH

#include "fft.h"

__device__ inline float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ inline float2 subtract(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ inline float2 multiply(float2 a, float2 b)
{
    return make_float2(fmaf(a.x, b.x, -__fmul_rn(a.y, b.y)), fmaf(a.x, b.y, __fmul_rn(a.y, b.x)));
}

/* a times -i. */
__device__ inline float2 quarter_turn(float2 a)
{
    return make_float2(a.y, -a.x);
}

/* a with its real and imaginary parts swapped, if `yes`. Swapping every point on the way in and on
 * the way out turns a transform into its inverse. */
__device__ inline float2 swap_if(bool yes, float2 a)
{
    return yes ? make_float2(a.y, a.x) : a;
}

#endif
