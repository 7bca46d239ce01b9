/* SPDX-License-Identifier: MIT */
/* Floats narrower than single precision, to double and back. */
#include "machine/execute/float.h"

#include <fenv.h>
#include <math.h>

const struct minifloat f16_format = {.mantissa = 10, .exponent = 5, .beyond = 0x7C00};
const struct minifloat bf16_format = {.mantissa = 7, .exponent = 8, .beyond = 0x7F80};
const struct minifloat tf32_format = {.mantissa = 10, .exponent = 8, .beyond = 0x3FC00};
const struct minifloat e4m3_format = {.mantissa = 3, .exponent = 4, .beyond = 0x7F};
const struct minifloat e5m2_format = {.mantissa = 2, .exponent = 5, .beyond = 0x7C};

static int bias_of(const struct minifloat *format)
{
    return (1 << (format->exponent - 1)) - 1;
}

static uint32_t sign_bit(const struct minifloat *format)
{
    return 1u << (format->mantissa + format->exponent);
}

bool minifloat_is_nan(const struct minifloat *format, uint32_t bits)
{
    const uint32_t size = bits & (sign_bit(format) - 1);
    return size > format->beyond || size == sign_bit(format) - 1;
}

double minifloat_decode(const struct minifloat *format, uint32_t bits)
{
    const uint64_t quiet_nan = UINT64_C(0x7FF8000000000000);
    const uint32_t mantissa = bits & ((1u << format->mantissa) - 1);
    const uint32_t top = (1u << format->exponent) - 1;
    const uint32_t exponent = bits >> format->mantissa & top;
    const int least = 1 - bias_of(format);
    double size;
    if (minifloat_is_nan(format, bits))
        size = f64_of(quiet_nan | (uint64_t)mantissa << (52 - format->mantissa));
    else if ((bits & (sign_bit(format) - 1)) == format->beyond)
        size = INFINITY;
    else if (exponent == 0)
        size = ldexp(mantissa, least - format->mantissa);
    else
        size =
            ldexp(mantissa | 1u << format->mantissa, (int)exponent - 1 + least - format->mantissa);
    return bits & sign_bit(format) ? -size : size;
}

uint32_t minifloat_flush(const struct minifloat *format, bool ftz, uint32_t bits)
{
    const uint32_t exponent = ((1u << format->exponent) - 1) << format->mantissa;
    return ftz && (bits & exponent) == 0 ? bits & sign_bit(format) : bits;
}

/* Is a number between two neighbours rounded to the one farther from zero? `rest` is -1, 0 or 1
 * if the number is below, at or above the middle between them; `odd` says that the one nearer to
 * zero has an odd mantissa. */
static bool rounds_away(int rounding, bool negative, bool odd, int rest)
{
    switch (rounding) {
    case FE_TOWARDZERO:
        return false;
    case FE_DOWNWARD:
        return negative;
    case FE_UPWARD:
        return !negative;
    default:
        return rest > 0 || (rest == 0 && odd);
    }
}

uint32_t minifloat_encode(const struct minifloat *format, double value, int rounding)
{
    const bool negative = signbit(value);
    const uint32_t sign = negative ? sign_bit(format) : 0;
    if (value != value)
        return sign_bit(format) - 1;
    if (isinf(value))
        return sign | format->beyond;
    if (value == 0)
        return sign;
    int exponent;
    const int least = 1 - bias_of(format);
    (void)frexp(value, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    /* The value in units of its last place, at most 2^(mantissa + 1) of them. */
    const double scaled = ldexp(fabs(value), format->mantissa - exponent);
    const double whole = floor(scaled);
    const double rest = scaled - whole;
    uint32_t units = (uint32_t)whole;
    const int side = rest > 0.5 ? 1 : rest < 0.5 ? -1 : 0;
    if (rest != 0 && rounds_away(rounding, negative, units & 1, side))
        units++;
    /* If rounding carries out of the mantissa, the sum is the code with the next exponent. */
    const int64_t steps = (int64_t)(exponent - least) << format->mantissa;
    const int64_t bits = steps + units;
    if (bits < format->beyond)
        return sign | (uint32_t)bits;
    const bool stays = !rounds_away(rounding, negative, true, 1);
    return sign | (stays ? format->beyond - 1 : format->beyond);
}

double round_to_odd(double sum, double error)
{
    uint64_t bits = bits_of_f64(sum);
    if (error == 0 || error != error || isinf(sum) || (bits & 1))
        return sum;
    /* The exact value is between `sum` and the neighbour with an odd last bit. If the error has
     * the sign of the sum, that neighbour is the one farther from zero. */
    bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    return f64_of(bits);
}
