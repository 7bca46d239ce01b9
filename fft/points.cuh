/* Transforms of a few points in registers. */
#ifndef POINTS_CUH
#define POINTS_CUH

#include "complex.cuh"

/* log2 of a power of two up to 32. */
__host__ __device__ constexpr int log2_of(int n)
{
    return n >= 32 ? 5 : n >= 16 ? 4 : n >= 8 ? 3 : n >= 4 ? 2 : n >= 2;
}

/* The five bits of i in the other order, for i below 32. */
__host__ __device__ constexpr int reversed(int i)
{
    return (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;
}

/* cos(2 pi k / 32) for k of 0 to 8. */
__device__ inline float cosine(int k)
{
    switch (k) {
    case 0:
        return 1;
    case 1:
        return 0.980785280f;
    case 2:
        return 0.923879533f;
    case 3:
        return 0.831469612f;
    case 4:
        return 0.707106781f;
    case 5:
        return 0.555570233f;
    case 6:
        return 0.382683432f;
    case 7:
        return 0.195090322f;
    default:
        return 0;
    }
}

/* exp(-2 pi i k / 32) for k of 0 to 16; a constant, where k is one. */
__device__ inline float2 root_of_32(int k)
{
    return k <= 8 ? make_float2(cosine(k), -cosine(8 - k))
                  : make_float2(-cosine(16 - k), -cosine(k - 8));
}

/* a + t b and a - t b in the places of a and b: the second is twice a less the first. */
__device__ inline void butterfly(float2 &a, float2 &b, float2 t)
{
    const float x = fmaf(-t.y, b.y, fmaf(t.x, b.x, a.x));
    const float y = fmaf(t.y, b.x, fmaf(t.x, b.y, a.y));

    b = make_float2(fmaf(2, a.x, -x), fmaf(2, a.y, -y));
    a = make_float2(x, y);
}

/* a + c and a - c in the places of a and b. */
__device__ inline void add_and_subtract(float2 &a, float2 &b, float2 c)
{
    b = subtract(a, c);
    a = add(a, c);
}

/* One stage: of every SIZE neighbours the first half and the turned second half together. */
template <int SIZE, int COUNT, bool TURN>
__device__ inline void join(float2 (&v)[COUNT], const float2 *power)
{
    constexpr int QUARTER = SIZE / 4;
    float2 turn[QUARTER ? QUARTER : 1]; /* those further on are a quarter turn more */

    if (TURN) {
        turn[0] = power[log2_of(COUNT / SIZE)];
#pragma unroll
        for (int k = 1; k < QUARTER; k++)
            turn[k] = multiply(turn[0], root_of_32(k * (32 / SIZE)));
    }
#pragma unroll
    for (int first = 0; first < COUNT; first += SIZE)
#pragma unroll
        for (int k = 0; k < SIZE / 2; k++) {
            float2 &a = v[first + k], &b = v[first + k + SIZE / 2];

            if (TURN)
                butterfly(a, b, k && k >= QUARTER ? quarter_turn(turn[k - QUARTER]) : turn[k]);
            else if (k == 0 || k == QUARTER)
                add_and_subtract(a, b, k ? quarter_turn(b) : b);
            else
                butterfly(a, b, root_of_32(k * (32 / SIZE)));
        }
    if constexpr (SIZE < COUNT)
        join<2 * SIZE, COUNT, TURN>(v, power);
}

/* The transform of COUNT points, at most 32, in place: pairs, then pairs of pairs. With TURN point
 * r is first multiplied by w^r; power[s] is w^(2^s). */
template <int COUNT, bool TURN>
__device__ inline void transform(float2 (&v)[COUNT], const float2 *power)
{
    float2 u[COUNT];

#pragma unroll
    for (int i = 0; i < COUNT; i++)
        u[i] = v[reversed(i) >> (5 - log2_of(COUNT))];
    join<2, COUNT, TURN>(u, power);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        v[i] = u[i];
}

#endif
