/* SPDX-License-Identifier: MIT */
/* Comparison, selection and tests. The result of a comparison is a mask with a bit for each
 * lane. */
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "machine/execute/float.h"
#include "machine/execute/lanes.h"

#include <math.h>

/* The bits of as many lanes as the CPU turns into bits at once; a lane is -1 or 0. */
#if defined(__AVX512DQ__)
enum { BITS_AT_ONCE = 16 };
#define BITS_OF(lanes) (uint32_t) _mm512_movepi32_mask(_mm512_load_si512(lanes))
#elif defined(__AVX2__)
enum { BITS_AT_ONCE = 8 };
#define BITS_OF(lanes) (uint32_t) _mm256_movemask_ps(_mm256_load_ps((const float *)(lanes)))
#else
enum { BITS_AT_ONCE = WARP_SIZE };
static inline uint32_t bits_of(const int32_t *lanes)
{
    uint32_t bits = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        bits |= (uint32_t)lanes[i] & bit_of_lane[i];
    return bits;
}
#define BITS_OF bits_of
#endif

#define COMPARE_FUNCTION(id, view, type, twin, name, ...)                                       \
    static uint32_t name##_##id(const struct warp *warp, const struct op *op)                   \
    {                                                                                           \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);                \
        uint32_t mask = 0;                                                                      \
        for (int h = 0; h < WARP_SIZE; h += BITS_AT_ONCE) {                                     \
            _Alignas(64) int32_t yes[BITS_AT_ONCE];                                             \
            _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int i = 0; i < BITS_AT_ONCE; i++) \
            {                                                                                   \
                const type a = LOADED(type, pa[h + i]), b = LOADED(type, pb[h + i]);            \
                yes[i] = (__VA_ARGS__) ? -1 : 0;                                                \
            }                                                                                   \
            mask |= BITS_OF(yes) << h;                                                          \
        }                                                                                       \
        return mask;                                                                            \
    }                                                                                           \
    RECIPE(name##_##id, "", SOURCES_TWO(view, type), type, twin, __VA_ARGS__)
#define LOADED(type, x) \
    _Generic((type)0, float : op->ftz ? flush_f32((float)(x)) : (float)(x), default : (type)(x))

#define FLOATS(X, ...) \
    X(F32, lane_f32, float, float, __VA_ARGS__) X(F64, lane_f64, double, double, __VA_ARGS__)
#define ALL_TYPES(X, ...) INTEGERS(X, __VA_ARGS__) BIT_TYPES(X, __VA_ARGS__) FLOATS(X, __VA_ARGS__)
#define ORDERED_TYPES(X, ...) INTEGERS(X, __VA_ARGS__) FLOATS(X, __VA_ARGS__)
#define UNSIGNED_TYPES(X, ...)                        \
    X(U16, lane_u32, uint16_t, uint16_t, __VA_ARGS__) \
    X(U32, lane_u32, uint32_t, uint32_t, __VA_ARGS__) \
    X(U64, lane_u64, uint64_t, uint64_t, __VA_ARGS__)

/* X(modifier, types, expression). A comparison of floats with a NaN is false in the plain form,
 * and true in the ...u form. */
#define COMPARISONS(X)                \
    X(EQ, ALL_TYPES, a == b)          \
    X(NE, ALL_TYPES, a<b || a> b)     \
    X(LT, ORDERED_TYPES, a < b)       \
    X(LE, ORDERED_TYPES, a <= b)      \
    X(GT, ORDERED_TYPES, a > b)       \
    X(GE, ORDERED_TYPES, a >= b)      \
    X(LO, UNSIGNED_TYPES, a < b)      \
    X(LS, UNSIGNED_TYPES, a <= b)     \
    X(HI, UNSIGNED_TYPES, a > b)      \
    X(HS, UNSIGNED_TYPES, a >= b)     \
    X(EQU, FLOATS, !(a < b || a > b)) \
    X(NEU, FLOATS, a != b)            \
    X(LTU, FLOATS, !(a >= b))         \
    X(LEU, FLOATS, !(a > b))          \
    X(GTU, FLOATS, !(a <= b))         \
    X(GEU, FLOATS, !(a < b))          \
    X(NUM, FLOATS, a == a && b == b)  \
    X(NAN, FLOATS, a != a || b != b)

#define DEFINE(id, types, ...) types(COMPARE_FUNCTION, compare_##id, __VA_ARGS__)
COMPARISONS(DEFINE)
#undef DEFINE

static const struct {
    enum modifier modifier;
    comparison *of_type[PTX_TYPE_COUNT];
} comparisons[] = {
#define ROW(id, types, ...) {MOD_##id, {types(TABLE_ENTRY, compare_##id, 0)}},
    COMPARISONS(ROW)
#undef ROW
};

static double half_source(const struct op *op, const struct minifloat *format, uint32_t bits)
{
    return minifloat_decode(format, minifloat_flush(format, op->ftz, bits & 0xFFFF));
}

/* A half fits exactly into a double, so halves are compared as doubles. The widened operands are
 * put into two arrays, and the function for doubles reads them from there. */
static uint32_t compare_halves(struct warp *warp, const struct op *op, unsigned shift)
{
    const bool brain = op->type == PTX_BF16 || op->type == PTX_BF16X2;
    const struct minifloat *format = brain ? &bf16_format : &f16_format;
    const lane_u32 *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b);
    lane_f64 values[2][WARP_SIZE];
    for (int i = 0; i < WARP_SIZE; i++) {
        values[0][i] = half_source(op, format, pa[i] >> shift);
        values[1][i] = half_source(op, format, pb[i] >> shift);
    }
    /* For this one call the file FILE_POOL, out of which `wide` reads, is the two arrays. */
    struct op wide = *op;
    char *const pool = warp->base[FILE_POOL];
    warp->base[FILE_POOL] = (char *)values;
    wide.a = (struct slot){.file = FILE_POOL, .bytes = 8, .present = true};
    wide.b =
        (struct slot){.file = FILE_POOL, .offset = sizeof values[0], .bytes = 8, .present = true};
    const uint32_t mask = op->compare(warp, &wide);
    warp->base[FILE_POOL] = pool;
    return mask;
}

