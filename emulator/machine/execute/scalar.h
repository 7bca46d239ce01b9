/* SPDX-License-Identifier: MIT */
/* What the expressions of executors call. Machine code made from them has this text in front, so it
 * includes nothing of the emulator. */
#ifndef SCALAR_H
#define SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whatever NaN x is, the one that arithmetic in single precision gives. */
static inline float canonical_f32(float x)
{
    return x == x ? x : f32_of(0x7FFFFFFF);
}

/* Double precision keeps the bits of a NaN and makes it quiet. */
static inline double quiet_f64(double x)
{
    return x == x ? x : f64_of(bits_of_f64(x) | UINT64_C(1) << 51);
}

/* The upper half of a product. */
static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t high_s64(int64_t a, int64_t b)
{
    return (uint64_t)((unsigned __int128)((__int128)a * b) >> 64);
}

#endif
