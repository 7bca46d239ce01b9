/* SPDX-License-Identifier: MIT */
/* Single and double precision. To round to nearest the CPU's own arithmetic is used as it is;
 * for the other roundings the same loops run with another rounding mode set in the CPU. */
#include "machine/execute/float.h"
#include "machine/execute/lanes.h"

#include <fenv.h>
#include <math.h>
#ifdef __SSE2_MATH__
#include <xmmintrin.h>
#endif

#define FLUSHED(x) (op->ftz ? flush_f32(x) : (x))
#define FINISHED(x) finish_f32(op, x)

/* Apply the instruction's .ftz and .sat to a result. */
static inline float finish_f32(const struct op *op, float x)
{
    x = FLUSHED(x);
    if (op->sat)
        return saturated_f32(x);
    return canonical_f32(x);
}

/* Three functions an operation: f32, f32 with .ftz or .sat, f64. The expression is of a, b, c;
 * SOURCES, one of ONE, TWO and THREE, says how many of them it has. FLOAT(sub, TWO, a - b) makes,
 * for f32 alone:
 *
 *   EXECUTOR(sub_f32)
 *   {
 *       lane_f32 *d = slot_lanes(warp, op->d);
 *       const lane_f32 *pa = slot_lanes(warp, op->a);
 *       const lane_f32 *pb = slot_lanes(warp, op->b);
 *       SET_LANES(lanes, d, const __auto_type a = (pa[i]); const __auto_type b = (pb[i]);,
 *                 canonical_f32(a - b));
 *   }
 */