static bool is_half(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
}

static uint32_t compared(struct warp *warp, const struct op *op)
{
    return is_half(op->type) ? compare_halves(warp, op, 0) : op->compare(warp, op);
}

/* The third source, if there is one, is combined with the result. */
static uint32_t joined(const struct warp *warp, const struct op *op, uint32_t mask)
{
    if (!op->c.present)
        return mask;
    const uint32_t c = slot_predicate(warp, op->c);
    switch (op->immediate) {
    case MOD_AND:
        return mask & c;
    case MOD_OR:
        return mask | c;
    default:
        return mask ^ c;
    }
}

EXECUTOR(setp_plain)
{
    slot_set_predicate(warp, op->d, lanes, op->compare(warp, op));
}

/* The second destination gets the opposite, or, for pairs, the result of the upper halves. */
EXECUTOR(setp)
{
    const uint32_t mask = compared(warp, op);
    const uint32_t other = ptx_type_is_pair(op->type) ? compare_halves(warp, op, 16) : ~mask;
    const uint32_t p = joined(warp, op, mask), q = joined(warp, op, other);
    slot_set_predicate(warp, op->d, lanes, p);
    if (op->d2.present)
        slot_set_predicate(warp, op->d2, lanes, q);
}

/* set gives -1 or, in a float, 1.0 where the comparison is true. */
EXECUTOR(set)
{
    const uint32_t mask = joined(warp, op, compared(warp, op));
    lane_u32 *d = slot_lanes(warp, op->d);
    const uint32_t yes = op->immediate_yes;
    SET_LANES(lanes, d, , mask >> i & 1 ? yes : 0);
}

/* The same for both halves of a pair. */
EXECUTOR(set_pair)
{
    const uint32_t low = joined(warp, op, compare_halves(warp, op, 0));
    const uint32_t high = joined(warp, op, compare_halves(warp, op, 16));
    lane_u32 *d = slot_lanes(warp, op->d);
    const uint32_t yes = op->immediate_yes;
    FOR_LANES(lanes, d[i] = (low >> i & 1 ? yes : 0) | (high >> i & 1 ? yes << 16 : 0));
}

/* NOLINTBEGIN(bugprone-macro-parentheses): arguments that are types. */
#define SELECT_FUNCTION(view, name, SOURCE, condition)                           \
    EXECUTOR(name)                                                               \
    {                                                                            \
        view *d = slot_lanes(warp, op->d);                                       \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b); \
        SOURCE;                                                                  \
        SET_LANES(lanes, d, , (condition) ? pa[i] : pb[i]);                      \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
SELECT_FUNCTION(lane_u32, selp_32, const uint32_t p = slot_predicate(warp, op->c),
                p &bit_of_lane[i])
SELECT_FUNCTION(lane_u64, selp_64, const uint32_t p = slot_predicate(warp, op->c),
                p &bit_of_lane[i])
/* By masks (progress.h): of choices between rows' results gcc makes jumps, and then no vectors. */
RECIPE(selp_32, "lane_u32", SOURCES_SELECT(lane_u32, uint32_t), uint32_t, uint32_t,
       MASKED(a, -(T)c, b))
RECIPE(selp_64, "lane_u64", SOURCES_SELECT(lane_u64, uint64_t), uint64_t, uint64_t,
       MASKED(a, -(T)c, b))
