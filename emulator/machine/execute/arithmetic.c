/* SPDX-License-Identifier: MIT */
/* Integer arithmetic, and which file executes the rest of the family. */
#include "machine/execute/lanes.h"

/* The upper half of a product. */
static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t high_s64(int64_t a, int64_t b)
{
    return (uint64_t)((unsigned __int128)((__int128)a * b) >> 64);
}

#define HIGH(a, b)                                                       \
    _Generic((a), uint16_t                                               \
             : (uint64_t)((uint32_t)(a) * (uint32_t)(b)) >> 16, int16_t  \
             : (uint64_t)(((int32_t)(a) * (int32_t)(b)) >> 16), uint32_t \
             : (uint64_t)(a) * (uint64_t)(b) >> 32, int32_t              \
             : (uint64_t)(((int64_t)(a) * (int64_t)(b)) >> 32), uint64_t \
             : high_u64((uint64_t)(a), (uint64_t)(b)), int64_t           \
             : high_s64((int64_t)(a), (int64_t)(b)))

/* Products in a type that neither promotes to a signed one nor overflows. */
#define LOW(a, b) ((U)((uint64_t)(a) * (uint64_t)(b)))

#define IS_SIGNED(type) ((type)-1 < (type)1)
#define MINIMUM_OF(type) ((type)((uint64_t)1 << (8 * sizeof(type) - 1)))

/* As the GPU has it: all ones for a division by zero, and for its remainder. */
#define DIVIDE(a, b) \
    ((b) == 0 ? (U)-1 : IS_SIGNED(T) && (b) == (T)-1 ? (U)(0 - (U)(a)) : (U)((a) / (b)))
#define REMAINDER(a, b) ((b) == 0 ? (U)-1 : IS_SIGNED(T) && (b) == (T)-1 ? (U)0 : (U)((a) % (b)))

BINARY(INTEGERS, add, (U)a + (U)b)
BINARY(INTEGERS, sub, (U)a - (U)b)
BINARY(INTEGERS, mul_lo, LOW(a, b))
BINARY(INTEGERS, mul_hi, HIGH(a, b))
TERNARY(INTEGERS, mad_lo, LOW(a, b) + (U)c)
TERNARY(INTEGERS, mad_hi, HIGH(a, b) + (U)c)
BINARY(INTEGERS, div, DIVIDE(a, b))
BINARY(INTEGERS, rem, REMAINDER(a, b))
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

