/* SPDX-License-Identifier: MIT */
/* Bits: logic, shifts, counting, fields, permutation. */
#include "machine/execute/lanes.h"

BINARY(BIT_TYPES, and, a &b)
BINARY(BIT_TYPES, or, a | b)
BINARY(BIT_TYPES, xor, a ^ b)
UNARY(BIT_TYPES, not, ~a)
UNARY(BIT_TYPES, cnot, a == 0)

/* Shift amounts greater than the width of the type act like the width. */
SHIFT(SHIFT_TYPES, shl, b >= WIDTH ? 0 : (U)a << b)
SHIFT(SHIFT_TYPES, shr,
      (T)-1 < (T)1 ? (U)(a >> (b >= WIDTH ? WIDTH - 1 : b)) : (U)(b >= WIDTH ? 0 : (U)a >> b))

COUNT(BITS_32_64, popc, __builtin_popcountll(a))
COUNT(BITS_32_64, clz, a == 0 ? 8 * sizeof(T) : (size_t)__builtin_clzll(a) - (64 - 8 * sizeof(T)))

static inline uint64_t reversed(uint64_t x, unsigned width)
{
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0F0F0F0F0F0F0F0F)) | (x & UINT64_C(0x0F0F0F0F0F0F0F0F)) << 4;
    return __builtin_bswap64(x) >> (64 - width);
}
LONG_UNARY(BITS_32_64, brev, reversed(a, 8 * sizeof(T)))

/* The position of the highest bit that differs from the sign bit; 0xFFFFFFFF where no bit does. */
#define IS_SIGNED(type) ((type)-1 < (type)1)
static inline uint32_t highest_bit(uint64_t x)
{
    return x == 0 ? UINT32_MAX : 63 - (uint32_t)__builtin_clzll(x);
}

static inline uint32_t shift_amount(uint32_t highest, uint32_t width)
{
    return highest == UINT32_MAX ? highest : width - 1 - highest;
}
#define SIGNIFICANT(a) \
    ((uint64_t)(U)(IS_SIGNED(T) && (U)(a) >> (8 * sizeof(T) - 1) ? ~(U)(a) : (U)(a)))
#define TYPES_32_64(X, ...) TYPES_32(X, __VA_ARGS__) TYPES_64(X, __VA_ARGS__)
COUNT(TYPES_32_64, bfind, highest_bit(SIGNIFICANT(a)))
COUNT(TYPES_32_64, bfind_shift, shift_amount(highest_bit(SIGNIFICANT(a)), 8 * sizeof(T)))

