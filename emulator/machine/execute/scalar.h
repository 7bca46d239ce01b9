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

/* Whatever NaN x is, the one that arithmetic in single precision gives. Not by a choice: of several
 * in a row gcc 13 makes jumps from one into the next, and then no vectors. */
static inline float canonical_f32(float x)
{
    const uint32_t nan = -(uint32_t)(x != x);
    return f32_of((bits_of_f32(x) & ~nan) | (0x7FFFFFFF & nan));
}

/* Double precision keeps the bits of a NaN and makes it quiet. */
static inline double quiet_f64(double x)
{
    return f64_of(bits_of_f64(x) | (uint64_t)(x != x) << 51);
}

/* A number as an integer of the type, cut off; beyond its ends the nearest one. A NaN becomes
 * the highest bit alone (PTX ISA, cvt). */
static inline uint32_t cut_s32(double x)
{
    /* By its bits: of a choice between x and a constant compilers make a branch. */
    const uint64_t above = -(uint64_t)(x > -0x1p31);
    const double least = f64_of((bits_of_f64(x) & above) | (bits_of_f64(-0x1p31) & ~above)),
                 most = 0x1p31 - 1;
    return (uint32_t)(int32_t)(least < most ? least : most);
}

static inline uint32_t cut_u32(double x)
{
    const double least = x > 0 ? x : x == x ? 0 : 0x1p31, most = 0x1p32 - 1;
    return (uint32_t)(int64_t)(least < most ? least : most);
}

static inline uint64_t cut_s64(double x)
{
    return x >= 0x1p63 ? INT64_MAX : (uint64_t)(int64_t)(x > -0x1p63 ? x : -0x1p63);
}

static inline uint64_t cut_u64(double x)
{
    if (x >= 0x1p64 || x != x)
        return x != x ? UINT64_C(1) << 63 : UINT64_MAX;
    return x > 0 ? (uint64_t)x : 0;
}

/* Of single precision with at most 32 bits a NaN becomes 0. */
static inline double no_nan(float x)
{
    return f32_of(bits_of_f32(x) & -(uint32_t)(x == x));
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
