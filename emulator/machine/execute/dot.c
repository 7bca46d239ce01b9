/* SPDX-License-Identifier: MIT */
#include "machine/execute/dot.h"

#include <fenv.h>
#include <stdlib.h>

static const struct minifloat f32_format = {.mantissa = 23, .exponent = 8, .beyond = 0x7F800000};

enum { LEAST_EXPONENT = -126, SINGLE_BITS = 24, SINGLE_BIAS = 127, LOST_BITS = 0x3FF };
/* The exponent that a sum of 0 has among the terms: MMA-Sim, and random kernels on an H200, which
 * contradict -134 and -131. */
enum { ZERO_EXPONENT = -133 };

static const struct minifloat *format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_BF16:
        return &bf16_format;
    case PTX_TF32:
        return &tf32_format;
    case PTX_E4M3:
        return &e4m3_format;
    case PTX_E5M2:
        return &e5m2_format;
    default:
        return &f16_format;
    }
}

/* The multiply-adds that stand in for m8n8k4 since 8.0, and what stands in for the products of
 * 8-bit floats where there are tensor cores, but none for these. */
static void stand_in(struct dot *dot, int capability, bool eight_bits)
{
    if (dot->count == 4 && dot->a == &f16_format && capability >= 80) {
        dot->way = dot->half ? DOT_PAIRS : DOT_CHAIN;
    } else if (eight_bits && capability >= 90) {
        dot->way = DOT_APART;
        dot->as_halves = dot->by_pairs = true;
        dot->together = dot->count / 2;
    }
}

struct dot dot_of(const struct gpu *gpu, const struct ptx_instr *instr, enum ptx_type a,
                  enum ptx_type b, int count, bool half)
{
    const int capability = gpu->major * 10 + gpu->minor;
    const bool eight_bits = ptx_type_size(a) == 1, quarter = a == PTX_TF32;
    struct dot dot = {.a = format_of(a), .b = format_of(b), .count = count, .half = half};
    if (capability >= 90) {
        dot.fraction = 25;
        dot.together = quarter ? 8 : 16;
    } else if (capability >= 75) {
        dot.fraction = 24;
        dot.together = quarter ? 4 : eight_bits ? 16 : 8;
    } else {
        dot.fraction = 23;
        dot.together = 4;
    }
    /* wmma of tf32 is made of products of four terms everywhere. */
    if (quarter && instr->opcode == OP_WMMA_MMA)
        dot.together = 4;
    /* By four warps 8-bit floats have tensor cores of their own on 9.0, which keep as few bits as
     * those of 8.9 (DeepSeek-V3, arXiv:2412.19437, section 3.5.2: about 14). As for the other
     * types, all terms of a step are added at once: so an H200 does with numbers made up. */
    const bool by_group = instr->opcode == OP_WGMMA_MMA;
    if (by_group && !quarter)
        dot.together = count;
    if (eight_bits && (capability < 90 || by_group)) {
        dot.fraction = 13;
        dot.short_sum = !half;
    }
    if (!by_group)
        stand_in(&dot, capability, eight_bits);
    if (dot.together > count)
        dot.together = count;
    return dot;
}

int dot_index(const struct dot *dot, int term)
{
    if (!dot->by_pairs)
        return term;
    return term % 4 / 2 * (dot->count / 2) + term / 4 * 2 + term % 2;
}

/* As a half, a number of e4m3 is always normal; of e5m2 the same ones are as before. */
static struct factor normalized(struct factor factor)
{
    while (factor.significand && abs(factor.significand) < 1 << e4m3_format.mantissa) {
        factor.significand *= 2;
        factor.exponent--;
    }
    return factor;
}

