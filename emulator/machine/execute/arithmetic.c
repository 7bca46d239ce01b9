/* SPDX-License-Identifier: MIT */
/* Integer arithmetic. bind_arithmetic(), at the end, also picks the executors of the floats,
 * whose functions are in float.c and half.c. */
#include "machine/execute/lanes.h"
#include "machine/execute/scalar.h"

#define HIGH(a, b)                                                       \
    _Generic((a), uint16_t                                               \
             : (uint64_t)((uint32_t)(a) * (uint32_t)(b)) >> 16, int16_t  \
             : (uint64_t)(((int32_t)(a) * (int32_t)(b)) >> 16), uint32_t \
             : (uint64_t)(a) * (uint64_t)(b) >> 32, int32_t              \
             : (uint64_t)(((int64_t)(a) * (int64_t)(b)) >> 32), uint64_t \
             : high_u64((uint64_t)(a), (uint64_t)(b)), int64_t           \
             : high_s64((int64_t)(a), (int64_t)(b)))

/* The factors are widened to 64 bits first: C would promote narrow ones to int, where the
 * product may overflow. */
#define LOW(a, b) ((U)((uint64_t)(a) * (uint64_t)(b)))

#define IS_SIGNED(type) ((type)-1 < (type)1)
#define MINIMUM_OF(type) ((type)((uint64_t)1 << (8 * sizeof(type) - 1)))

/* On a GPU both the quotient and the remainder of a division by zero have all bits set. */
#define DIVIDE(a, b) \
    ((b) == 0 ? (U)-1 : IS_SIGNED(T) && (b) == (T)-1 ? (U)(0 - (U)(a)) : (U)((a) / (b)))
#define REMAINDER(a, b) ((b) == 0 ? (U)-1 : IS_SIGNED(T) && (b) == (T)-1 ? (U)0 : (U)((a) % (b)))

BINARY(INTEGERS, add, (U)a + (U)b)
BINARY(INTEGERS, sub, (U)a - (U)b)
BINARY(INTEGERS, mul_lo, LOW(a, b))
BINARY(INTEGERS, mul_hi, HIGH(a, b))
TERNARY(INTEGERS, mad_lo, LOW(a, b) + (U)c)
TERNARY(INTEGERS, mad_hi, HIGH(a, b) + (U)c)
LONG_BINARY(INTEGERS, div, DIVIDE(a, b))
LONG_BINARY(INTEGERS, rem, REMAINDER(a, b))
BINARY(INTEGERS, min, a < b ? a : b)
BINARY(INTEGERS, max, a > b ? a : b)
TERNARY(INTEGERS, sad, (U)c + (a < b ? (U)b - (U)a : (U)a - (U)b))
UNARY(SIGNED, neg, 0 - (U)a)
UNARY(SIGNED, abs, a < 0 ? 0 - (U)a : (U)a)

/* Saturation of 32-bit sums. */
static inline int32_t clamp_s32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

#define ONLY_S32(X, ...) X(S32, lane_u32, int32_t, uint32_t, __VA_ARGS__)
BINARY(ONLY_S32, add_sat, clamp_s32((int64_t)a + b))
BINARY(ONLY_S32, sub_sat, clamp_s32((int64_t)a - b))
TERNARY(ONLY_S32, mad_hi_sat, clamp_s32((((int64_t)a * b) >> 32) + c))

