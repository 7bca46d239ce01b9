/* SPDX-License-Identifier: MIT */
/* What the files that handle floats share. */
#ifndef FLOAT_H
#define FLOAT_H

#include "machine/warp.h"

#include <math.h>

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

/* The one NaN that single precision arithmetic gives. */
static inline float canonical_f32(float x)
{
    return x == x ? x : f32_of(0x7FFFFFFF);
}

/* Subnormal numbers become zeros of their sign. */
static inline float flush_f32(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return (bits & 0x7F800000) == 0 ? f32_of(bits & 0x80000000) : x;
}

/* Not below +0; NaN stays. */
static inline double relu(double x)
{
    return x != x || x > 0 ? x : 0;
}

/* A size with the signs of a and b multiplied; NaN stays. */
static inline double with_both_signs(double a, double b, double size)
{
    return size == size && signbit(a) != signbit(b) ? -size : size;
}

/* The rounding an instruction names, as fesetround() takes it; to nearest where it names none. */
int float_rounding(const struct ptx_instr *instr);
/* Run op's handler in op's rounding mode. */
void float_wrap_rounding(struct op *op);

/* Formats narrower than single precision. */
struct minifloat {
    int mantissa; /* bits behind the point */
    int exponent; /* bits */
    uint32_t
        beyond; /* the first code that is no number: infinity's, or NaN's where there is none */
};
extern const struct minifloat f16_format, bf16_format, tf32_format, e4m3_format, e5m2_format;

bool minifloat_is_nan(const struct minifloat *format, uint32_t bits);
/* Exact: every value of the narrow format is one of the wide. NaN keeps its sign and its mantissa,
 * and is quiet. */
double minifloat_decode(const struct minifloat *format, uint32_t bits);
/* With `ftz`, subnormal numbers become zeros of their sign. */
uint32_t minifloat_flush(const struct minifloat *format, bool ftz, uint32_t bits);
/* Round once, in `rounding` of fesetround(). Of a NaN every bit but the sign is set. */
uint32_t minifloat_encode(const struct minifloat *format, double value, int rounding);

/* `sum` + `error`, where the error is less than a unit of the sum's last place, as the one of the
 * neighbours whose last bit is set. Rounding that again to fewer bits is rounding once (Boldo and
 * Melquiond, "When double rounding is odd"). */
double round_to_odd(double sum, double error);

/* The sum of halves, or of pairs of them, of type `type`. */
uint32_t half_add_bits(enum ptx_type type, uint32_t a, uint32_t b);

#endif
