/* SPDX-License-Identifier: MIT */
/* Loops over the 32 lanes of a warp.
 *
 * Most executors are one line: a set of types, a name and an expression of a, b and c. In it T is
 * the C type and U its unsigned counterpart. The macros make a function for each type, and a table
 * of the functions by PTX type:
 *
 *   BINARY(INTEGERS, min, a < b ? a : b)     defines min_table[PTX_TYPE_COUNT] */
#ifndef LANES_H
#define LANES_H

#include "machine/bind.h"
#include "machine/execute/recipe.h"
#include "machine/warp.h"

/* The registers of two operands are either the same or do not overlap, so no iteration depends
 * on another. */
#define FOR_LANES(lanes, ...)                                        \
    do {                                                             \
        if ((lanes) == (uint32_t)FULL_WARP) {                        \
            _Pragma("GCC ivdep") for (int i = 0; i < WARP_SIZE; i++) \
            {                                                        \
                __VA_ARGS__;                                         \
            }                                                        \
        } else {                                                     \
            _Pragma("GCC ivdep") for (int i = 0; i < WARP_SIZE; i++) \
            {                                                        \
                if ((lanes) >> i & 1) {                              \
                    __VA_ARGS__;                                     \
                }                                                    \
            }                                                        \
        }                                                            \
    } while (0)

/* The bit of each lane in a set, in an array so that a vector instruction can load several. */
#define BITS_4(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t bit_of_lane[WARP_SIZE] __attribute__((unused)) = {
    BITS_4(0), BITS_4(4), BITS_4(8), BITS_4(12), BITS_4(16), BITS_4(20), BITS_4(24), BITS_4(28)};

/* d[i] = the value, which is quickly computed, in `lanes`; LOAD declares what it is made of. Where
 * lanes are missing it is computed for all of some eight lanes, and theirs is put back: a masked
 * store takes a CPU with AVX2 some ten clocks. Not where a fused multiply-add is a call. */
#ifdef __FP_FAST_FMAF
enum { LANES_AT_ONCE = 8 };
#define VECTOR_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for
#define SET_LANES(lanes, d, LOAD, ...)                                                       \
    do {                                                                                     \
        if ((lanes) == (uint32_t)FULL_WARP)                                                  \
            FOR_LANES(lanes, LOAD; (d)[i] = (__VA_ARGS__));                                  \
        for (int q = 0; (lanes) != (uint32_t)FULL_WARP && q < WARP_SIZE; q += LANES_AT_ONCE) \
            if ((lanes) >> q & ((1u << LANES_AT_ONCE) - 1))                                  \
                VECTOR_LOOP(int i = q; i < q + LANES_AT_ONCE; i++)                           \
                {                                                                            \
                    LOAD;                                                                    \
                    const __typeof__(*(d)) value_ = (__VA_ARGS__);                           \
                    (d)[i] = (lanes)&bit_of_lane[i] ? value_ : (d)[i];                       \
                }                                                                            \
    } while (0)
#else
#define SET_LANES SET_LANES_ONLY
#endif
/* The same of what takes long. */
#define SET_LANES_ONLY(lanes, d, LOAD, ...) FOR_LANES(lanes, LOAD; (d)[i] = (__VA_ARGS__))

/* For each opcode the table of its handlers by type. */
typedef op_handler *const *handler_tables[OPCODE_COUNT];

static inline op_handler *handler_of_type(op_handler *const *table, enum ptx_type type)
{
    return table ? table[type] : NULL;
}

/* X(..., PTX type, register view, C type, unsigned twin) */
#define TYPES_16(X, ...)                              \
    X(U16, lane_u32, uint16_t, uint16_t, __VA_ARGS__) \
    X(S16, lane_u32, int16_t, uint16_t, __VA_ARGS__)
#define TYPES_32(X, ...)                              \
    X(U32, lane_u32, uint32_t, uint32_t, __VA_ARGS__) \
    X(S32, lane_u32, int32_t, uint32_t, __VA_ARGS__)
#define TYPES_64(X, ...)                              \
    X(U64, lane_u64, uint64_t, uint64_t, __VA_ARGS__) \
    X(S64, lane_u64, int64_t, uint64_t, __VA_ARGS__)
#define INTEGERS(X, ...) TYPES_16(X, __VA_ARGS__) TYPES_32(X, __VA_ARGS__) TYPES_64(X, __VA_ARGS__)
#define SIGNED(X, ...)                               \
    X(S16, lane_u32, int16_t, uint16_t, __VA_ARGS__) \
    X(S32, lane_u32, int32_t, uint32_t, __VA_ARGS__) \
    X(S64, lane_u64, int64_t, uint64_t, __VA_ARGS__)
#define BIT_TYPES(X, ...)                             \
    X(B16, lane_u32, uint16_t, uint16_t, __VA_ARGS__) \
    X(B32, lane_u32, uint32_t, uint32_t, __VA_ARGS__) \
    X(B64, lane_u64, uint64_t, uint64_t, __VA_ARGS__)
#define BITS_32_64(X, ...)                            \
    X(B32, lane_u32, uint32_t, uint32_t, __VA_ARGS__) \
    X(B64, lane_u64, uint64_t, uint64_t, __VA_ARGS__)
#define SHIFT_TYPES(X, ...) BIT_TYPES(X, __VA_ARGS__) INTEGERS(X, __VA_ARGS__)

/* Number `index` of the parts of `bits` bits in a word, counted from the lowest. */
static inline int64_t lane_part(uint64_t word, int index, int bits, bool is_signed)
{
    const uint64_t x = word >> (index * bits) & ((UINT64_C(1) << bits) - 1);
    const int64_t sign = INT64_C(1) << (bits - 1);
    return is_signed ? ((int64_t)x ^ sign) - sign : (int64_t)x;
}

