/* The operations of h06: their operands, and what the CPU says of them. */
#ifndef ARITHMETIC_H
#define ARITHMETIC_H

#include <math.h>
#include <string.h>

#include "hardware.h"

enum { NONE, ADD, MINIMUM, COMPARE, BITS, CONVERT, MUL32, MUL24 };
enum { FMA = 16, DIVIDE, QUICK, HUGE_Y, EXP, LOG, SIN, COS, POW };

/* The bits of a number whose exponent is one of a range that all threads together go through. */
__host__ __device__ static inline int float_bits(int number, int i, int least, int count)
{
    return (127 + least + i % count) << 23 | number * 8388;
}

/* The operands of operation `op`, as bits: whole numbers, of which either may be the smaller one
 * and some need more than 24 bits; or floats over the range where the result is one as well. */
__host__ __device__ static inline int operand_x(int op, int number, int i)
{
    const int sign = number % 2 ? (int)0x80000000 : 0;

    return op < FMA       ? number * 40961 - 20000000
           : op <= QUICK  ? float_bits(number, i / 2, -63, 126)
           : op == HUGE_Y ? float_bits(number, i, 1, 20)
           : op == EXP    ? float_bits(number, i, -20, 26) | sign
           : op == LOG    ? float_bits(number, i, -126, 253)
           : op == POW    ? float_bits(number, i, -8, 16)
                          : float_bits(number, i, -20, 28) | sign;
}

__host__ __device__ static inline int operand_y(int op, int number, int i)
{
    return op < FMA       ? 20000000 - number * 39119
           : op == FMA    ? float_bits(number, i, -63, 126)
           : op <= QUICK  ? float_bits(number, i, -126, 252)
           : op == HUGE_Y ? float_bits(number | 1, i, 126, 2)
                          : float_bits(number, i, -4, 7);
}

/* Of whole numbers, exactly. A 24-bit product takes the low 24 bits of each, with their sign. */
static inline void arithmetic_exact(const struct trial *t, int *out)
{
    for (int i = 0; i < t->n; i++) {
        const int op = t->variant->value;
        const int x = operand_x(op, t->host[i], i), y = operand_y(op, t->host[i], i);
        const unsigned low_x = (unsigned)((int)((unsigned)x << 8) >> 8);
        const unsigned low_y = (unsigned)((int)((unsigned)y << 8) >> 8);

        out[i] = op == ADD       ? (int)((unsigned)x + (unsigned)y)
                 : op == MINIMUM ? (x < y ? x : y)
                 : op == COMPARE ? x < y
                 : op == BITS    ? x & ~y
                 : op == CONVERT ? (int)(float)x
                 : op == MUL32   ? (int)((unsigned)x * (unsigned)y)
                 : op == MUL24   ? (int)(low_x * low_y)
                                 : x;
    }
}

/* The right answer, and the error that NVIDIA allows: PTX ISA, ex2, lg2, sin, cos and div.approx;
 * CUDA C++ Programming Guide, "Mathematical Functions", intrinsic functions. */
static inline double arithmetic_right(int op, float x, float y, double *allowed)
{
    const double power = y * log2(x), q = (double)x / y;

    switch (op) {
    case FMA:
        *allowed = 0;
        return fmaf(x, y, x);
    case DIVIDE:
        *allowed = 0;
        return x / y;
    case QUICK:
        *allowed = 0x1p-22 * fabs(q);
        return q;
    case HUGE_Y: /* 0, which is as far from the quotient as the quotient from 0 */
        *allowed = fabs(q);
        return q;
    case EXP: /* 2 + floor(1.173 |x|) units in the last place */
        *allowed = (2 + floor(1.173 * fabs(x))) * 0x1p-23 * exp(x);
        return exp(x);
    case LOG: /* 2^-21.41 near 1, else 3 units in the last place */
        *allowed = fmax(x >= 0.5f && x <= 2 ? exp2(-21.41) : 0, 3 * 0x1p-23 * fabs(log(x)));
        return log(x);
    case SIN:
    case COS: /* PTX: 2^-20.5 up to 2 pi, 2^-14.7 up to 100 pi */
        *allowed = exp2(fabs(x) <= 2 * M_PI ? -20.5 : -14.7);
        return op == SIN ? sin(x) : cos(x);
    default: /* exp2(y * __log2f(x)): the logarithm's error, that of the product, that of exp2 */
        *allowed = (M_LN2 * (fabs(y) * 0x1p-22 * fmax(1, fabs(log2(x))) + fabs(power) * 0x1p-23) +
                    0x1p-22) *
                   exp2(power);
        return exp2(power);
    }
}

static inline float float_of(int bits)
{
    float number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static inline void arithmetic_close(const struct trial *t, double *out, double *tolerance)
{
    for (int i = 0; i < t->n; i++) {
        const int op = t->variant->value;
        const float x = float_of(operand_x(op, t->host[i], i));
        const float y = float_of(operand_y(op, t->host[i], i));

        out[i] = arithmetic_right(op, x, y, &tolerance[i]);
    }
}

#endif