void dot_factor(const struct dot *dot, const struct minifloat *format, uint32_t bits,
                struct factor *factor)
{
    const uint32_t sign = 1u << (format->mantissa + format->exponent);
    const uint32_t size = bits & (sign - 1), unit = 1u << format->mantissa;
    const int bias = (1 << (format->exponent - 1)) - 1;
    const bool negative = bits & sign;
    factor->negative = negative;
    if (size >= format->beyond) {
        factor->significand = minifloat_is_nan(format, size) ? 0 : negative ? -1 : 1;
        factor->exponent = FACTOR_SPECIAL;
        return;
    }
    const int32_t above = (int32_t)(size >> format->mantissa);
    const int32_t significand = (int32_t)((size & (unit - 1)) | (above ? unit : 0));
    const int32_t sign_bits = -(int32_t)negative; /* signs are random: no branch */
    factor->significand = (significand ^ sign_bits) - sign_bits;
    factor->exponent = (above ? above : 1) - bias;
    if (dot->as_halves && format == &e4m3_format)
        *factor = normalized(*factor);
}

/* Where one of the terms added at once is no number: neither is their sum. */
struct outcome {
    bool nan, plus, minus;
};

static void add_special(struct outcome *outcome, int32_t significand)
{
    outcome->nan |= significand == 0;
    outcome->plus |= significand > 0;
    outcome->minus |= significand < 0;
}

static struct outcome special_terms(const struct dot *dot, const struct factor *a,
                                    const struct factor *b, struct factor c)
{
    struct outcome outcome = {0};
    if (c.exponent == FACTOR_SPECIAL)
        add_special(&outcome, c.significand);
    for (int i = 0; i < dot->together; i++)
        if (a[i].exponent == FACTOR_SPECIAL || b[i].exponent == FACTOR_SPECIAL) {
            const int64_t product = (int64_t)a[i].significand * b[i].significand;
            add_special(&outcome, (product > 0) - (product < 0));
        }
    return outcome;
}

static const struct minifloat *sum_format(const struct dot *dot)
{
    return dot->half ? &f16_format : &f32_format;
}

static uint32_t not_a_number(const struct dot *dot)
{
    return dot->half ? 0x7FFF : 0x7FFFFFFF;
}

/* `sum` x 2^exponent in single precision, towards zero: what is too small is 0, never -0. */
static uint32_t truncate(int64_t sum, int exponent)
{
    const uint32_t sign = sum < 0 ? 0x80000000 : 0;
    const uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    if (size == 0)
        return 0;
    const int top = 63 - __builtin_clzll(size) + exponent; /* the exponent of the highest bit */
    if (top > SINGLE_BIAS)
        return sign | 0x7F800000;
    const int least = (top < LEAST_EXPONENT ? LEAST_EXPONENT : top) - (SINGLE_BITS - 1);
    const int shift = least - exponent; /* `least`: of the lowest bit that is kept */
    const uint64_t units = shift > 0 ? (shift > 63 ? 0 : size >> shift) : size << -shift;
    /* If the number is normal, its highest bit makes the exponent one larger. */
    const uint32_t steps = (uint32_t)(least + SINGLE_BITS - 1 - LEAST_EXPONENT);
    const uint32_t rounded = (steps << (SINGLE_BITS - 1)) + (uint32_t)units;
    return rounded ? sign | rounded : 0;
}

/* A term in units of the last bit that is kept, towards zero: less than 2^28 of them. Without a
 * branch: of a 0 the last bit may be anywhere. */
static int32_t align(int32_t significand, int shift)
{
    const int left = shift > 0 ? shift : 0, right = shift < -31 ? 31 : left - shift;
    const int32_t lost = significand >> 31 & (int32_t)((1u << right) - 1);
    return (int32_t)((uint32_t)((significand + lost) >> right) << (left & 31));
}

/* What is too small is 0 here, too. */
static uint32_t rounded_half(double sum)
{
    const uint32_t bits = minifloat_encode(&f16_format, sum, FE_TONEAREST);
    return bits == 0x8000 ? 0 : bits;
}

