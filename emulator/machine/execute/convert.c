/* SPDX-License-Identifier: MIT */
/* cvt: conversions between all types of numbers. The common ones have loops of their own; the
 * others are done lane by lane, by way of a 128-bit integer or a double. */
#include "machine/execute/float.h"
#include "machine/execute/lanes.h"

#include <fenv.h>
#include <math.h>

/* Conversions that C does in one cast: X(source type, view, C type). */
/* NOLINTBEGIN(bugprone-macro-parentheses): arguments that are types. */
#define CONVERT(D, result_view, result, twin, S, view, type) \
    EXECUTOR(cvt_##D##_##S)                                  \
    {                                                        \
        result_view *d = slot_lanes(warp, op->d);            \
        const view *pa = slot_lanes(warp, op->a);            \
        SET_LANES(lanes, d, , (twin)(result)(type)pa[i]);    \
    }                                                        \
    RECIPE(cvt_##D##_##S, #result_view, SOURCES_ONE(view, type), type, twin, (twin)(result)a)
/* NOLINTEND(bugprone-macro-parentheses) */
#define FROM_INTEGERS(X, ...)               \
    X(__VA_ARGS__, U8, lane_u32, uint8_t)   \
    X(__VA_ARGS__, S8, lane_u32, int8_t)    \
    X(__VA_ARGS__, U16, lane_u32, uint16_t) \
    X(__VA_ARGS__, S16, lane_u32, int16_t)  \
    X(__VA_ARGS__, U32, lane_u32, uint32_t) \
    X(__VA_ARGS__, S32, lane_u32, int32_t)  \
    X(__VA_ARGS__, U64, lane_u64, uint64_t) X(__VA_ARGS__, S64, lane_u64, int64_t)
#define CONVERT_EACH(...) CONVERT(__VA_ARGS__)

FROM_INTEGERS(CONVERT_EACH, U16, lane_u32, uint16_t, uint16_t)
FROM_INTEGERS(CONVERT_EACH, S16, lane_u32, int16_t, uint16_t)
FROM_INTEGERS(CONVERT_EACH, U32, lane_u32, uint32_t, uint32_t)
FROM_INTEGERS(CONVERT_EACH, S32, lane_u32, int32_t, uint32_t)
FROM_INTEGERS(CONVERT_EACH, U64, lane_u64, uint64_t, uint64_t)
FROM_INTEGERS(CONVERT_EACH, S64, lane_u64, int64_t, uint64_t)
FROM_INTEGERS(CONVERT_EACH, F32, lane_f32, float, float)
FROM_INTEGERS(CONVERT_EACH, F64, lane_f64, double, double)

/* What has an expression of its own. */
#define CUT(D, result_view, result, S, view, type, ...)         \
    EXECUTOR(cut_##D##_##S)                                     \
    {                                                           \
        result_view *d = slot_lanes(warp, op->d);               \
        const view *pa = slot_lanes(warp, op->a);               \
        SET_LANES(lanes, d, const type a = pa[i], __VA_ARGS__); \
    }                                                           \
    RECIPE(cut_##D##_##S, #result_view, SOURCES_ONE(view, type), type, result, __VA_ARGS__)
CUT(F64, lane_f64, double, F32, lane_f32, float, a)
CUT(F32, lane_f32, float, F64, lane_f64, double, (float)a)
CUT(F32, lane_f32, float, F16, lane_u32, uint16_t, f32_of_f16(a))
CUT(F16, lane_u32, uint32_t, F32, lane_f32, float, f16_of_f32(a))
CUT(F32, lane_u32, uint32_t, BF16, lane_u32, uint16_t, (uint32_t)a << 16)
CUT(BF16, lane_u32, uint32_t, F32, lane_f32, float, bf16_of_f32(a))
CUT(SAT, lane_f32, float, F32, lane_f32, float, saturated_f32(a))

#define SOURCE_ENTRY(D, result_view, result, twin, S, view, type) [PTX_##S] = cvt_##D##_##S,
#define SOURCE_ENTRY_EACH(...) SOURCE_ENTRY(__VA_ARGS__)
#define SOURCES(D, ...)                                          \
    {                                                            \
        FROM_INTEGERS(SOURCE_ENTRY_EACH, D, 0, 0, 0) __VA_ARGS__ \
    }
#define FROM(S, D) [PTX_##S] = cut_##D##_##S
static op_handler *const plain_table[PTX_TYPE_COUNT][PTX_TYPE_COUNT] = {
    [PTX_U16] = SOURCES(U16),
    [PTX_S16] = SOURCES(S16),
    [PTX_U32] = SOURCES(U32),
    [PTX_S32] = SOURCES(S32),
    [PTX_U64] = SOURCES(U64),
    [PTX_S64] = SOURCES(S64),
    [PTX_F32] = SOURCES(F32, FROM(F64, F32), FROM(F16, F32), FROM(BF16, F32)),
    [PTX_F64] = SOURCES(F64, FROM(F32, F64)),
    [PTX_F16] = {FROM(F32, F16)},
    [PTX_BF16] = {FROM(F32, BF16)}};

/* Whole numbers, by their rounding. Towards zero casts in C are. */
#define WHOLE(mode, whole_f32, whole_f64, f32, f64)                                    \
    CUT(F32##mode, lane_f32, float, F32, lane_f32, float, canonical_f32(whole_f32(a))) \
    CUT(S32##mode, lane_u32, uint32_t, F32, lane_f32, float, cut_s32(no_nan(f32(a))))  \
    CUT(U32##mode, lane_u32, uint32_t, F32, lane_f32, float, cut_u32(no_nan(f32(a))))  \
    CUT(S64##mode, lane_u64, uint64_t, F32, lane_f32, float, cut_s64((double)f32(a)))  \
    CUT(U64##mode, lane_u64, uint64_t, F32, lane_f32, float, cut_u64((double)f32(a)))  \
    CUT(F64##mode, lane_f64, double, F64, lane_f64, double, whole_f64(a))              \
    CUT(S32##mode, lane_u32, uint32_t, F64, lane_f64, double, cut_s32(f64(a)))         \
    CUT(U32##mode, lane_u32, uint32_t, F64, lane_f64, double, cut_u32(f64(a)))         \
    CUT(S64##mode, lane_u64, uint64_t, F64, lane_f64, double, cut_s64(f64(a)))         \
    CUT(U64##mode, lane_u64, uint64_t, F64, lane_f64, double, cut_u64(f64(a)))         \
    static op_handler *const whole##mode[PTX_TYPE_COUNT][PTX_TYPE_COUNT] = {           \
        [PTX_F32] = {FROM(F32, F32##mode)},                                            \
        [PTX_F64] = {FROM(F64, F64##mode)},                                            \
        [PTX_S32] = {FROM(F32, S32##mode), FROM(F64, S32##mode)},                      \
        [PTX_U32] = {FROM(F32, U32##mode), FROM(F64, U32##mode)},                      \
        [PTX_S64] = {FROM(F32, S64##mode), FROM(F64, S64##mode)},                      \
        [PTX_U64] = {FROM(F32, U64##mode), FROM(F64, U64##mode)}};
WHOLE(_rni, rintf, rint, rintf, rint)
WHOLE(_rzi, trunc_f32, trunc_f64, , )
WHOLE(_rmi, floor_f32, floor_f64, floor_f32, floor_f64)
WHOLE(_rpi, ceil_f32, ceil_f64, ceil_f32, ceil_f64)

static op_handler *whole_of(const struct op *op)
{
    return (op->rounding == FE_TONEAREST    ? whole_rni
            : op->rounding == FE_TOWARDZERO ? whole_rzi
            : op->rounding == FE_DOWNWARD   ? whole_rmi
                                            : whole_rpi)[op->type][op->source_type];
}

/* Integers are converted in a type wide enough for all values of signed and unsigned 64-bit
 * types. */
typedef __int128 wide_integer;

static wide_integer read_integer(enum ptx_type type, uint64_t bits)
{
    const int unused = 64 - 8 * (int)ptx_type_size(type);
    if (ptx_type_is_signed(type))
        return (int64_t)(bits << unused) >> unused;
    return bits << unused >> unused;
}

/* The format of the numbers in a type, if it is narrower than single precision; otherwise NULL. */
static const struct minifloat *format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return &f16_format;
    case PTX_BF16:
    case PTX_BF16X2:
        return &bf16_format;
    case PTX_TF32:
        return &tf32_format;
    case PTX_E4M3X2:
        return &e4m3_format;
    case PTX_E5M2X2:
        return &e5m2_format;
    default:
        return NULL;
    }
}

/* If the type is a pair, its lower number is read. */
static double read_real(const struct op *op, uint64_t bits)
{
    const struct minifloat *format = format_of(op->source_type);
    if (format)
        return minifloat_decode(format, (uint32_t)bits);
    if (op->source_type == PTX_F64)
        return f64_of(bits);
    const float x = f32_of((uint32_t)bits);
    return op->ftz ? canonical_f32(flush_f32(x)) : x;
}

static int width_of(enum ptx_type type)
{
    const bool is_2 = type == PTX_U2 || type == PTX_S2, is_4 = type == PTX_U4 || type == PTX_S4;
    return is_2 ? 2 : is_4 ? 4 : 8 * (int)ptx_type_size(type);
}

static wide_integer least_of(enum ptx_type type)
{
    return ptx_type_is_signed(type) ? -((wide_integer)1 << (width_of(type) - 1)) : 0;
}

static wide_integer most_of(enum ptx_type type)
{
    return ((wide_integer)1 << (width_of(type) - ptx_type_is_signed(type))) - 1;
}

static wide_integer clamped(wide_integer x, enum ptx_type type)
{
    const wide_integer least = least_of(type), most = most_of(type);
    return x < least ? least : x > most ? most : x;
}

static double integral(double x, int rounding)
{
    switch (rounding) {
    case FE_TOWARDZERO:
        return trunc(x);
    case FE_DOWNWARD:
        return floor(x);
    case FE_UPWARD:
        return ceil(x);
    default:
        return nearbyint(x);
    }
}

/* A value outside the type becomes the least or greatest value of the type. A NaN becomes 0, or,
 * if it is a double or the result has 64 bits, the highest bit alone (PTX ISA, cvt). */
static uint64_t real_to_integer(const struct op *op, double x)
{
    const enum ptx_type type = op->type;
    if (x != x) {
        const bool top = op->source_type == PTX_F64 || ptx_type_size(type) == 8;
        return top ? UINT64_C(1) << (8 * ptx_type_size(type) - 1) : 0;
    }
    x = integral(x, op->rounding);
    return type == PTX_U64 ? cut_u64(x) : (uint64_t)clamped((int64_t)cut_s64(x), type);
}

/* The integer as a double. What does not fit into 53 bits is not rounded here: the last bit is
 * set if any bit below it was, so that the one rounding to the final type is right. */
static double integer_to_real(wide_integer x)
{
    const wide_integer size = x < 0 ? -x : x;
    wide_integer kept = size;
    if (size >> 53)
        kept = (size >> 11 << 11) | ((size & 0x7FF) != 0 ? 1 << 11 : 0);
    return x < 0 ? -(double)kept : (double)kept;
}

static double finished(const struct op *op, double x)
{
    if (op->sat)
        return x > 1 ? 1 : x > 0 ? x : 0;
    if (op->satfinite) {
        const struct minifloat *format = format_of(op->type);
        const double most = minifloat_decode(format, format->beyond - 1);
        x = x > most ? most : x < -most ? -most : x;
    }
    return op->relu ? relu(x) : x;
}

/* The NaN of a double keeps its sign and the upper bits of its mantissa. */
static uint32_t narrow_nan(const struct minifloat *format, uint64_t bits)
{
    const uint32_t quiet = ((2u << format->exponent) - 1) << (format->mantissa - 1);
    const uint32_t mantissa = bits >> (52 - format->mantissa) & ((1u << format->mantissa) - 1);
    return (uint32_t)(bits >> 63) << 15 | quiet | mantissa;
}

static uint32_t write_half(const struct op *op, const struct minifloat *format, double x)
{
    if (x != x && op->source_type == PTX_F64)
        return narrow_nan(format, bits_of_f64(x));
    return minifloat_encode(format, x, op->rounding);
}

static uint64_t write_real(const struct op *op, double x)
{
    const struct minifloat *format = format_of(op->type);
    x = finished(op, x);
    if (op->type == PTX_F64)
        return bits_of_f64(x);
    if (op->type == PTX_TF32)
        return x == x ? minifloat_encode(format, x, op->rounding) << 13 : 0x7FFFE000;
    if (format)
        return write_half(op, format, x);
    const float single = (float)x; /* rounds as the instruction says: float_wrap_rounding() */
    const float kept = op->ftz ? flush_rounded(single, (float)(x * FLUSH_SCALE)) : single;
    return bits_of_f32(op->source_type == PTX_F64 ? kept : canonical_f32(kept));
}

/* Conversions from f32 or f64 to the same type, and from bf16 to f32, copy bits: even those of a
 * NaN stay. */
static bool moves_bits(const struct op *op)
{
    const bool same = op->type == op->source_type && !format_of(op->type);
    const bool widens = op->type == PTX_F32 && op->source_type == PTX_BF16;
    return (same || widens) && !op->sat && !op->ftz && !op->integral;
}

static uint64_t convert_lane(const struct op *op, uint64_t bits)
{
    if (moves_bits(op))
        return op->type == PTX_F32 && op->source_type == PTX_BF16 ? bits << 16 & UINT32_MAX : bits;
    const bool from_float = ptx_type_is_float(op->source_type);
    if (ptx_type_is_float(op->type)) {
        double x =
            from_float ? read_real(op, bits) : integer_to_real(read_integer(op->source_type, bits));
        if (op->integral)
            x = integral(x, op->rounding);
        return write_real(op, x);
    }
    if (from_float)
        return real_to_integer(op, read_real(op, bits));
    const wide_integer x = read_integer(op->source_type, bits);
    return (uint64_t)(op->sat ? clamped(x, op->type) : x);
}

/* A result narrower than its register is extended as its type asks. */
static uint64_t extended(enum ptx_type type, uint64_t bits)
{
    return ptx_type_is_float(type) ? bits : (uint64_t)read_integer(type, bits);
}

EXECUTOR(convert_any)
{
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1)
            slot_write(warp, op->d, i,
                       extended(op->type, convert_lane(op, slot_read(warp, op->a, i))));
}

/* Conversions to a pair. The source is either two floats, a for the upper half and b for the
 * lower, or another pair. */
EXECUTOR(convert_pair)
{
    const int half = width_of(op->type) / 2;
    EACH_LANE(i, lanes) {
        const uint64_t a = slot_read(warp, op->a, i);
        const bool apart = op->source_type == PTX_F32;
        const uint64_t upper = apart ? a : a >> width_of(op->source_type) / 2;
        const uint64_t lower = apart ? slot_read(warp, op->b, i) : a;
        slot_write(warp, op->d, i,
                   write_real(op, read_real(op, upper)) << half |
                       write_real(op, read_real(op, lower)));
    }
}

/* cvt.pack d, a, b, c: a and b, clamped to the type, become the lowest bits of d, and c is
 * shifted up to make room for them. */
EXECUTOR(convert_packed)
{
    const int width = width_of(op->type);
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    EACH_LANE(i, lanes) {
        const wide_integer a = read_integer(PTX_S32, slot_read(warp, op->a, i));
        const wide_integer b = read_integer(PTX_S32, slot_read(warp, op->b, i));
        const uint64_t c = op->c.present ? slot_read(warp, op->c, i) : 0;
        const uint64_t upper = (uint64_t)clamped(a, op->type) & mask;
        const uint64_t lower = (uint64_t)clamped(b, op->type) & mask;
        slot_write(warp, op->d, i, (uint32_t)(c << 2 * width | upper << width | lower));
    }
}

/* cvt.rna.tf32.f32: half a unit of the last place is added to the bits, and the bits below that
 * place are cleared. In a NaN they are only cleared. */
EXECUTOR(convert_away)
{
    lane_u32 *d = slot_lanes(warp, op->d);
    const lane_u32 *pa = slot_lanes(warp, op->a);
    const uint32_t size = 0x7FFFFFFF, infinity = 0x7F800000;
    FOR_LANES(lanes, const uint32_t a = pa[i];
              const uint32_t cut = ((a & size) < infinity ? a + 0x1000 : a) & 0xFFFFE000;
              d[i] = op->satfinite && (cut & size) >= infinity ? cut - 0x2000 : cut);
}

/* From unsigned integers, rounded down. For these a compiler may emit a subtraction of two
 * doubles, and where results are rounded down, x - x is -0 instead of 0. Therefore the number is
 * converted as a signed one. If it needs 64 bits it is halved first, and its two lowest bits are
 * merged into one, which keeps the rounding right. */
EXECUTOR(unsigned_down)
{
    EACH_LANE(i, lanes) {
        const uint64_t x = slot_read(warp, op->a, i), half = x >> 63;
        const int64_t size = (int64_t)(x >> half | (x & half));
        const int scale = half ? 2 : 1;
        slot_write(warp, op->d, i,
                   op->type == PTX_F32 ? bits_of_f32((float)size * (float)scale)
                                       : bits_of_f64((double)size * scale));
    }
}

static bool is_integral(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_RNI) || ptx_has(instr, MOD_RZI) || ptx_has(instr, MOD_RMI) ||
           ptx_has(instr, MOD_RPI);
}

/* A loop that computes the same; NULL: there is none. */
static op_handler *loop_for(const struct op *op)
{
    const bool single = op->type == PTX_F32 && op->source_type == PTX_F32;
    const bool nearest = op->rounding == FE_TONEAREST, zero = op->rounding == FE_TOWARDZERO;
    if (op->relu || op->satfinite)
        return NULL;
    if (op->integral) /* what .ftz makes zeros of becomes one anyway */
        return op->sat || (op->ftz && !nearest && !zero) ? NULL : whole_of(op);
    if (op->sat || op->ftz)
        return op->sat && !op->ftz && single ? cut_SAT_F32 : NULL;
    op_handler *loop = plain_table[op->type][op->source_type];
    const bool is_u = op->source_type == PTX_U32 || op->source_type == PTX_U64;
    if (loop && is_u && ptx_type_is_float(op->type) && op->rounding == FE_DOWNWARD)
        return unsigned_down;
    return ptx_type_size(op->type) > 2 || nearest ? loop : NULL;
}

static op_handler *handler_of(const struct op *op)
{
    if (ptx_has(op->instr, MOD_RNA))
        return convert_away;
    /* Registers may be wider than the types of the instruction. The loops below need lanes that
     * are as far apart as their type is wide. */
    const size_t source_lane = ptx_type_size(op->source_type) > 4 ? 8 : 4;
    const bool matches =
        op->d.width >= 2 && op->d.width == ptx_type_size(op->type) && op->a.bytes == source_lane;
    op_handler *handler = matches ? loop_for(op) : NULL;
    return handler ? handler : convert_any;
}

/* Two numbers in single precision as a pair of halves: a is the upper one. */
#define PACK(D, ...)                                                                    \
    EXECUTOR(pack_##D)                                                                  \
    {                                                                                   \
        lane_u32 *d = slot_lanes(warp, op->d);                                          \
        TWO(lane_f32)                                                                   \
        SET_LANES(lanes, d, const float a = pa[i]; const float b = pb[i], __VA_ARGS__); \
    }                                                                                   \
    RECIPE(pack_##D, "lane_u32", SOURCES_TWO(lane_f32, float), float, uint32_t, __VA_ARGS__)
PACK(F16, f16_of_f32(a) << 16 | f16_of_f32(b))
PACK(BF16, bf16_of_f32(a) << 16 | bf16_of_f32(b))

static op_handler *pair_handler_of(const struct op *op)
{
    const bool plain = op->source_type == PTX_F32 && op->rounding == FE_TONEAREST && !op->relu &&
                       !op->satfinite && op->a.bytes == 4 && op->b.bytes == 4 && op->d.width == 4;
    return plain && op->type == PTX_F16X2    ? pack_F16
           : plain && op->type == PTX_BF16X2 ? pack_BF16
                                             : convert_pair;
}

void bind_convert(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->type = instr->types[0];
    op->source_type = instr->types[1];
    /* Machine instructions on halves have no .ftz: ptxas drops it from conversions to f16. */
    op->ftz = ptx_has(instr, MOD_FTZ) && op->type != PTX_F16;
    op->sat = ptx_has(instr, MOD_SAT);
    op->relu = ptx_has(instr, MOD_RELU);
    op->rounding = float_rounding(instr);
    op->integral = is_integral(instr);
    op->satfinite = ptx_has(instr, MOD_SATFINITE);
    bind_operands(binder);
    op->handler = ptx_has(instr, MOD_PACK)     ? convert_packed
                  : ptx_type_is_pair(op->type) ? pair_handler_of(op)
                                               : handler_of(op);
    if (!op->integral && !binder->failed)
        float_wrap_rounding(op);
}