SELECT_FUNCTION(lane_u32, slct_s32_32, const lane_s32 *pc = slot_lanes(warp, op->c), pc[i] >= 0)
SELECT_FUNCTION(lane_u64, slct_s32_64, const lane_s32 *pc = slot_lanes(warp, op->c), pc[i] >= 0)
SELECT_FUNCTION(lane_u32, slct_f32_32, const lane_f32 *pc = slot_lanes(warp, op->c),
                (op->ftz ? flush_f32(pc[i]) : pc[i]) >= 0.0f)
SELECT_FUNCTION(lane_u64, slct_f32_64, const lane_f32 *pc = slot_lanes(warp, op->c),
                (op->ftz ? flush_f32(pc[i]) : pc[i]) >= 0.0f)

/* testp: the kind of number, in the classes of fpclassify(). */
static bool is_of_class(const struct ptx_instr *instr, int class)
{
    if (ptx_has(instr, MOD_FINITE))
        return class != FP_INFINITE && class != FP_NAN;
    if (ptx_has(instr, MOD_INFINITE))
        return class == FP_INFINITE;
    if (ptx_has(instr, MOD_NUMBER))
        return class != FP_NAN;
    if (ptx_has(instr, MOD_NOTANUMBER))
        return class == FP_NAN;
    if (ptx_has(instr, MOD_NORMAL))
        return class == FP_NORMAL || class == FP_ZERO;
    return class == FP_SUBNORMAL;
}

EXECUTOR(testp)
{
    const bool single = op->type == PTX_F32;
    uint32_t mask = 0;
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint64_t bits = slot_read(warp, op->a, i);
        const float f = f32_of((uint32_t)bits);
        const double x = f64_of(bits);
        const int class = single ? fpclassify(f) : fpclassify(x);
        mask |= is_of_class(op->instr, class) ? bit_of_lane[i] : 0;
    }
    slot_set_predicate(warp, op->d, lanes, mask);
}

static comparison *comparison_of(const struct ptx_instr *instr, enum ptx_type type)
{
    const enum ptx_type widened = is_half(type) ? PTX_F64 : type;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (ptx_has(instr, comparisons[i].modifier))
            return comparisons[i].of_type[widened];
    return NULL;
}

/* Bind the comparison of setp and set, and the way its result is combined with the third source. */
static void bind_comparison(struct binder *binder, enum ptx_type type)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->type = type;
    op->compare = comparison_of(instr, type);
    if (!op->compare)
        bind_refuse(binder, NULL);
    op->immediate = ptx_has(instr, MOD_AND) ? MOD_AND : ptx_has(instr, MOD_OR) ? MOD_OR : MOD_XOR;
}

static void bind_setp(struct binder *binder)
{
    struct op *op = binder->op;
    bind_comparison(binder, ptx_type_of(binder->instr));
    const bool plain = !op->d2.present && !op->c.present && !is_half(op->type);
    op->handler = plain ? setp_plain : setp;
}

static void bind_set(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const enum ptx_type result = instr->types[0];
    const bool pair = ptx_type_is_pair(instr->types[1]);
    switch (result) {
    case PTX_U32:
    case PTX_S32:
        op->immediate_yes = pair ? UINT16_MAX : UINT32_MAX;
        break;
    case PTX_U16:
    case PTX_S16:
        op->immediate_yes = UINT16_MAX;
        break;
    case PTX_F32:
        op->immediate_yes = bits_of_f32(1.0f);
        break;
    case PTX_F16:
    case PTX_F16X2:
        op->immediate_yes = 0x3C00;
        break;
    case PTX_BF16:
    case PTX_BF16X2:
        op->immediate_yes = 0x3F80;
        break;
    default:
        bind_refuse(binder, NULL);
    }
    bind_comparison(binder, instr->types[1]);
    op->handler = pair ? set_pair : set;
}

static op_handler *slct_of(const struct ptx_instr *instr)
{
    const bool wide = ptx_type_size(instr->types[0]) == 8;
    if (ptx_type_of(instr) == PTX_F32)
        return wide ? slct_f32_64 : slct_f32_32;
    return wide ? slct_s32_64 : slct_s32_32;
}

void bind_compare(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->type = ptx_type_of(instr);
    op->ftz = ptx_has(instr, MOD_FTZ);
    bind_operands(binder);
    switch (instr->opcode) {
    case OP_SETP:
        bind_setp(binder);
        break;
    case OP_SET:
        bind_set(binder);
        break;
    case OP_SELP:
        op->handler = ptx_type_size(op->type) == 8 ? selp_64 : selp_32;
        break;
    case OP_SLCT:
        op->handler = slct_of(instr);
        break;
    default:
        op->handler = testp;
    }
}