/* The .relu forms of min and max raise results below zero to zero. */
BINARY(ONLY_S32, min_relu, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
BINARY(ONLY_S32, max_relu, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

/* Two numbers of 16 bits in one register. */
#define ONLY_S16X2(X, ...) X(S16X2, lane_u32, int16_t, uint16_t, __VA_ARGS__)
#define PAIRS(X, ...) X(U16X2, lane_u32, uint16_t, uint16_t, __VA_ARGS__) ONLY_S16X2(X, __VA_ARGS__)
PAIR(PAIRS, pair_add, a + b)
PAIR(PAIRS, pair_min, a < b ? a : b)
PAIR(PAIRS, pair_max, a > b ? a : b)
PAIR(ONLY_S16X2, pair_min_relu, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
PAIR(ONLY_S16X2, pair_max_relu, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

/* The factors have 24 bits, so the product has 48. */
static inline int64_t factor_s24(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}

static inline int64_t factor_u24(uint32_t x)
{
    return x & 0xFFFFFF;
}

#define PRODUCT_24(a, b)                                                      \
    _Generic((a), uint32_t                                                    \
             : factor_u24((uint32_t)(a)) * factor_u24((uint32_t)(b)), int32_t \
             : factor_s24((int32_t)(a)) * factor_s24((int32_t)(b)))
BINARY(TYPES_32, mul24_lo, PRODUCT_24(a, b))
BINARY(TYPES_32, mul24_hi, PRODUCT_24(a, b) >> 16)
TERNARY(TYPES_32, mad24_lo, (U)PRODUCT_24(a, b) + (U)c)
TERNARY(TYPES_32, mad24_hi, (U)(PRODUCT_24(a, b) >> 16) + (U)c)
TERNARY(ONLY_S32, mad24_hi_sat, clamp_s32((int64_t)(int32_t)(PRODUCT_24(a, b) >> 16) + c))

/* Products twice as wide as their factors. */
/* NOLINTBEGIN(bugprone-macro-parentheses): arguments that are types. */
#define WIDE_FUNCTION(name, view, type, result_view, result, ...)                   \
    EXECUTOR(name)                                                                  \
    {                                                                               \
        result_view *d = slot_lanes(warp, op->d);                                   \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);    \
        const result_view *pc = slot_lanes(warp, op->c);                            \
        SET_LANES(lanes, d, const type a = (type)pa[i]; const type b = (type)pb[i]; \
                  const result c __attribute__((unused)) = pc[i], __VA_ARGS__);     \
    }
#define WIDE_FUNCTIONS(id, view, type, result_view, result)                                 \
    WIDE_FUNCTION(mul_wide_##id, view, type, result_view, result, (result)a *(result)b)     \
    RECIPE(mul_wide_##id, #result_view, SOURCES_TWO(view, type), type, result,              \
           (result)a *(result)b)                                                            \
    WIDE_FUNCTION(mad_wide_##id, view, type, result_view, result, (result)a *(result)b + c) \
    RECIPE(mad_wide_##id, #result_view, SOURCES_MAD(view, type, result_view, result), type, \
           result, (result)a *(result)b + c)
/* NOLINTEND(bugprone-macro-parentheses) */
/* Signed factors are extended by their sign before they are multiplied as unsigned numbers: the
 * lower bits of the product, all that is kept, are the same. */
WIDE_FUNCTIONS(U16, lane_u32, uint16_t, lane_u32, uint32_t)
WIDE_FUNCTIONS(S16, lane_u32, int16_t, lane_u32, uint32_t)
WIDE_FUNCTIONS(U32, lane_u32, uint32_t, lane_u64, uint64_t)
WIDE_FUNCTIONS(S32, lane_u32, int32_t, lane_u64, uint64_t)
static op_handler *const mul_wide_table[PTX_TYPE_COUNT] = {[PTX_U16] = mul_wide_U16,
                                                           [PTX_S16] = mul_wide_S16,
                                                           [PTX_U32] = mul_wide_U32,
                                                           [PTX_S32] = mul_wide_S32};
static op_handler *const mad_wide_table[PTX_TYPE_COUNT] = {[PTX_U16] = mad_wide_U16,
                                                           [PTX_S16] = mad_wide_S16,
                                                           [PTX_U32] = mad_wide_U32,
                                                           [PTX_S32] = mad_wide_S32};

/* Extended precision: each lane has a carry bit in warp->carry, which these sums read, write or
 * both. */
enum { CARRY_IN = 1, CARRY_OUT = 2 };

#define CARRY_FUNCTION(id, view, type, twin, name, overflow, ...)                \
    EXECUTOR(name##_##id)                                                        \
    {                                                                            \
        TYPE_NAMES(type, twin);                                                  \
        view *d = slot_lanes(warp, op->d);                                       \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b); \
        const view *pc = slot_lanes(warp, op->c);                                \
        for (int i = 0; i < WARP_SIZE; i++) {                                    \
            if (!(lanes >> i & 1))                                               \
                continue;                                                        \
            const T a = (T)pa[i], b = (T)pb[i];                                  \
            const U c __attribute__((unused)) = (U)pc[i];                        \
            const U in = op->immediate & CARRY_IN ? warp->carry >> i & 1 : 0;    \
            U sum, x = (U)(__VA_ARGS__);                                         \
            const bool out = overflow;                                           \
            d[i] = sum;                                                          \
            if (op->immediate & CARRY_OUT)                                       \
                warp->carry = (warp->carry & ~(1u << i)) | (uint32_t)out << i;   \
        }                                                                        \
    }
/* First the two operands are added, then the carry. Either step may overflow, but never both. */
#define CARRY_ADD(y) __builtin_add_overflow(x, (U)(y), &sum) | __builtin_add_overflow(sum, in, &sum)
#define CARRY_SUB(y) __builtin_sub_overflow(x, (U)(y), &sum) | __builtin_sub_overflow(sum, in, &sum)
#define TYPES_CARRY(X, ...) TYPES_32(X, __VA_ARGS__) TYPES_64(X, __VA_ARGS__)
#define CARRY(name, overflow, ...) \
    TYPES_CARRY(CARRY_FUNCTION, name, overflow, __VA_ARGS__) TABLE(TYPES_CARRY, name)
CARRY(carry_add, CARRY_ADD(b), a)
CARRY(carry_sub, CARRY_SUB(b), a)
CARRY(carry_mad_lo, CARRY_ADD(c), LOW(a, b))
CARRY(carry_mad_hi, CARRY_ADD(c), HIGH(a, b))

/* The saturating forms read the carry and leave it as it is. */
#define CARRY_OF_LANE (warp->carry >> i & 1)
BINARY(ONLY_S32, carry_add_sat, clamp_s32((int64_t)a + b + CARRY_OF_LANE))
BINARY(ONLY_S32, carry_sub_sat, clamp_s32((int64_t)a - b - CARRY_OF_LANE))

/* Dot products of bytes, or of halves with bytes. */
static void dot_product(struct warp *warp, const struct op *op, uint32_t lanes, int terms,
                        int bits_a, int first_b)
{
    const bool signed_a = ptx_type_is_signed(op->instr->types[0]);
    const bool signed_b = ptx_type_is_signed(op->instr->types[1]);
    lane_u32 *d = slot_lanes(warp, op->d);
    const lane_u32 *a = slot_lanes(warp, op->a), *b = slot_lanes(warp, op->b);
    const lane_u32 *c = slot_lanes(warp, op->c);
    EACH_LANE(i, lanes) {
        int64_t sum = c[i];
        for (int k = 0; k < terms; k++)
            sum += lane_part(a[i], k, bits_a, signed_a) * lane_part(b[i], first_b + k, 8, signed_b);
        d[i] = (uint32_t)sum;
    }
}

EXECUTOR(dp4a)
{
    dot_product(warp, op, lanes, 4, 8, 0);
}

EXECUTOR(dp2a)
{
    dot_product(warp, op, lanes, 2, 16, ptx_has(op->instr, MOD_HI) ? 2 : 0);
}

static const handler_tables plain_tables = {
    [OP_ADD] = add_table, [OP_SUB] = sub_table, [OP_DIV] = div_table,
    [OP_REM] = rem_table, [OP_MIN] = min_table, [OP_MAX] = max_table,
    [OP_SAD] = sad_table, [OP_NEG] = neg_table, [OP_ABS] = abs_table,
};
static const handler_tables relu_tables = {[OP_MIN] = min_relu_table, [OP_MAX] = max_relu_table};
static const handler_tables pair_tables = {
    [OP_ADD] = pair_add_table, [OP_MIN] = pair_min_table, [OP_MAX] = pair_max_table};
static const handler_tables pair_relu_tables = {
    [OP_MIN] = pair_min_relu_table, [OP_MAX] = pair_max_relu_table};
/* .lo, .hi and .wide. */
static const handler_tables product_tables[] = {
    {[OP_MUL] = mul_lo_table,
     [OP_MAD] = mad_lo_table,
     [OP_MUL24] = mul24_lo_table,
     [OP_MAD24] = mad24_lo_table},
    {[OP_MUL] = mul_hi_table,
     [OP_MAD] = mad_hi_table,
     [OP_MUL24] = mul24_hi_table,
     [OP_MAD24] = mad24_hi_table},
    {[OP_MUL] = mul_wide_table, [OP_MAD] = mad_wide_table}};
static const handler_tables saturating_tables = {
    [OP_ADD] = add_sat_table,        [OP_SUB] = sub_sat_table,    [OP_ADDC] = carry_add_sat_table,
    [OP_SUBC] = carry_sub_sat_table, [OP_MAD] = mad_hi_sat_table, [OP_MAD24] = mad24_hi_sat_table,
};
/* Sums; mad.lo; mad.hi. */
static const handler_tables carry_tables[] = {
    {[OP_ADD] = carry_add_table,
     [OP_ADDC] = carry_add_table,
     [OP_SUB] = carry_sub_table,
     [OP_SUBC] = carry_sub_table},
    {[OP_MAD] = carry_mad_lo_table, [OP_MADC] = carry_mad_lo_table},
    {[OP_MAD] = carry_mad_hi_table, [OP_MADC] = carry_mad_hi_table}};

static bool takes_carry(const struct ptx_instr *instr)
{
    return instr->opcode == OP_ADDC || instr->opcode == OP_SUBC || instr->opcode == OP_MADC;
}

static bool is_carrying(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_CC) || takes_carry(instr);
}

static const handler_tables *tables_of(const struct ptx_instr *instr)
{
    const bool pair = ptx_type_of(instr) == PTX_U16X2 || ptx_type_of(instr) == PTX_S16X2;
    const int half = ptx_has(instr, MOD_LO) ? 1 : ptx_has(instr, MOD_HI) ? 2 : 0;
    if (ptx_has(instr, MOD_SAT))
        return &saturating_tables;
    if (is_carrying(instr))
        return &carry_tables[half];
    if (half > 0)
        return &product_tables[half - 1];
    if (ptx_has(instr, MOD_WIDE))
        return &product_tables[2];
    if (ptx_has(instr, MOD_RELU))
        return pair ? &pair_relu_tables : &relu_tables;
    return pair ? &pair_tables : &plain_tables;
}

static void bind_integer(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    bind_operands(binder);
    if (instr->opcode == OP_DP4A || instr->opcode == OP_DP2A) {
        op->handler = instr->opcode == OP_DP4A ? dp4a : dp2a;
        return;
    }
    op->handler = handler_of_type((*tables_of(instr))[instr->opcode], ptx_type_of(instr));
    if (!is_carrying(instr))
        return;
    op->immediate = (takes_carry(instr) ? CARRY_IN : 0) | (ptx_has(instr, MOD_CC) ? CARRY_OUT : 0);
    if (!op->c.present)
        op->c = op->b; /* the function reads it and does not use it */
}

void bind_arithmetic(struct binder *binder)
{
    switch (ptx_type_of(binder->instr)) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
        bind_half(binder);
        break;
    case PTX_F32:
    case PTX_F64:
        bind_float(binder);
        break;
    default:
        bind_integer(binder);
    }
}