static inline uint64_t low_ones(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* bfe and bfi take the lowest byte of a position or length (PTX ISA). For 64-bit values ptxas
 * makes them out of shifts, and those take the whole number. */
#define WITHIN(T, amount) (sizeof(T) == 8 ? (amount) : (amount)&0xFF)

/* The field of `length` bits at `position`. The caller has extended x to 64 bits as its type
 * asks. If `is_signed`, the highest bit of the field fills the bits above it. */
static inline uint64_t field(int64_t x, uint32_t position, uint32_t length, bool is_signed)
{
    const uint32_t amount = position < 63 ? position : 63;
    const uint64_t ones = low_ones(length);
    uint64_t kept = is_signed ? (uint64_t)(x >> amount) : (uint64_t)x >> amount;
    kept = !is_signed && position > 63 ? 0 : kept & ones;
    const bool extends = is_signed && length - 1 < 64 && kept >> (length - 1) & 1;
    return extends ? kept | ~ones : kept;
}

#define BFE_FUNCTION(id, view, type, twin, name, ...)                                  \
    EXECUTOR(name##_##id)                                                              \
    {                                                                                  \
        view *d = slot_lanes(warp, op->d);                                             \
        const view *pa = slot_lanes(warp, op->a);                                      \
        const lane_u32 *pb = slot_lanes(warp, op->b), *pc = slot_lanes(warp, op->c);   \
        FOR_LANES(lanes, d[i] = (twin)field((int64_t)(type)pa[i], WITHIN(type, pb[i]), \
                                            WITHIN(type, pc[i]), IS_SIGNED(type)));    \
    }
TYPES_32_64(BFE_FUNCTION, bfe, 0)
TABLE(TYPES_32_64, bfe)

static inline uint64_t inserted(uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
    if (position > 63)
        return b;
    const uint64_t ones = low_ones(length);
    return (b & ~(ones << position)) | ((a & ones) << position);
}

#define BFI_FUNCTION(id, view, type, twin, name, ...)                                             \
    EXECUTOR(name##_##id)                                                                         \
    {                                                                                             \
        view *d = slot_lanes(warp, op->d);                                                        \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);                  \
        const lane_u32 *pc = slot_lanes(warp, op->c), *pe = slot_lanes(warp, op->e);              \
        FOR_LANES(lanes,                                                                          \
                  d[i] = (twin)inserted(pa[i], pb[i], WITHIN(type, pc[i]), WITHIN(type, pe[i]))); \
    }
BITS_32_64(BFI_FUNCTION, bfi, 0)
TABLE(BITS_32_64, bfi)

/* A funnel shift of the 64 bits b:a. A left shift gives the upper word, a right shift the lower
 * one. */
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t amount)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    return (uint32_t)(both >> (32 - amount));
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t amount)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    return (uint32_t)(both >> amount);
}
#define ONLY_B32(X, ...) X(B32, lane_u32, uint32_t, uint32_t, __VA_ARGS__)
#define CLAMPED(c) ((c) > 32 ? 32 : (c))
TERNARY(ONLY_B32, shf_l_wrap, funnel_left(a, b, c & 31))
TERNARY(ONLY_B32, shf_r_wrap, funnel_right(a, b, c & 31))
TERNARY(ONLY_B32, shf_l_clamp, funnel_left(a, b, CLAMPED(c)))
TERNARY(ONLY_B32, shf_r_clamp, funnel_right(a, b, CLAMPED(c)))

/* bmsk: `b` ones from bit `a` up. szext: the bits from `b` on become copies of the sign, or
 * zero. */
static inline uint32_t masked(uint32_t a, uint32_t b, bool wrap)
{
    const uint32_t position = wrap ? a & 31 : a, width = wrap ? b & 31 : b;
    const uint64_t ones = width >= 32 ? UINT32_MAX : (UINT64_C(1) << width) - 1;
    return position >= 32 ? 0 : (uint32_t)(ones << position);
}
BINARY(ONLY_B32, bmsk_wrap, masked(a, b, true))
BINARY(ONLY_B32, bmsk_clamp, masked(a, b, false))

static inline uint32_t extended(uint32_t a, uint32_t b, bool wrap, bool is_signed)
{
    const uint32_t width = wrap ? b & 31 : b;
    if (width == 0)
        return 0;
    if (width >= 32)
        return a;
    const uint32_t mask = (1u << width) - 1;
    return is_signed && a >> (width - 1) & 1 ? a | ~mask : a & mask;
}
BINARY(TYPES_32, szext_wrap, extended((U)a, (U)b, true, IS_SIGNED(T)))
BINARY(TYPES_32, szext_clamp, extended((U)a, (U)b, false, IS_SIGNED(T)))

/* The position of the `offset`-th set bit, counted from bit `base`: up if `offset` is positive,
 * down if it is negative. */
static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    int32_t left = offset < 0 ? -(offset + 1) : offset > 0 ? offset - 1 : 0;
    if (offset == INT32_MIN)
        return 0; /* as an H200 answers */
    if (offset == 0)
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    for (int32_t i = (int32_t)(base & 31); i >= 0 && i < 32; i += offset < 0 ? -1 : 1)
        if (mask >> i & 1 && left-- == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}
LONG_TERNARY(ONLY_B32, fns, find_nth_set(a, b, (int32_t)c))

EXECUTOR(lop3_B32)
{
    lane_u32 *d = slot_lanes(warp, op->d);
    const lane_u32 *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);
    const lane_u32 *pc = slot_lanes(warp, op->c);
    uint32_t minterm[8];
    for (int k = 0; k < 8; k++)
        minterm[k] = op->immediate >> k & 1 ? UINT32_MAX : 0;
        /* Bit k of the table is the result where the bits of a, b and c, read as a number, are
         * k. */
