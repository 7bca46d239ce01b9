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

/* .sat: what is below 0, and a NaN, becomes 0, what is above 1 becomes 1. */
static inline float saturated_f32(float x)
{
    const uint32_t above = -(uint32_t)(x > 1), within = -(uint32_t)(x > 0) & ~above;
    return f32_of((bits_of_f32(x) & within) | (bits_of_f32(1) & above));
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

/* For single and double precision: the whole number below x, above it, or towards zero, as
 * compilers make vectors of rint() alone; and the smaller and larger of two numbers, where -0 is
 * less than +0. If one is a NaN, it is the other. */
#define REAL_FUNCTIONS(type, word, number_of, bits_of, round, suffix, fabs, copysign)            \
    static inline type floor_##suffix(type x)                                                    \
    {                                                                                            \
        const type near = round(x);                                                              \
        return near - number_of(bits_of(1) & -(word)(near > x));                                 \
    }                                                                                            \
    static inline type ceil_##suffix(type x)                                                     \
    {                                                                                            \
        return -floor_##suffix(-x);                                                              \
    }                                                                                            \
    static inline type trunc_##suffix(type x)                                                    \
    {                                                                                            \
        return copysign(floor_##suffix(fabs(x)), x);                                             \
    }                                                                                            \
    static inline type smaller_##suffix(type a, type b)                                          \
    {                                                                                            \
        const word other = -(word)((a != a) | (b < a)), same = -(word)(a == b);                  \
        return number_of((bits_of(a) & ~other) | (bits_of(b) & (other | same)));                 \
    }                                                                                            \
    static inline type larger_##suffix(type a, type b)                                           \
    {                                                                                            \
        const word other = -(word)((a != a) | (b > a)), same = -(word)(a == b);                  \
        return number_of(((bits_of(a) & ~other) | (bits_of(b) & other)) & (bits_of(b) | ~same)); \
    }
REAL_FUNCTIONS(float, uint32_t, f32_of, bits_of_f32, rintf, f32, fabsf, copysignf)
REAL_FUNCTIONS(double, uint64_t, f64_of, bits_of_f64, rint, f64, fabs, copysign)

/* Halves. Those too small for a normal number are sums of units of 2^-24. */
static inline float f32_of_f16(uint32_t bits)
{
    const uint32_t size = bits & 0x7FFF, sign = (bits & 0x8000) << 16;
    const uint32_t beyond = -(uint32_t)(size >= 0x7C00), nan = -(uint32_t)(size > 0x7C00);
    const uint32_t number = bits_of_f32(f32_of(size << 13) * 0x1p112f);
    return f32_of(((number | sign | (beyond & 0x7F800000)) & ~nan) | (0x7FFFFFFF & nan));
}

/* Rounded to nearest; a NaN becomes 0x7FFF. */
static inline uint32_t f16_of_f32(float x)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7FFFFFFF, sign = bits >> 16 & 0x8000;
    const uint32_t small = -(uint32_t)(size < 0x38800000), nan = -(uint32_t)(size > 0x7F800000);
    const uint32_t rounded = (size + 0xFFF + (size >> 13 & 1) - 0x38000000) >> 13;
    const uint32_t units = bits_of_f32(f32_of(size) + 0.5f) - 0x3F000000;
    const uint32_t normal = rounded < 0x7C00 ? rounded : 0x7C00;
    return (((units & small) | (normal & ~small) | sign) & ~nan) | (0x7FFF & nan);
}

static inline uint32_t bf16_of_f32(float x)
{
    const uint32_t bits = bits_of_f32(x), nan = -(uint32_t)(x != x);
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & ~nan) | (0x7FFF & nan);
}

/* 2 to the power of x, the nearest float as far as a double tells: the sum is that of the series.
 * Beyond 160 it is as at 160. */
static inline float exp2_f32(float x)
{
    const double terms[] = {0x1p0,
                            0x1.62e42fefa39efp-1,
                            0x1.ebfbdff82c58fp-3,
                            0x1.c6b08d704a0c0p-5,
                            0x1.3b2ab6fba4e77p-7,
                            0x1.5d87fe78a6731p-10,
                            0x1.430912f86c787p-13,
                            0x1.ffcbfc588b0c7p-17,
                            0x1.62c0223a5c824p-20,
                            0x1.b5253d395e7c4p-24,
                            0x1.e4cf5158b8ecap-28,
                            0x1.e8cac7351bb25p-32,
                            0x1.c3bd650fc2986p-36};
    const uint32_t bits = bits_of_f32(x), beyond = -(uint32_t)(fabsf(x) > 160);
    const double at = f32_of((bits & ~(beyond & 0x7FFFFFFF)) | (bits_of_f32(160) & beyond));
    const double whole = at + 0x1.8p52, part = at - (whole - 0x1.8p52);
    double sum = terms[12];
    for (int i = 11; i >= 0; i--)
        sum = sum * part + terms[i];
    return (float)(sum * f64_of((bits_of_f64(whole) + 1023) << 52));
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