/* Relu forms of min and max: not below zero. */
BINARY(ONLY_S32, min_relu, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
BINARY(ONLY_S32, max_relu, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

/* Pairs. */
#define ONLY_S16X2(X, ...) X(S16X2, lane_u32, int16_t, uint16_t, __VA_ARGS__)
#define PAIRS(X, ...) X(U16X2, lane_u32, uint16_t, uint16_t, __VA_ARGS__) ONLY_S16X2(X, __VA_ARGS__)
PAIR(PAIRS, pair_add, a + b)
PAIR(PAIRS, pair_min, a < b ? a : b)
PAIR(PAIRS, pair_max, a > b ? a : b)
PAIR(ONLY_S16X2, pair_min_relu, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
PAIR(ONLY_S16X2, pair_max_relu, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

/* 24-bit factors: 48-bit products. */
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
#define WIDE_FUNCTIONS(id, view, type, result_view, result)                         \
    EXECUTOR(mul_wide_##id)                                                         \
    {                                                                               \
        result_view *d = slot_lanes(warp, op->d);                                   \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);    \
        FOR_LANES(lanes, d[i] = (result)(type)pa[i] * (result)(type)pb[i]);         \
    }                                                                               \
    EXECUTOR(mad_wide_##id)                                                         \
    {                                                                               \
        result_view *d = slot_lanes(warp, op->d);                                   \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);    \
        const result_view *pc = slot_lanes(warp, op->c);                            \
        FOR_LANES(lanes, d[i] = (result)(type)pa[i] * (result)(type)pb[i] + pc[i]); \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
/* The sign extension of a factor makes the unsigned product right. */
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

/* Extended precision: sums that take and leave a carry, by lane, in the condition code. */
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
/* Two steps: both may carry, but never both at once. */
#define CARRY_ADD(y) __builtin_add_overflow(x, (U)(y), &sum) | __builtin_add_overflow(sum, in, &sum)
#define CARRY_SUB(y) __builtin_sub_overflow(x, (U)(y), &sum) | __builtin_sub_overflow(sum, in, &sum)
#define TYPES_CARRY(X, ...) TYPES_32(X, __VA_ARGS__) TYPES_64(X, __VA_ARGS__)
#define CARRY(name, overflow, ...) \
    TYPES_CARRY(CARRY_FUNCTION, name, overflow, __VA_ARGS__) TABLE(TYPES_CARRY, name)
CARRY(carry_add, CARRY_ADD(b), a)
CARRY(carry_sub, CARRY_SUB(b), a)
CARRY(carry_mad_lo, CARRY_ADD(c), LOW(a, b))
CARRY(carry_mad_hi, CARRY_ADD(c), HIGH(a, b))

/* Saturated, they take a carry and leave none. */
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

static void bind_dot_product(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    bind_plain(binder, 3);
    binder->op->handler = instr->opcode == OP_DP4A ? dp4a : dp2a;
}

/* Which half of a product? */
static op_handler *const *by_half(struct binder *binder, op_handler *const *lo,
                                  op_handler *const *hi, op_handler *const *wide)
{
    static op_handler *const none[PTX_TYPE_COUNT];
    if (ptx_has(binder->instr, MOD_LO))
        return lo;
    if (ptx_has(binder->instr, MOD_HI))
        return hi;
    return ptx_has(binder->instr, MOD_WIDE) && wide ? wide : none;
}

static op_handler *const *carry_table_of(struct binder *binder)
{
    switch (binder->instr->opcode) {
    case OP_ADD:
    case OP_ADDC:
        return carry_add_table;
    case OP_SUB:
    case OP_SUBC:
        return carry_sub_table;
    default:
        return by_half(binder, carry_mad_lo_table, carry_mad_hi_table, NULL);
    }
}

static op_handler *const *saturating_table_of(struct binder *binder)
{
    static op_handler *const none[PTX_TYPE_COUNT];
    switch (binder->instr->opcode) {
    case OP_ADDC:
        return carry_add_sat_table;
    case OP_SUBC:
        return carry_sub_sat_table;
    case OP_ADD:
        return add_sat_table;
    case OP_SUB:
        return sub_sat_table;
    case OP_MAD:
        return by_half(binder, none, mad_hi_sat_table, NULL);
    case OP_MAD24:
        return by_half(binder, none, mad24_hi_sat_table, NULL);
    default:
        return none;
    }
}

static op_handler *const *pair_table_of(const struct ptx_instr *instr)
{
    const bool relu = ptx_has(instr, MOD_RELU);
    switch (instr->opcode) {
    case OP_MIN:
        return relu ? pair_min_relu_table : pair_min_table;
    case OP_MAX:
        return relu ? pair_max_relu_table : pair_max_table;
    default:
        return pair_add_table;
    }
}

static op_handler *const *table_of(struct binder *binder)
{
    static op_handler *const none[PTX_TYPE_COUNT];
    const bool relu = ptx_has(binder->instr, MOD_RELU);
    switch (binder->instr->opcode) {
    case OP_ADD:
        return add_table;
    case OP_SUB:
        return sub_table;
    case OP_MUL:
        return by_half(binder, mul_lo_table, mul_hi_table, mul_wide_table);
    case OP_MAD:
        return by_half(binder, mad_lo_table, mad_hi_table, mad_wide_table);
    case OP_MUL24:
        return by_half(binder, mul24_lo_table, mul24_hi_table, NULL);
    case OP_MAD24:
        return by_half(binder, mad24_lo_table, mad24_hi_table, NULL);
    case OP_DIV:
        return div_table;
    case OP_REM:
        return rem_table;
    case OP_MIN:
        return relu ? min_relu_table : min_table;
    case OP_MAX:
        return relu ? max_relu_table : max_table;
    case OP_SAD:
        return sad_table;
    case OP_NEG:
        return neg_table;
    case OP_ABS:
        return abs_table;
    default:
        return none;
    }
}

static int sources_of(const struct ptx_instr *instr)
{
    return instr->operand_count - 1;
}

static bool is_carrying(const struct ptx_instr *instr)
{
    return ptx_has(instr, MOD_CC) || instr->opcode == OP_ADDC || instr->opcode == OP_SUBC ||
           instr->opcode == OP_MADC;
}

static void bind_wide(struct binder *binder)
{
    const size_t bytes = lane_bytes(ptx_type_of(binder->instr));
    const size_t wide = 2 * ptx_type_size(ptx_type_of(binder->instr)) > 4 ? 8 : 4;
    bind_destination(binder, &binder->op->d, 0, wide);
    bind_source(binder, &binder->op->a, 1, bytes);
    bind_source(binder, &binder->op->b, 2, bytes);
    if (binder->instr->opcode == OP_MAD)
        bind_source(binder, &binder->op->c, 3, wide);
}

static void bind_integer(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    if (instr->opcode == OP_DP4A || instr->opcode == OP_DP2A) {
        bind_dot_product(binder);
        return;
    }
    op_handler *const *table;
    if (ptx_has(instr, MOD_SAT)) {
        table = saturating_table_of(binder);
    } else if (is_carrying(instr)) {
        table = carry_table_of(binder);
        const bool in =
            instr->opcode == OP_ADDC || instr->opcode == OP_SUBC || instr->opcode == OP_MADC;
        op->immediate = (in ? CARRY_IN : 0) | (ptx_has(instr, MOD_CC) ? CARRY_OUT : 0);
    } else {
        const enum ptx_type type = ptx_type_of(instr);
        const bool pair = type == PTX_U16X2 || type == PTX_S16X2;
        table = pair ? pair_table_of(instr) : table_of(binder);
    }
    op->handler = table[ptx_type_of(instr)];
    if (!op->handler)
        bind_refuse(binder, NULL);
    else if (ptx_has(instr, MOD_WIDE))
        bind_wide(binder);
    else
        bind_plain(binder, sources_of(instr));
    if (is_carrying(instr) && !op->c.present)
        op->c = op->b; /* read, not used */
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
