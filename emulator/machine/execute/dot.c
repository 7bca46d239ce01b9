/* SPDX-License-Identifier: MIT */
#include "machine/execute/dot.h"

#include <fenv.h>
#include <stdlib.h>

static const struct minifloat f32_format = {.mantissa = 23, .exponent = 8, .beyond = 0x7F800000};

enum { LOST_BITS = 0x3FF };
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

/* Of terms from number `first` on. */
static struct outcome special_terms(const struct dot *dot, const struct factor *a,
                                    const struct dot_term *b, int first, int column,
                                    struct factor c)
{
    struct outcome outcome = {0};
    if (c.exponent == FACTOR_SPECIAL)
        add_special(&outcome, c.significand);
    for (int i = first; i < first + dot->together; i++)
        if (a[i].exponent == FACTOR_SPECIAL || b[i].exponent[column] == FACTOR_SPECIAL) {
            const int64_t product = (int64_t)a[i].significand * b[i].significand[column];
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

/* In single precision, towards zero, without a branch: what is too small is 0, never -0. */
static inline uint32_t truncate(double sum)
{
    const double size = fabs(sum), least = 0x1p-126, unit = 0x1p-149;
    const uint32_t sign = (uint32_t)(bits_of_f64(sum) >> 32) & 0x80000000;
    const uint32_t subnormal = (uint32_t)(int32_t)((size < least ? size : least) / unit);
    const uint32_t normal = bits_of_f32((float)f64_of(bits_of_f64(size) & ~UINT64_C(0x1FFFFFFF)));
    const uint32_t rounded = size < least ? subnormal : normal;
    return rounded ? sign | rounded : 0;
}

/* What is too small is 0 here, too. */
static uint32_t rounded_half(double sum)
{
    const uint32_t bits = minifloat_encode(&f16_format, sum, FE_TONEAREST);
    return bits == 0x8000 ? 0 : bits;
}

/* Columns side by side, each with a sum of its own; in a mask all bits are set or none. They are
 * passed where they lie: in which registers depends on the CPU. */
typedef int32_t __attribute__((vector_size(4 * DOT_WIDE), may_alias)) wide;
typedef uint32_t __attribute__((vector_size(4 * DOT_WIDE), may_alias)) wide_bits;
#define CHOOSE(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))

/* Make `terms` units of the last bit that is kept, towards zero, less than 2^28 of them, and add
 * these to the sums' two parts. Of a 0 the last bit may be anywhere. */
static inline void add_aligned(const wide *terms, const wide *shift, wide *low, wide *high)
{
    const wide left = *shift & (*shift > 0);
    const wide right = CHOOSE(*shift < -31, 31, left - *shift);
    const wide sign = *terms >> 31, lost = sign & ~(sign << right);
    const wide units = ((*terms + lost) >> right) << (left & 31);
    *low += units & 0xFFFF;
    *high += units >> 16;
}

/* The same as dot_factor() of sums, from memory. */
static inline void sum_factors(const struct minifloat *format, const uint32_t *sums,
                               wide *significand, wide *exponent)
{
    const uint32_t sign = 1u << (format->mantissa + format->exponent),
                   unit = 1u << format->mantissa;
    wide_bits bits;
    memcpy(&bits, sums, sizeof bits);
    const wide size = (wide)(bits & (sign - 1)), above = size >> format->mantissa;
    const wide negative = (bits & sign) != 0;
    const wide magnitude = (size & (int32_t)(unit - 1)) | ((int32_t)unit & (above > 0));
    *significand = (magnitude ^ negative) - negative;
    *exponent = above - (above == 0) - ((1 << (format->exponent - 1)) - 1);
    *exponent = CHOOSE(size >= (int32_t)format->beyond, FACTOR_SPECIAL, *exponent);
}

/* (`high` x 2^16 + `low`) x 2^exponent, rounded. */
static void round_sums(const struct dot *dot, const wide *low, const wide *high,
                       const wide *exponent, uint32_t sums[DOT_WIDE])
{
    double exact[DOT_WIDE];
    for (int k = 0; k < DOT_WIDE; k++)
        exact[k] = ((*high)[k] * 65536.0 + (*low)[k]) *
                   f64_of((uint64_t)(1023u + (uint32_t)(*exponent)[k]) << 52);
    if (dot->half)
        for (int k = 0; k < DOT_WIDE; k++)
            sums[k] = rounded_half(exact[k]);
    else
        for (int k = 0; k < DOT_WIDE; k++)
            sums[k] = truncate(exact[k]) & ~(dot->short_sum ? (uint32_t)LOST_BITS : 0);
}

/* Add to sums of columns from number `column` on `together` products from number `first` on. A
 * product that is 0 has the least exponent. Returns whether any term is no number. */
static bool add_at_once(const struct dot *dot, const struct factor *a, const struct dot_term *b,
                        int first, int column, uint32_t sums[DOT_WIDE])
{
    const struct minifloat *format = sum_format(dot);
    const int bits = dot->a->mantissa + dot->b->mantissa, together = dot->together;
    wide products[DOT_MOST], exponents[DOT_MOST], c, c_exponent;
    sum_factors(format, sums, &c, &c_exponent);
    wide most = CHOOSE(c != 0, c_exponent, ZERO_EXPONENT), special = c_exponent == FACTOR_SPECIAL;
    for (int i = 0; i < together; i++) {
        const struct factor factor = a[first + i];
        const wide significand = *(const wide *)&b[first + i].significand[column];
        const wide exponent = *(const wide *)&b[first + i].exponent[column];
        special |= (exponent == FACTOR_SPECIAL) | -(factor.exponent == FACTOR_SPECIAL);
        products[i] = significand * factor.significand;
        exponents[i] = CHOOSE(products[i] != 0, exponent + factor.exponent, ZERO_EXPONENT);
        most = CHOOSE(exponents[i] > most, exponents[i], most);
    }
    const wide last = most - dot->fraction; /* the exponent of the last bit that is kept */
    wide low = {0}, high = {0}, shift = c_exponent - last - format->mantissa;
    add_aligned(&c, &shift, &low, &high);
    for (int i = 0; i < together; i++) {
        shift = exponents[i] - last - bits;
        add_aligned(&products[i], &shift, &low, &high);
    }
    round_sums(dot, &low, &high, &last, sums);
    bool any = false;
    for (int k = 0; k < DOT_WIDE; k++)
        any |= special[k];
    return any;
}

static float value_of(const struct minifloat *format, struct factor factor)
{
    if (factor.exponent == FACTOR_SPECIAL)
        return factor.significand ? (float)factor.significand * INFINITY : NAN;
    const float size = (float)abs(factor.significand);
    return ldexpf(factor.negative ? -size : size, factor.exponent - format->mantissa);
}

/* The products of halves are exact in single precision. */
static float product(const struct dot *dot, const struct factor *a, const struct dot_term *b, int i,
                     int column)
{
    const struct factor factor = {b[i].significand[column], b[i].exponent[column],
                                  b[i].negative[column]};
    return value_of(dot->a, a[i]) * value_of(dot->b, factor);
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
                                     const struct dot_term *b, int column, uint32_t c)
{
    float sum = decode(dot, c);
    if (dot->way == DOT_PAIRS) {
        for (int i = 0; i < dot->count; i += 2)
            sum += product(dot, a, b, i, column) + product(dot, a, b, i + 1, column);
        return encode(dot, sum);
    }
    float products = 0;
    for (int i = 0; i < dot->count; i++)
        products += product(dot, a, b, i, column);
    return encode(dot, sum + products);
}

/* Put in the sum what is no number. What has overflowed before is added to infinities. */
static void put_special(const struct dot *dot, const struct factor *a, const struct dot_term *b,
                        int first, int column, uint32_t before, uint32_t *sum)
{
    const struct minifloat *format = sum_format(dot);
    struct factor c;
    dot_factor(dot, format, before, &c);
    const struct outcome special = special_terms(dot, a, b, first, column, c);
    if (special.nan || (special.plus && special.minus))
        *sum = not_a_number(dot);
    else if (special.plus || special.minus)
        *sum = format->beyond | (special.minus ? 1u << (format->mantissa + format->exponent) : 0);
}

static void add_fused(const struct dot *dot, const struct factor *a, const struct dot_term *b,
                      int column, uint32_t sums[DOT_WIDE])
{
    for (int i = 0; i < dot->count; i += dot->together) {
        uint32_t before[DOT_WIDE];
        memcpy(before, sums, sizeof before);
        const bool special = add_at_once(dot, a, b, i, column, sums);
        for (int k = 0; special && k < DOT_WIDE; k++)
            put_special(dot, a, b, i, column + k, before[k], &sums[k]);
    }
}

static uint32_t add_apart(const struct dot *dot, uint32_t c, uint32_t sum)
{
    return dot->half ? half_add_bits(PTX_F16, c, sum)
                     : bits_of_f32(canonical_f32(f32_of(c) + f32_of(sum)));
}

void dot_sums(const struct dot *dot, const struct factor *a, const struct dot_term *b, int column,
              uint32_t sums[DOT_WIDE])
{
    uint32_t apart[DOT_WIDE] = {0};
    if (dot->way == DOT_FUSED) {
        add_fused(dot, a, b, column, sums);
    } else if (dot->way == DOT_APART) {
        add_fused(dot, a, b, column, apart);
        for (int k = 0; k < DOT_WIDE; k++)
            sums[k] = add_apart(dot, sums[k], apart[k]);
    } else {
        for (int k = 0; k < DOT_WIDE; k++)
            sums[k] = without_tensor_cores(dot, a, b, column + k, sums[k]);
    }
}
