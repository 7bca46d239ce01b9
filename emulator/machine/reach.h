/* SPDX-License-Identifier: MIT */
/* What is asked of a request each time it comes, by the interpreter (shape.c) and by laps of
 * compiled loops, which have this text in front, after that of progress.h. */
#ifndef REACH_H
#define REACH_H

#include <string.h>

/* What all lanes want together. */
enum shape_form {
    SHAPE_SCATTERED,
    SHAPE_QUARTERS, /* of a whole warp, each quarter is one of the following */
    SHAPE_SAME, /* all lanes want the same */
    SHAPE_RUN, /* of a whole warp, each lane the next element */
};

/* The lanes of a request, and where the first may be so that all is as it was. */
enum { LANES = 32 };
struct reach {
    /* From the first lane's address, of the lanes that take part; and its lower half. */
    _Alignas(64) uint64_t apart[LANES];
    uint32_t apart_32[LANES];
    uint64_t bits; /* that any of these has */
    uint64_t within; /* the bits of an offset in an element */
    /* Where the first lane may be so that all are in what they were last in, its first address and
     * how many there are: an allocation, or `space`. */
    uint64_t from, room;
    uint64_t shift; /* from there to where the host has it; in a window only within laps */
    uint64_t key_bits; /* of the first address: those that the price depends on */
    uint64_t key; /* what these are where the price is right */
    enum shape_form form;
    uint32_t runs; /* SHAPE_QUARTERS: a set of those whose lanes each want the next element */
};

/* Are all in that, each at a multiple of its size, if the first lane is at `first`? */
static inline bool reach_has(const struct reach *reach, uint64_t first)
{
    return ((first | reach->bits) & reach->within) == 0 && first - reach->from < reach->room;
}

/* Bits by which the lanes' addresses differ from what `apart` says: none, if they fit. */
#define DIFFERENCE(type, at, apart)                                             \
    const int lane = __builtin_ctz(lanes);                                      \
    const type first = at(lane);                                                \
    type differ = 0;                                                            \
    if (lanes == ~UINT32_C(0))                                                  \
        for (int i = 0; i < LANES; i++)                                         \
            differ |= (at(i) - first) ^ (apart)[i];                             \
    else                                                                        \
        for (int i = 0; i < LANES; i++)                                         \
            differ |= ((at(i) - first) ^ (apart)[i]) & -(type)(lanes >> i & 1); \
    return differ == 0
#define POINTER(i) pointer[i]
#define INDEXED(i) (pointer[i] + index_bytes(index[i], is_signed, shift))

/* What an index adds to the base. */
static inline uint64_t index_bytes(uint32_t index, bool is_signed, int shift)
{
    return (is_signed ? (uint64_t)(int32_t)index : index) << shift;
}

static inline bool fits_64(const lane_u64 *pointer, uint32_t lanes, const struct reach *reach)
{
    DIFFERENCE(lane_u64, POINTER, reach->apart);
}

static inline bool fits_indexed(const lane_u64 *pointer, const lane_u32 *index, bool is_signed,
                                int shift, uint32_t lanes, const struct reach *reach)
{
    DIFFERENCE(lane_u64, INDEXED, reach->apart);
}

static inline bool fits_32(const lane_u32 *pointer, uint32_t lanes, const struct reach *reach)
{
    DIFFERENCE(lane_u32, POINTER, reach->apart_32);
}

/* In a loop the next address is often as far from this one as this one is from the last. A large
 * step, as down a column of a matrix, is more than the prefetcher of a CPU expects, so the address
 * after next is prefetched here: a turn may be shorter than the way to memory. So is what lies two
 * requests after this one, which the warp after next often wants. */
static inline void foresee(const char **before, const char *here, uint64_t bytes)
{
    enum { CACHE_LINE = 64 };
    const char *after_next = here + 2 * ((intptr_t)here - (intptr_t)*before);
    *before = here;
    for (uint64_t at = 0; at < bytes; at += CACHE_LINE) {
        __builtin_prefetch(after_next + at);
        __builtin_prefetch(here + 2 * bytes + at);
    }
}

#ifdef OP_BYTES
/* Of the request at `pc`, within laps: where the first lane finds its element. */
#define REACH(request) ((const struct reach *)(progress->shapes + ((request)-1) * SHAPE_BYTES))
#define LEAVE(pc) return progress->leave(progress, stops, laps, pc)
#define TELL(pc) \
    progress->tell(progress, stops, laps, (uint64_t)laps *LENGTH + (pc) + 1 - *stops, pc, first)
#define REQUEST(pc, request, address, fits)                                \
    const struct reach *const reach = REACH(request);                      \
    const uint64_t first = address;                                        \
    if (SELDOM(!reach_has(reach, first)) || SELDOM(!(fits)) ||             \
        SELDOM((first ^ reach->key) & reach->key_bits & progress->priced)) \
        LEAVE(pc);                                                         \
    if (SELDOM(tells) && TELL(pc))                                         \
        return false;                                                      \
    char *const at = (char *)(uintptr_t)(first + reach->shift)
#define SPREAD(to, at, lanes)                                    \
    {                                                            \
        const __typeof__(*(to)) all = *(__typeof__(&*(to)))(at); \
        for (int i = 0; i < (lanes); i++)                        \
            (to)[i] = all;                                       \
    }
/* LOADS_ARE noinline in long code: there may be hundreds, and a compiler takes long over each. */
#define LOADS(load, type)                                                                   \
    __attribute__((LOADS_ARE)) BESIDE_INTERPRETER static inline void load(                  \
        struct progress *progress, int pc, type *to, int number, const struct reach *reach, \
        char *at)                                                                           \
    {                                                                                       \
        if (reach->form == SHAPE_RUN) {                                                     \
            memcpy(to, at, LANES * sizeof *to);                                             \
            foresee(&progress->loaded[number], at, LANES * sizeof *to);                     \
        } else if (reach->form == SHAPE_SAME) {                                             \
            SPREAD(to, at, LANES)                                                           \
        } else if (reach->form == SHAPE_QUARTERS) {                                         \
            for (int first = 0; first < LANES; first += LANES / 4)                          \
                if (reach->runs >> (first / (LANES / 4)) & 1)                               \
                    memcpy(to + first, at + reach->apart[first], LANES / 4 * sizeof *to);   \
                else                                                                        \
                    SPREAD(to + first, at + reach->apart[first], LANES / 4)                 \
        } else {                                                                            \
            MOVE(pc);                                                                       \
        }                                                                                   \
    }
#define MOVE(pc) progress->move(progress, pc, at)
LOADS(load_32, lane_u32)
LOADS(load_64, lane_u64)
#endif

#endif