#define TERM(k) (minterm[k] & ((k)&4 ? a : ~a) & ((k)&2 ? b : ~b) & ((k)&1 ? c : ~c))
    FOR_LANES(lanes, const uint32_t a = pa[i]; const uint32_t b = pb[i]; const uint32_t c = pc[i];
              d[i] = TERM(0) | TERM(1) | TERM(2) | TERM(3) | TERM(4) | TERM(5) | TERM(6) | TERM(7));
#undef TERM
}
TABLE(ONLY_B32, lop3)

/* For each mode with a fixed pattern and each value of the lowest two bits of c: which byte of
 * b:a goes to each byte of the result. */
static uint32_t permute_selector(const struct ptx_instr *instr, uint32_t c)
{
    static const uint16_t patterns[][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e: four bytes, forward */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e: backward */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8: one byte, everywhere */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl: edge clamp left */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr: right */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16: one half, twice */
    };
    for (int mode = MOD_F4E; mode <= MOD_RC16; mode++)
        if (ptx_has(instr, (enum modifier)mode))
            return patterns[mode - MOD_F4E][c & 3];
    return c;
}

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t choice = selector >> (4 * k);
        const uint32_t byte = bytes >> (8 * (choice & 7)) & 0xFF;
        const uint32_t sign = byte & 0x80 ? 0xFF : 0;
        result |= (choice & 8 ? sign : byte) << (8 * k);
    }
    return result;
}

LONG_TERNARY(ONLY_B32, prmt, permuted(a, b, permute_selector(op->instr, c)))

/* A predicate register is a mask with a bit for each lane, so one operation does all lanes. */
#define PREDICATE(name, expression)                                                      \
    EXECUTOR(name##_predicate)                                                           \
    {                                                                                    \
        const uint32_t a = slot_predicate(warp, op->a), b = slot_predicate(warp, op->b); \
        slot_set_predicate(warp, op->d, lanes, expression);                              \
    }
PREDICATE(and, a &b)
PREDICATE(or, a | b)
PREDICATE(xor, a ^ b)
PREDICATE(not, ~(a &b)) /* its b is a as well */

static op_handler *const predicate_table[OPCODE_COUNT] = {
    [OP_AND] = and_predicate,
    [OP_OR] = or_predicate,
    [OP_XOR] = xor_predicate,
    [OP_NOT] = not_predicate,
};

static const handler_tables tables = {
    [OP_AND] = and_table,   [OP_OR] = or_table,     [OP_XOR] = xor_table,   [OP_NOT] = not_table,
    [OP_CNOT] = cnot_table, [OP_SHL] = shl_table,   [OP_SHR] = shr_table,   [OP_BREV] = brev_table,
    [OP_BFE] = bfe_table,   [OP_BFI] = bfi_table,   [OP_FNS] = fns_table,   [OP_POPC] = popc_table,
    [OP_CLZ] = clz_table,   [OP_LOP3] = lop3_table, [OP_PRMT] = prmt_table,
};

static op_handler *const *table_of(const struct ptx_instr *instr)
{
    const bool left = ptx_has(instr, MOD_L), clamp = ptx_has(instr, MOD_CLAMP);
    switch (instr->opcode) {
    case OP_SHF:
        if (clamp)
            return left ? shf_l_clamp_table : shf_r_clamp_table;
        return left ? shf_l_wrap_table : shf_r_wrap_table;
    case OP_BMSK:
        return clamp ? bmsk_clamp_table : bmsk_wrap_table;
    case OP_SZEXT:
        return clamp ? szext_clamp_table : szext_wrap_table;
    case OP_BFIND:
        return ptx_has(instr, MOD_SHIFTAMT) ? bfind_shift_table : bfind_table;
    default:
        return tables[instr->opcode];
    }
}

void bind_bits(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    const enum ptx_type type = ptx_type_of(instr);
    struct op *op = binder->op;
    bind_operands(binder);
    op->handler =
        type == PTX_PRED ? predicate_table[instr->opcode] : handler_of_type(table_of(instr), type);
    if (instr->opcode == OP_LOP3)
        op->immediate = (uint32_t)instr->operands[4].bits & 0xFF;
    if (!op->b.present)
        op->b = op->a; /* for not_predicate, which reads both */
}