#define FLOAT_FUNCTION(name, view, result, in, SOURCES, ...)          \
    EXECUTOR(name)                                                    \
    {                                                                 \
        view *d = slot_lanes(warp, op->d);                            \
        SOURCES(view)                                                 \
        SET_LANES(lanes, d, LOAD_##SOURCES(in), result(__VA_ARGS__)); \
    }

#define AS_IS(x) (x)

/* Doubles have no recipe: which of two NaNs a result keeps is the compiler's choice. */
#define FLOAT_SINGLE(name, SOURCES, ...)                                       \
    FLOAT_FUNCTION(name, lane_f32, canonical_f32, AS_IS, SOURCES, __VA_ARGS__) \
    RECIPE(name, "lane_f32", SOURCES_##SOURCES(lane_f32, float), float, float, \
           canonical_f32(__VA_ARGS__))

/* As FLOAT, of an operation whose exact result can have more digits than any number: `scaled` is
 * the same expression FLUSH_SCALE times as large, looked at if a lane may need it. */
#define FLOAT_ROUNDED(name, SOURCES, scaled, ...)                                         \
    FLOAT_SINGLE(name##_f32, SOURCES, __VA_ARGS__)                                        \
    FLOAT_FUNCTION(name##_f64, lane_f64, AS_IS, AS_IS, SOURCES, __VA_ARGS__)              \
    EXECUTOR(name##_modified)                                                             \
    {                                                                                     \
        lane_f32 *d = slot_lanes(warp, op->d);                                            \
        SOURCES(lane_f32)                                                                 \
        float x[WARP_SIZE];                                                               \
        const uint32_t all = FULL_WARP;                                                   \
        uint32_t close = 0;                                                               \
        FOR_LANES(all, LOAD_##SOURCES(FLUSHED) x[i] = (__VA_ARGS__));                     \
        FOR_LANES(all, close |= fabsf(x[i]) == 0x1p-126f);                                \
        if (op->ftz && close)                                                             \
            FOR_LANES(all, LOAD_##SOURCES(FLUSHED) x[i] = flush_rounded(x[i], (scaled))); \
        SET_LANES(lanes, d, , FINISHED(x[i]));                                            \
    }                                                                                     \
    static const struct float_handlers name = {name##_f32, name##_modified, name##_f64};

#define FLOAT(name, SOURCES, ...)                                                      \
    FLOAT_SINGLE(name##_f32, SOURCES, __VA_ARGS__)                                     \
    FLOAT_FUNCTION(name##_modified, lane_f32, FINISHED, FLUSHED, SOURCES, __VA_ARGS__) \
    FLOAT_FUNCTION(name##_f64, lane_f64, AS_IS, AS_IS, SOURCES, __VA_ARGS__)           \
    static const struct float_handlers name = {name##_f32, name##_modified, name##_f64};

/* For operations that exist in f32 alone and are seldom in an inner loop: one function, which
 * looks at the modifiers each time. */
#define FLOAT_32(name, SOURCES, ...)                                                   \
    FLOAT_FUNCTION(name##_modified, lane_f32, FINISHED, FLUSHED, SOURCES, __VA_ARGS__) \
    static const struct float_handlers name = {name##_modified, name##_modified, NULL};

/* The same of what has a recipe. */
#define FLOAT_32_OFTEN(name, SOURCES, ...)                                             \
    FLOAT_SINGLE(name##_f32, SOURCES, __VA_ARGS__)                                     \
    FLOAT_FUNCTION(name##_modified, lane_f32, FINISHED, FLUSHED, SOURCES, __VA_ARGS__) \
    static const struct float_handlers name = {name##_f32, name##_modified, NULL};

#define FLOAT_64(name, SOURCES, ...)                                         \
    FLOAT_FUNCTION(name##_f64, lane_f64, AS_IS, AS_IS, SOURCES, __VA_ARGS__) \
    static const struct float_handlers name = {NULL, NULL, name##_f64};

struct float_handlers {
    op_handler *f32, *modified, *f64;
};

#define FUSED(a, b, c)                                           \
    _Generic((a), float                                          \
             : fmaf((float)(a), (float)(b), (float)(c)), default \
             : fma((double)(a), (double)(b), (double)(c)))
#define ROOT(a) _Generic((a), float : sqrtf((float)(a)), default : sqrt((double)(a)))

FLOAT(add, TWO, a + b)
FLOAT(sub, TWO, a - b)
FLOAT_ROUNDED(mul, TWO, FLUSH_SCALE *a *b, a *b)
FLOAT_ROUNDED(fused, THREE, fmaf(FLUSH_SCALE *a, b, FLUSH_SCALE *c), FUSED(a, b, c))
FLOAT_ROUNDED(quotient, TWO, FLUSH_SCALE *a / b, a / b)
FLOAT_ROUNDED(reciprocal, ONE, FLUSH_SCALE / a, 1 / a)
FLOAT(root, ONE, ROOT(a))

/* Single precision has only one NaN. */
#define QUIET(x) _Generic((x), float : (x), default : quiet_f64((double)(x)))
#define OR_NAN(a, x) _Generic((a), float : (x), default : (a) == (a) ? (x) : quiet_f64((double)(a)))

#define SMALLER(a, b)                                       \
    _Generic((a), float                                     \
             : smaller_f32((float)(a), (float)(b)), default \
             : smaller_f64((double)(a), (double)(b)))
#define LARGER(a, b)                                       \
    _Generic((a), float                                    \
             : larger_f32((float)(a), (float)(b)), default \
             : larger_f64((double)(a), (double)(b)))
#define NAN_OR(a, b, x) ((a) != (a) ? (a) : (b) != (b) ? (b) : (x))
FLOAT(minimum, TWO, QUIET(SMALLER(a, b)))
FLOAT(maximum, TWO, QUIET(LARGER(a, b)))
FLOAT_32(minimum_nan, TWO, NAN_OR(a, b, SMALLER(a, b)))
FLOAT_32(maximum_nan, TWO, NAN_OR(a, b, LARGER(a, b)))
FLOAT(negative, ONE, OR_NAN(a, -a))
FLOAT(absolute, ONE,
      OR_NAN(a, _Generic((a), float
                         : fabsf((float)(a)), default
                         : fabs((double)(a)))))

/* The .xorsign.abs forms compare absolute values; the sign of the result is the product of the
 * signs. */
#define BOTH_SIGNS(x) (float)with_both_signs((double)a, (double)b, (double)(x))
FLOAT_32(minimum_size, TWO, BOTH_SIGNS(SMALLER(fabsf(a), fabsf(b))))
FLOAT_32(maximum_size, TWO, BOTH_SIGNS(LARGER(fabsf(a), fabsf(b))))
FLOAT_32(minimum_size_nan, TWO, BOTH_SIGNS(NAN_OR(a, b, SMALLER(fabsf(a), fabsf(b)))))
FLOAT_32(maximum_size_nan, TWO, BOTH_SIGNS(NAN_OR(a, b, LARGER(fabsf(a), fabsf(b)))))

/* Approximations: these are computed in double precision and rounded, which is much closer than
 * PTX asks for. */
FLOAT_32(sine, ONE, (float)sin((double)a))
FLOAT_32(cosine, ONE, (float)cos((double)a))
FLOAT_32(log2_approx, ONE, (float)log2((double)a))
FLOAT_32_OFTEN(exp2_approx, ONE, exp2_f32(a))
FLOAT_32(tanh_approx, ONE, (float)tanh((double)a))
FLOAT_32_OFTEN(inverse_root_single, ONE, (float)(1 / sqrt((double)a)))

/* div.approx multiplies by the reciprocal of the divisor, and for the largest divisors the
 * reciprocal is flushed to zero. */
static inline float divide_approx(float a, float b)
{
    const float size = fabsf(b);
    return size > 0x1p126f && size < INFINITY ? a * copysignf(0.0f, b) : a / b;
}
FLOAT_32(quotient_approx, TWO,
         op->ftz ? flush_rounded(divide_approx(a, b), divide_approx(FLUSH_SCALE *a, b))
                 : divide_approx(a, b))

/* The approximations in double precision compute only the upper word of the result, and flush
 * subnormal numbers. */
static inline double upper_word(double x)
{
    return f64_of(bits_of_f64(x) & UINT64_C(0xFFFFFFFF00000000));
}

static inline double flush_f64(double x)
{
    return fabs(x) < 0x1p-1022 ? copysign(0.0, x) : x;
}

static inline double approx_f64(double x)
{
    return x != x ? f64_of(UINT64_C(0x7FFFFFFF00000000)) : flush_f64(upper_word(x));
}
FLOAT_64(rcp_approx, ONE, approx_f64(1 / flush_f64(a)))
FLOAT_64(rsqrt_approx, ONE, approx_f64(1 / sqrt(flush_f64(a))))
FLOAT_64(rsqrt_f64, ONE, 1 / sqrt(a))

/* copysign moves bits, even those of a NaN: the sign comes from a, the rest from b. */
EXECUTOR(copysign_f32)
{
    lane_u32 *d = slot_lanes(warp, op->d);
    const lane_u32 *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);
    FOR_LANES(lanes, d[i] = (pa[i] & 0x80000000u) | (pb[i] & 0x7FFFFFFFu));
}

EXECUTOR(copysign_f64)
{
    const uint64_t sign = UINT64_C(1) << 63;
    lane_u64 *d = slot_lanes(warp, op->d);
    const lane_u64 *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);
    FOR_LANES(lanes, d[i] = (pa[i] & sign) | (pb[i] & ~sign));
}
static const struct float_handlers sign_copy = {copysign_f32, NULL, copysign_f64};

/* fesetround(), which takes most of its time for the x87, without that where the arithmetic of
 * executors is SSE's. */
static void set_rounding(int rounding)
{
#if defined __SSE2_MATH__ && defined __FP_FAST_FMA
    enum { BITS = 0x6000 };
    _mm_setcsr((_mm_getcsr() & ~BITS) | (unsigned)rounding << 3);
#else
    fesetround(rounding);
#endif
}

EXECUTOR(rounded)
{
    set_rounding(op->rounding);
    op->inner(warp, op, lanes);
    set_rounding(FE_TONEAREST);
}

int float_rounding(const struct ptx_instr *instr)
{
    if (ptx_has(instr, MOD_RZ) || ptx_has(instr, MOD_RZI))
        return FE_TOWARDZERO;
    if (ptx_has(instr, MOD_RM) || ptx_has(instr, MOD_RMI))
        return FE_DOWNWARD;
    if (ptx_has(instr, MOD_RP) || ptx_has(instr, MOD_RPI))
        return FE_UPWARD;
    return FE_TONEAREST;
}

void float_wrap_rounding(struct op *op)
{
    if (op->rounding == FE_TONEAREST || !op->handler)
        return;
    op->inner = op->handler;
    op->handler = rounded;
}

static const struct float_handlers *division(const struct ptx_instr *instr)
{
    if (ptx_has(instr, MOD_APPROX))
        return ptx_type_of(instr) == PTX_F32 ? &quotient_approx : NULL;
    return &quotient;
}

static const struct float_handlers *inversion(const struct ptx_instr *instr)
{
    if (ptx_has(instr, MOD_APPROX) && ptx_type_of(instr) == PTX_F64)
        return ptx_has(instr, MOD_FTZ) ? &rcp_approx : NULL;
    return &reciprocal;
}

static const struct float_handlers *inverse_root(const struct ptx_instr *instr)
{
    if (ptx_type_of(instr) == PTX_F32)
        return &inverse_root_single;
    return ptx_has(instr, MOD_FTZ) ? &rsqrt_approx : &rsqrt_f64;
}

static const struct float_handlers *smaller_or_larger(const struct ptx_instr *instr)
{
    static const struct float_handlers *const all[2][2][2] = {
        {{&maximum, &maximum_nan}, {&maximum_size, &maximum_size_nan}},
        {{&minimum, &minimum_nan}, {&minimum_size, &minimum_size_nan}},
    };
    const bool nan = ptx_has(instr, MOD_NAN_WINS);
    return all[instr->opcode == OP_MIN][ptx_has(instr, MOD_XORSIGN)][nan];
}

static const struct float_handlers *float_handlers_of(const struct ptx_instr *instr)
{
    static const struct float_handlers *const all[OPCODE_COUNT] = {
        [OP_ADD] = &add,         [OP_SUB] = &sub,          [OP_MUL] = &mul,
        [OP_MAD] = &fused,       [OP_FMA] = &fused,        [OP_SQRT] = &root,
        [OP_NEG] = &negative,    [OP_ABS] = &absolute,     [OP_COPYSIGN] = &sign_copy,
        [OP_SIN] = &sine,        [OP_COS] = &cosine,       [OP_LG2] = &log2_approx,
        [OP_EX2] = &exp2_approx, [OP_TANH] = &tanh_approx,
    };
    switch (instr->opcode) {
    case OP_DIV:
        return division(instr);
    case OP_RCP:
        return inversion(instr);
    case OP_RSQRT:
        return inverse_root(instr);
    case OP_MIN:
    case OP_MAX:
        return smaller_or_larger(instr);
    default:
        return all[instr->opcode];
    }
}

void bind_float(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const struct float_handlers *handlers = float_handlers_of(instr);
    const bool single = ptx_type_of(instr) == PTX_F32;

    op->ftz = ptx_has(instr, MOD_FTZ);
    op->sat = ptx_has(instr, MOD_SAT);
    op->rounding = float_rounding(instr);
    if (handlers)
        op->handler = !single              ? handlers->f64
                      : op->ftz || op->sat ? handlers->modified
                                           : handlers->f32;
    if (!op->handler) {
        bind_refuse(binder, NULL);
        return;
    }
    bind_operands(binder);
    float_wrap_rounding(op);
}
