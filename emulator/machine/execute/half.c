/* SPDX-License-Identifier: MIT */
/* Arithmetic in half precision and bfloat16, on single numbers and pairs. The result is first
 * computed in double precision, exact or rounded to odd, and then rounded once to the format. */
#include "machine/execute/float.h"
#include "machine/execute/lanes.h"

#include <fenv.h>
#include <math.h>

/* a + b, rounded to odd. Knuth's two-sum finds by how much the rounded sum is off. */
static double add_odd(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    return round_to_odd(sum, (a - (sum - part)) + (b - part));
}

static double half_add(double a, double b, double c)
{
    (void)c;
    return add_odd(a, b);
}

static double half_sub(double a, double b, double c)
{
    (void)c;
    return add_odd(a, -b);
}

/* The product of two numbers with mantissas of 11 bits, or 8, is exact in a double. */
static double half_mul(double a, double b, double c)
{
    (void)c;
    return a * b;
}

static double half_fma(double a, double b, double c)
{
    return add_odd(a * b, c);
}

static double half_min(double a, double b, double c)
{
    (void)c;
    return a != a || b < a || (a == b && signbit(b)) ? b : a;
}

static double half_max(double a, double b, double c)
{
    (void)c;
    return a != a || b > a || (a == b && !signbit(b)) ? b : a;
}

static double half_min_nan(double a, double b, double c)
{
    return a != a ? a : b != b ? b : half_min(a, b, c);
}

static double half_max_nan(double a, double b, double c)
{
    return a != a ? a : b != b ? b : half_max(a, b, c);
}

static double half_ex2(double a, double b, double c)
{
    (void)b;
    (void)c;
    return exp2(a);
}

static double half_tanh(double a, double b, double c)
{
    (void)b;
    (void)c;
    return tanh(a);
}

/* abs and neg. A NaN becomes the one NaN of the format, because ptxas makes a sum with zero out
 * of them. */
static uint32_t with_sign(const struct op *op, const struct minifloat *format, uint32_t bits)
{
    bits = minifloat_flush(format, op->ftz, bits);
    if (minifloat_is_nan(format, bits))
        return 0x7FFF;
    return op->instr->opcode == OP_NEG ? bits ^ 0x8000 : bits & 0x7FFF;
}

/* x rounded; with .ftz a zero if it is too small once rounded as if its exponent had no end, which
 * that of 4 * x has not (compare flush_rounded()). */
static uint32_t rounded(const struct op *op, const struct minifloat *format, double x)
{
    const uint32_t bits = minifloat_encode(format, x, FE_TONEAREST);
    const uint32_t size = minifloat_encode(format, 4 * x, FE_TONEAREST) & 0x7FFF;
    return op->ftz && size < 3u << format->mantissa ? bits & 0x8000 : bits;
}

static uint32_t apply(const struct op *op, const struct minifloat *format, uint32_t a, uint32_t b,
                      uint32_t c)
{
    if (!op->function)
        return with_sign(op, format, a);
    const double da = minifloat_decode(format, minifloat_flush(format, op->ftz, a));
    const double db = minifloat_decode(format, minifloat_flush(format, op->ftz, b));
    const double dc = minifloat_decode(format, minifloat_flush(format, op->ftz, c));
    double x = op->xorsign ? with_both_signs(da, db, op->function(fabs(da), fabs(db), dc))
                           : op->function(da, db, dc);
    if (op->sat)
        x = x > 1 ? 1 : x > 0 ? x : 0;
    if (op->relu)
        x = relu(x);
    return rounded(op, format, x);
}

static uint32_t apply_all(const struct op *op, uint32_t a, uint32_t b, uint32_t c)
{
    const bool brain = op->type == PTX_BF16 || op->type == PTX_BF16X2;
    const struct minifloat *format = brain ? &bf16_format : &f16_format;
    const uint32_t low = apply(op, format, a & 0xFFFF, b & 0xFFFF, c & 0xFFFF);
    return ptx_type_is_pair(op->type) ? low | apply(op, format, a >> 16, b >> 16, c >> 16) << 16
                                      : low;
}

uint32_t half_add_bits(enum ptx_type type, uint32_t a, uint32_t b)
{
    const struct op op = {.type = type, .function = half_add};
    return apply_all(&op, a, b, 0);
}

EXECUTOR(half_arithmetic)
{
    lane_u32 *d = slot_lanes(warp, op->d);
    const lane_u32 *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);
    const lane_u32 *pc = slot_lanes(warp, op->c);
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1)
            d[i] = apply_all(op, pa[i], pb[i], pc[i]);
}

static half_function *function_of(const struct ptx_instr *instr)
{
    static half_function *const functions[OPCODE_COUNT] = {
        [OP_ADD] = half_add, [OP_SUB] = half_sub, [OP_MUL] = half_mul, [OP_FMA] = half_fma,
        [OP_MIN] = half_min, [OP_MAX] = half_max, [OP_EX2] = half_ex2, [OP_TANH] = half_tanh,
    };
    if (ptx_has(instr, MOD_NAN_WINS))
        return instr->opcode == OP_MIN ? half_min_nan : half_max_nan;
    return functions[instr->opcode];
}

void bind_half(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->type = ptx_type_of(instr);
    op->ftz = ptx_has(instr, MOD_FTZ);
    op->sat = ptx_has(instr, MOD_SAT);
    op->relu = ptx_has(instr, MOD_RELU);
    op->xorsign = ptx_has(instr, MOD_XORSIGN);
    op->function = function_of(instr);
    const bool has_sign = instr->opcode == OP_NEG || instr->opcode == OP_ABS;
    op->handler = op->function || has_sign ? half_arithmetic : NULL;
    if (float_rounding(instr) != FE_TONEAREST)
        bind_refuse(binder, NULL);
    bind_operands(binder);
    /* The function reads three sources, whatever the operation needs. */
    if (!op->b.present)
        op->b = op->a;
    if (!op->c.present)
        op->c = op->a;
}
