/* SPDX-License-Identifier: MIT */
/* What the files that handle floats share. */
#ifndef FLOAT_H
#define FLOAT_H

#include "machine/execute/scalar.h"
#include "machine/warp.h"

/* A subnormal number becomes a zero with the same sign. */
static inline float flush_f32(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return (bits & 0x7F800000) == 0 ? f32_of(bits & 0x80000000) : x;
}

/* A result is too small for a normal number if it is so once rounded to 24 bits, however small its
 * exponent: 2^-126 - 2^-150 is flushed, though a subnormal number would be rounded up to 2^-126.
 * An H200 does so. x is the result, `scaled` the same result FLUSH_SCALE times as large. */
#define FLUSH_SCALE 0x1p32f
static inline float flush_rounded(float x, float scaled)
{
    return fabsf(x) == 0x1p-126f && fabsf(scaled) < 0x1p-126f * FLUSH_SCALE ? copysignf(0, x)
                                                                            : flush_f32(x);
}

/* .relu: what is below zero, and -0, becomes +0. A NaN stays. */
static inline double relu(double x)
{
    return x != x || x > 0 ? x : 0;
}

/* An absolute value gets the product of the signs of a and b. A NaN stays. */
static inline double with_both_signs(double a, double b, double size)
{
    return size == size && signbit(a) != signbit(b) ? -size : size;
}

/* The rounding mode that the instruction names, as fesetround() takes it; to nearest if it names
 * none. */
int float_rounding(const struct ptx_instr *instr);
/* Make op's handler run in op's rounding mode. */
void float_wrap_rounding(struct op *op);

/* Formats narrower than single precision. */
struct minifloat {
    int mantissa; /* bits after the binary point */
    int exponent; /* bits */
    uint32_t beyond; /* the first code that is not a number: that of infinity, or of NaN */
};
extern const struct minifloat f16_format, bf16_format, tf32_format, e4m3_format, e5m2_format;

bool minifloat_is_nan(const struct minifloat *format, uint32_t bits);
/* Exact, as a double has every value of the narrow formats. A NaN keeps its sign and mantissa
 * and becomes quiet. */
double minifloat_decode(const struct minifloat *format, uint32_t bits);
/* If `ftz`, a subnormal number becomes a zero with the same sign. */
uint32_t minifloat_flush(const struct minifloat *format, bool ftz, uint32_t bits);
/* Round once, in a mode of fesetround(). For a NaN all bits but the sign are set. */
uint32_t minifloat_encode(const struct minifloat *format, double value, int rounding);

/* `sum` + `error`, where the error is smaller than a unit in the last place of the sum. If the
 * exact value lies between two doubles, this is the one whose last bit is set. To round it
 * again, to a shorter format, gives the same as to round the exact value once (Boldo and
 * Melquiond, "When double rounding is odd"). */
double round_to_odd(double sum, double error);

/* The sum of two halves, or of two pairs, of type `type`. */
uint32_t half_add_bits(enum ptx_type type, uint32_t a, uint32_t b);

#endif