/* c and `together` products, all of them numbers. A product that is 0 has the least exponent. */
static uint32_t add_at_once(const struct dot *dot, const struct factor *a, const struct factor *b,
                            struct factor c)
{
    const struct minifloat *format = sum_format(dot);
    const int bits = dot->a->mantissa + dot->b->mantissa, together = dot->together;
    int exponents[DOT_MOST], most = c.significand ? c.exponent : ZERO_EXPONENT;
    int32_t products[DOT_MOST];
    for (int i = 0; i < together; i++) {
        products[i] = a[i].significand * b[i].significand;
        exponents[i] = products[i] ? a[i].exponent + b[i].exponent : ZERO_EXPONENT;
        most = exponents[i] > most ? exponents[i] : most;
    }
    const int shift = dot->fraction - bits - most;
    int64_t total = align(c.significand, dot->fraction - format->mantissa + c.exponent - most);
    for (int i = 0; i < together; i++)
        total += align(products[i], shift + exponents[i]);
    if (dot->half)
        return rounded_half(ldexp((double)total, most - dot->fraction));
    return truncate(total, most - dot->fraction) & ~(dot->short_sum ? (uint32_t)LOST_BITS : 0);
}

static float value_of(const struct minifloat *format, struct factor factor)
{
    if (factor.exponent == FACTOR_SPECIAL)
        return factor.significand ? (float)factor.significand * INFINITY : NAN;
    const float size = (float)abs(factor.significand);
    return ldexpf(factor.negative ? -size : size, factor.exponent - format->mantissa);
}

/* The products of halves are exact in single precision. */
static float product(const struct dot *dot, const struct factor *a, const struct factor *b, int i)
{
    return value_of(dot->a, a[i]) * value_of(dot->b, b[i]);
}

static uint32_t encode(const struct dot *dot, float sum)
{
    return dot->half ? minifloat_encode(&f16_format, sum, FE_TONEAREST)
                     : bits_of_f32(canonical_f32(sum));
}

static float decode(const struct dot *dot, uint32_t bits)
{
    return dot->half ? (float)minifloat_decode(&f16_format, bits) : f32_of(bits);
}

static uint32_t without_tensor_cores(const struct dot *dot, const struct factor *a,
                                     const struct factor *b, uint32_t c)
{
    float sum = decode(dot, c);
    if (dot->way == DOT_PAIRS) {
        for (int i = 0; i < dot->count; i += 2)
            sum += product(dot, a, b, i) + product(dot, a, b, i + 1);
        return encode(dot, sum);
    }
    float products = 0;
    for (int i = 0; i < dot->count; i++)
        products += product(dot, a, b, i);
    return encode(dot, sum + products);
}

/* Add c and `together` products. What has overflowed before is added to their infinities. */
static uint32_t add_terms(const struct dot *dot, const struct factor *a, const struct factor *b,
                          uint32_t sum)
{
    const struct minifloat *format = sum_format(dot);
    struct factor c;
    dot_factor(dot, format, sum, &c);
    const struct outcome special = special_terms(dot, a, b, c);
    if (special.nan || (special.plus && special.minus))
        return not_a_number(dot);
    if (special.plus || special.minus)
        return format->beyond | (special.minus ? 1u << (format->mantissa + format->exponent) : 0);
    return add_at_once(dot, a, b, c);
}

static uint32_t fused_sum(const struct dot *dot, const struct factor *a, const struct factor *b,
                          uint32_t sum)
{
    for (int i = 0; i < dot->count; i += dot->together)
        sum = add_terms(dot, a + i, b + i, sum);
    return sum;
}

uint32_t dot_sum(const struct dot *dot, const struct factor *a, const struct factor *b, uint32_t c)
{
    if (dot->way == DOT_FUSED)
        return fused_sum(dot, a, b, c);
    if (dot->way != DOT_APART)
        return without_tensor_cores(dot, a, b, c);
    const uint32_t sum = fused_sum(dot, a, b, 0);
    return dot->half ? half_add_bits(PTX_F16, c, sum)
                     : bits_of_f32(canonical_f32(f32_of(c) + f32_of(sum)));
}