#define TYPE_NAMES(type, unsigned_type)     \
    typedef type T __attribute__((unused)); \
    typedef unsigned_type U __attribute__((unused))

#define EXECUTOR(name) static void name(struct warp *warp, const struct op *op, uint32_t lanes)

/* SOURCES, one of ONE, TWO and THREE, says how many of a, b and c the expression uses. */
#define LANE_FUNCTION(...) FUNCTION_BY(SET_LANES, __VA_ARGS__)
#define LONG_FUNCTION(...) FUNCTION_BY(SET_LANES_ONLY, __VA_ARGS__)
#define FUNCTION_BY(LOOP, id, view, type, twin, name, SOURCES, ...) \
    EXECUTOR(name##_##id)                                           \
    {                                                               \
        TYPE_NAMES(type, twin);                                     \
        view *d = slot_lanes(warp, op->d);                          \
        SOURCES(view)                                               \
        LOOP(lanes, d, LOAD_##SOURCES((T)), (twin)(__VA_ARGS__));   \
    }                                                               \
    RECIPE(name##_##id, #view, SOURCES_##SOURCES(view, type), type, twin, (twin)(__VA_ARGS__))
#define ONE(view) const view *pa = slot_lanes(warp, op->a);
#define TWO(view) ONE(view) const view *pb = slot_lanes(warp, op->b);
#define THREE(view) TWO(view) const view *pc = slot_lanes(warp, op->c);
#define LOAD_ONE(in) const __auto_type a = in(pa[i]);
#define LOAD_TWO(in) LOAD_ONE(in) const __auto_type b = in(pb[i]);
#define LOAD_THREE(in) LOAD_TWO(in) const __auto_type c = in(pc[i]);

/* For two numbers of 16 bits in a register: a, b and the expression are those of one of the two. */
#define PAIR_FUNCTION(id, view, type, twin, name, ...)                           \
    EXECUTOR(name##_##id)                                                        \
    {                                                                            \
        TYPE_NAMES(type, twin);                                                  \
        view *d = slot_lanes(warp, op->d);                                       \
        const view *pa = slot_lanes(warp, op->a), *pb = slot_lanes(warp, op->b); \
        FOR_LANES(                                                               \
            lanes, uint32_t both = 0; for (int h = 0; h < 32; h += 16) {         \
                const T a = (T)(pa[i] >> h);                                     \
                const T b = (T)(pb[i] >> h);                                     \
                both |= (uint32_t)(U)(__VA_ARGS__) << h;                         \
            } d[i] = both);                                                      \
    }

/* For shifts: the second source has 32 bits, whatever the type. */
#define SHIFT_FUNCTION(id, view, type, twin, name, ...)                                           \
    EXECUTOR(name##_##id)                                                                         \
    {                                                                                             \
        TYPE_NAMES(type, twin);                                                                   \
        enum { WIDTH = 8 * sizeof(T) };                                                           \
        view *d = slot_lanes(warp, op->d);                                                        \
        const view *pa = slot_lanes(warp, op->a);                                                 \
        const lane_u32 *pb = slot_lanes(warp, op->b);                                             \
        SET_LANES(lanes, d, const T a = (T)pa[i]; const uint32_t b = pb[i], (twin)(__VA_ARGS__)); \
    }                                                                                             \
    RECIPE(name##_##id, #view, SOURCES_SHIFT(view, type), type, twin, (twin)(__VA_ARGS__))

/* For bit counts: the result has 32 bits, whatever the type. */
#define COUNT_FUNCTION(id, view, type, twin, name, ...)                         \
    EXECUTOR(name##_##id)                                                       \
    {                                                                           \
        TYPE_NAMES(type, twin);                                                 \
        lane_u32 *d = slot_lanes(warp, op->d);                                  \
        const view *pa = slot_lanes(warp, op->a);                               \
        FOR_LANES(lanes, const T a = (T)pa[i]; d[i] = (uint32_t)(__VA_ARGS__)); \
    }

#define TABLE_ENTRY(id, view, type, twin, name, ...) [PTX_##id] = name##_##id,
#define TABLE(types, name) \
    static op_handler *const name##_table[PTX_TYPE_COUNT] = {types(TABLE_ENTRY, name, 0)};

#define UNARY(types, name, ...) types(LANE_FUNCTION, name, ONE, __VA_ARGS__) TABLE(types, name)
#define BINARY(types, name, ...) types(LANE_FUNCTION, name, TWO, __VA_ARGS__) TABLE(types, name)
#define PAIR(types, name, ...) types(PAIR_FUNCTION, name, __VA_ARGS__) TABLE(types, name)
#define LONG_UNARY(types, name, ...) types(LONG_FUNCTION, name, ONE, __VA_ARGS__) TABLE(types, name)
#define LONG_BINARY(types, name, ...) \
    types(LONG_FUNCTION, name, TWO, __VA_ARGS__) TABLE(types, name)
#define LONG_TERNARY(types, name, ...) \
    types(LONG_FUNCTION, name, THREE, __VA_ARGS__) TABLE(types, name)
#define TERNARY(types, name, ...) types(LANE_FUNCTION, name, THREE, __VA_ARGS__) TABLE(types, name)
#define SHIFT(types, name, ...) types(SHIFT_FUNCTION, name, __VA_ARGS__) TABLE(types, name)
#define COUNT(types, name, ...) types(COUNT_FUNCTION, name, __VA_ARGS__) TABLE(types, name)

#endif
