/* SPDX-License-Identifier: MIT */
/* Loads, stores and fences. */
#include <inttypes.h>

#include "machine/access.h"
#include "machine/spin.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/shape.h"
#include "machine/tensor.h"

static void order(const struct op *op)
{
    if (op->ordered)
        atomic_thread_fence(memory_order_seq_cst);
}

/* What a CPU has just written in parts it cannot read at once without waiting, so lanes are put
 * together to pieces as large as executors read. */
enum { PIECE = 64 };
#define EIGHT(at, i, ...)                                                                       \
    at(i, __VA_ARGS__), at(i + 1, __VA_ARGS__), at(i + 2, __VA_ARGS__), at(i + 3, __VA_ARGS__), \
        at(i + 4, __VA_ARGS__), at(i + 5, __VA_ARGS__), at(i + 6, __VA_ARGS__),                 \
        at(i + 7, __VA_ARGS__)
typedef uint32_t __attribute__((vector_size(PIECE), may_alias)) piece_32;
typedef uint64_t __attribute__((vector_size(PIECE), may_alias)) piece_64;
typedef uint32_t __attribute__((vector_size(PIECE / 2))) quarter_32;
typedef uint64_t __attribute__((vector_size(PIECE))) quarter_64;

/* Two patterns are common and have a fast way: all lanes read one run of memory, which takes one
 * copy, or all read the same word, which takes one load. */
/* NOLINTBEGIN(bugprone-macro-parentheses): arguments that are types. */
#define ELEMENT(view, i, k) (((view *)(addresses->base + addresses->apart[i]))[k])
#define OF_LANE(i, view, k) ELEMENT(const view, i, k)
#define PIECES_32(at, ...)                                                 \
    for (int i = 0; i < WARP_SIZE; i += 2 * QUARTER)                       \
        *(piece_32 *)(d + i) = (piece_32)                                  \
        {                                                                  \
            EIGHT(at, i, __VA_ARGS__), EIGHT(at, i + QUARTER, __VA_ARGS__) \
        }
#define PIECES_64(at, ...)                       \
    for (int i = 0; i < WARP_SIZE; i += QUARTER) \
        *(piece_64 *)(d + i) = (piece_64)        \
        {                                        \
            EIGHT(at, i, __VA_ARGS__)            \
        }
#define NEXT(i, from, count) (from)[(i) * (count)]
#define QUARTER_AT(q, bits, count, k)                                            \
    (addresses->runs >> (q) / QUARTER & 1                                        \
         ? (quarter_##bits){EIGHT(NEXT, 0, &OF_LANE(q, lane_u##bits, k), count)} \
         : OF_LANE(q, lane_u##bits, k) - (quarter_##bits){0})
#define LOAD_QUARTERS_32(count, k)                                                                 \
    for (int q = 0; q < WARP_SIZE; q += 2 * QUARTER)                                               \
    *(piece_32 *)(d + q) = __builtin_shufflevector(QUARTER_AT(q, 32, count, k),                    \
                                                   QUARTER_AT(q + QUARTER, 32, count, k), 0, 1, 2, \
                                                   3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define LOAD_QUARTERS_64(count, k)               \
    for (int q = 0; q < WARP_SIZE; q += QUARTER) \
    *(piece_64 *)(d + q) = QUARTER_AT(q, 64, count, k)
#define MOVE_FUNCTION(name, kind)                                                        \
    static inline __attribute__((always_inline)) op_move name##_at;                      \
    EXECUTOR(name)                                                                       \
    {                                                                                    \
        struct addresses addresses;                                                      \
        if (access_addresses(warp, op, lanes, kind, &addresses))                         \
            name##_at(warp, op, lanes, &addresses);                                      \
    }                                                                                    \
    static inline void name##_at(struct warp *warp, const struct op *op, uint32_t lanes, \
                                 const struct addresses *addresses)
/* To all lanes. */
#define SPREAD(view, element)       \
    do {                            \
        const view all = element;   \
        SET_LANES(lanes, d, , all); \
    } while (0)
#define LOAD_FUNCTION(name, view, bits)                                                         \
    MOVE_FUNCTION(name, ACCESS_LOAD)                                                            \
    {                                                                                           \
        view *d = slot_lanes(warp, op->d);                                                      \
        if (addresses->form == SHAPE_RUN) {                                                     \
            memcpy(d, addresses->base, sizeof(view[WARP_SIZE]));                                \
            foresee(&warp->worker->loaded[op->number % LOADS_FORESEEN], addresses->base,        \
                    sizeof(view[WARP_SIZE]));                                                   \
        } else if (addresses->form == SHAPE_SAME) {                                             \
            SPREAD(view, *(const view *)addresses->base);                                       \
        } else if (addresses->form == SHAPE_QUARTERS) {                                         \
            LOAD_QUARTERS_##bits(1, 0);                                                         \
        } else if (lanes == (uint32_t)FULL_WARP) {                                              \
            PIECES_##bits(OF_LANE, view, 0);                                                    \
        } else {                                                                                \
            EACH_LANE(i, lanes)                                                                 \
                d[i] = (view)load_element(addresses->base + addresses->apart[i], sizeof(view)); \
        }                                                                                       \
    }
LOAD_FUNCTION(load_32, lane_u32, 32)
LOAD_FUNCTION(load_64, lane_u64, 64)

/* Elements of fewer bits than their registers have: what a lane wants is a word of all of them,
 * which is taken apart. Lanes that are out have the first one's. */
#define TAKE_APART(word, view, type)                                                             \
    do {                                                                                         \
        const char *const base = addresses->base;                                                \
        const int64_t *const apart = addresses->apart;                                           \
        word words[WARP_SIZE];                                                                   \
        if (addresses->form == SHAPE_RUN)                                                        \
            FOR_LANES((uint32_t)FULL_WARP, words[i] = ((const view *)base)[i]);                  \
        else                                                                                     \
            FOR_LANES((uint32_t)FULL_WARP, words[i] = *(const view *)(base + apart[i]));         \
        for (size_t k = 0; k < op->vector; k++) {                                                \
            lane_u32 *d = slot_lanes(warp, op->elements[k]);                                     \
            const uint8_t width = op->elements[k].width;                                         \
            const uint32_t kept = width == 2 ? UINT16_MAX : width == 1 ? UINT8_MAX : UINT32_MAX; \
            if (op->elements[k].present)                                                         \
                SET_LANES(lanes, d, ,                                                            \
                          (uint32_t)(type)(words[i] >> (8 * sizeof(type) * k)) & kept);          \
        }                                                                                        \
    } while (0)
/* By the word, and how memory is seen, that all elements of a lane make. */
#define BY_WORD(move, type)                             \
    do {                                                \
        const size_t bytes = sizeof(type) * op->vector; \
        if (bytes == 8)                                 \
            move(uint64_t, lane_u64, type);             \
        else if (bytes == 4)                            \
            move(uint32_t, lane_u32, type);             \
        else if (bytes == 2)                            \
            move(uint32_t, lane_u16, type);             \
        else                                            \
            move(uint32_t, uint8_t, type);              \
    } while (0)
#define LOAD_NARROW(name, type)      \
    MOVE_FUNCTION(name, ACCESS_LOAD) \
    {                                \
        BY_WORD(TAKE_APART, type);   \
    }
typedef uint16_t __attribute__((may_alias)) lane_u16;
typedef int16_t __attribute__((may_alias)) lane_s16;
LOAD_NARROW(load_u8, uint8_t)
LOAD_NARROW(load_s8, int8_t)
LOAD_NARROW(load_u16, lane_u16)
LOAD_NARROW(load_s16, lane_s16)

/* Parameters of calls are with the registers where a path is seen to spin. */
static inline void note_store(struct warp *warp, const struct op *op)
{
    if (op->space != PTX_PARAM)
        note_write(warp);
}

/* Elements may alias all but locals. */
#define STORE_EACH(view, k)                                  \
    do {                                                     \
        char *const base = addresses->base;                  \
        const int64_t *const apart = addresses->apart;       \
        if (lanes == (uint32_t)FULL_WARP)                    \
            for (int i = 0; i < WARP_SIZE; i++)              \
                ((view *)(base + apart[i]))[k] = (view)a[i]; \
        else                                                 \
            EACH_LANE(i, lanes)                              \
                ((view *)(base + apart[i]))[k] = (view)a[i]; \
    } while (0)

/* A path whose registers come back to what they were may spin although it stores, if that is what
 * memory holds already: such a store is none. */
#define STORE_FUNCTION(name, view)                                                              \
    MOVE_FUNCTION(name, ACCESS_STORE)                                                           \
    {                                                                                           \
        const view *a = slot_lanes(warp, op->a);                                                \
        bool changes = !warp->path->spun.polls;                                                 \
        if (addresses->form == SHAPE_RUN) {                                                     \
            changes = changes || memcmp(addresses->base, a, sizeof(view[WARP_SIZE])) != 0;      \
            memcpy(addresses->base, a, sizeof(view[WARP_SIZE]));                                \
        } else {                                                                                \
            for (uint32_t left = changes ? 0 : lanes; left; left &= left - 1)                   \
                changes = changes || ELEMENT(view, first_lane(left), 0) != a[first_lane(left)]; \
            STORE_EACH(view, 0);                                                                \
        }                                                                                       \
        if (changes)                                                                            \
            note_store(warp, op);                                                               \
    }
STORE_FUNCTION(store_32, lane_u32)
STORE_FUNCTION(store_64, lane_u64)

#define PUT_TOGETHER(word, view, type)                                                      \
    do {                                                                                    \
        word words[WARP_SIZE] = {0};                                                        \
        for (size_t k = 0; k < op->vector; k++) {                                           \
            const lane_u32 *element = slot_lanes(warp, op->elements[k]);                    \
            FOR_LANES((uint32_t)FULL_WARP,                                                  \
                      words[i] |= (word)(type)element[i] << (8 * sizeof(type) * k));        \
        }                                                                                   \
        const word *const a = words;                                                        \
        for (uint32_t left = changes ? 0 : lanes; left; left &= left - 1)                   \
            changes = changes || ELEMENT(view, first_lane(left), 0) != a[first_lane(left)]; \
        if (addresses->form == SHAPE_RUN) {                                                 \
            char *const base = addresses->base;                                             \
            FOR_LANES((uint32_t)FULL_WARP, ((view *)base)[i] = (view)a[i]);                 \
        } else                                                                              \
            STORE_EACH(view, 0);                                                            \
    } while (0)
#define STORE_NARROW(name, type)                \
    MOVE_FUNCTION(name, ACCESS_STORE)           \
    {                                           \
        bool changes = !warp->path->spun.polls; \
        BY_WORD(PUT_TOGETHER, type);            \
        if (changes)                            \
            note_store(warp, op);               \
    }
STORE_NARROW(store_8, uint8_t)
STORE_NARROW(store_16, lane_u16)

/* Each lane has four words in a row, and each goes to another register. What so many lanes as a
 * vector holds fours have, four lanes apart, make a vector; four such are transposed, four by
 * four. */
#define JOIN(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define FOUR_AT(i) (*(const four *)&ELEMENT(const lane_u32, i, 0))
#define TWO_FOURS(i) JOIN(FOUR_AT(i), FOUR_AT((i) + 4), 0, 1, 2, 3, 4, 5, 6, 7)
#define OF_FOUR(n, a, b, c, d) 4 * (n) + (a), 4 * (n) + (b), 4 * (n) + (c), 4 * (n) + (d)
#define OF_TWO(n, ...) OF_FOUR(n, __VA_ARGS__), OF_FOUR((n) + 1, __VA_ARGS__)
#ifdef __AVX512F__
enum { FOURS = 4 };
#define FOURS_FROM(i) \
    JOIN(TWO_FOURS(i), TWO_FOURS((i) + 8), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define OF_EACH(...) OF_TWO(0, __VA_ARGS__), OF_TWO(2, __VA_ARGS__)
#elif defined __AVX2__
enum { FOURS = 2 };
#define FOURS_FROM(i) TWO_FOURS(i)
#define OF_EACH(...) OF_TWO(0, __VA_ARGS__)
#else
enum { FOURS = 1 };
#define FOURS_FROM(i) FOUR_AT(i)
#define OF_EACH(...) OF_FOUR(0, __VA_ARGS__)
#endif
typedef uint32_t __attribute__((vector_size(16), aligned(4), may_alias)) four;
typedef uint32_t __attribute__((vector_size(16 * FOURS), may_alias)) fours;

/* False: that is not the fastest way. */
static inline bool fill_fours(struct warp *warp, const struct op *op,
                              const struct addresses *addresses)
{
    enum { Y = 4 * FOURS };
    lane_u32 *d[4];
    for (int k = 0; k < 4; k++) {
        if (addresses->form == SHAPE_SAME || !op->elements[k].present)
            return false;
        d[k] = slot_lanes(warp, op->elements[k]);
    }
    for (int i = 0; i < WARP_SIZE; i += 4 * FOURS) {
        const fours w = FOURS_FROM(i), x = FOURS_FROM(i + 1);
        const fours y = FOURS_FROM(i + 2), z = FOURS_FROM(i + 3);
        const fours wx_low = JOIN(w, x, OF_EACH(0, Y, 1, Y + 1)),
                    wx_high = JOIN(w, x, OF_EACH(2, Y + 2, 3, Y + 3));
        const fours yz_low = JOIN(y, z, OF_EACH(0, Y, 1, Y + 1)),
                    yz_high = JOIN(y, z, OF_EACH(2, Y + 2, 3, Y + 3));
        *(fours *)(d[0] + i) = JOIN(wx_low, yz_low, OF_EACH(0, 1, Y, Y + 1));
        *(fours *)(d[1] + i) = JOIN(wx_low, yz_low, OF_EACH(2, 3, Y + 2, Y + 3));
        *(fours *)(d[2] + i) = JOIN(wx_high, yz_high, OF_EACH(0, 1, Y, Y + 1));
        *(fours *)(d[3] + i) = JOIN(wx_high, yz_high, OF_EACH(2, 3, Y + 2, Y + 3));
    }
    return true;
}

/* Element k of the lanes' vectors, of two elements each. */
#define RUN_AT(i, view, k) NEXT(i, (const view *)addresses->base + (k), 2)
#define LOAD_PAIRS_64(k) PIECES_64(RUN_AT, lane_u64, k)
#define LOAD_PAIRS_32(k)                                                                    \
    do {                                                                                    \
        const lane_u64 *const pairs = (const lane_u64 *)addresses->base;                    \
        FOR_LANES((uint32_t)FULL_WARP, d[i] = (uint32_t)(pairs[i] >> (8 * sizeof *d * k))); \
    } while (0)
#define LOAD_VECTOR_FUNCTION(name, view, bits)                                           \
    MOVE_FUNCTION(name, ACCESS_LOAD)                                                     \
    {                                                                                    \
        const bool whole = lanes == (uint32_t)FULL_WARP;                                 \
        if (whole && (bits) == 32 && op->vector == 4 && fill_fours(warp, op, addresses)) \
            return;                                                                      \
        for (size_t k = 0; k < op->vector; k++) {                                        \
            if (!op->elements[k].present)                                                \
                continue;                                                                \
            view *d = slot_lanes(warp, op->elements[k]);                                 \
            if (addresses->form == SHAPE_SAME)                                           \
                SPREAD(view, ((const view *)addresses->base)[k]);                        \
            else if (addresses->form == SHAPE_RUN && op->vector == 2)                    \
                LOAD_PAIRS_##bits(k);                                                    \
            else if (addresses->form == SHAPE_QUARTERS && op->vector == 2)               \
                LOAD_QUARTERS_##bits(2, k);                                              \
            else if (whole)                                                              \
                PIECES_##bits(OF_LANE, view, k);                                         \
            else                                                                         \
                EACH_LANE(i, lanes)                                                      \
                    d[i] = ELEMENT(const view, i, k);                                    \
        }                                                                                \
    }
LOAD_VECTOR_FUNCTION(load_vector_32, lane_u32, 32)
LOAD_VECTOR_FUNCTION(load_vector_64, lane_u64, 64)

/* The same for a store, which takes four lanes at a time: no CPU does more in one store. False: it
 * is not of whole warps and four elements. */
static inline bool store_fours(const struct warp *warp, const struct op *op, uint32_t lanes,
                               const struct addresses *addresses)
{
    char *const base = addresses->base;
    const int64_t *const apart = addresses->apart;
    const lane_u32 *a[4];
    if (lanes != (uint32_t)FULL_WARP || op->vector != 4)
        return false;
    for (int k = 0; k < 4; k++)
        a[k] = slot_lanes(warp, op->elements[k]);
    for (int i = 0; i < WARP_SIZE; i += 4) {
        const four w = *(const four *)(a[0] + i), x = *(const four *)(a[1] + i);
        const four y = *(const four *)(a[2] + i), z = *(const four *)(a[3] + i);
        const four wx_low = JOIN(w, x, 0, 4, 1, 5), wx_high = JOIN(w, x, 2, 6, 3, 7);
        const four yz_low = JOIN(y, z, 0, 4, 1, 5), yz_high = JOIN(y, z, 2, 6, 3, 7);
        *(four *)(base + apart[i]) = JOIN(wx_low, yz_low, 0, 1, 4, 5);
        *(four *)(base + apart[i + 1]) = JOIN(wx_low, yz_low, 2, 3, 6, 7);
        *(four *)(base + apart[i + 2]) = JOIN(wx_high, yz_high, 0, 1, 4, 5);
        *(four *)(base + apart[i + 3]) = JOIN(wx_high, yz_high, 2, 3, 6, 7);
    }
    return true;
}

#define STORE_VECTOR_FUNCTION(name, view)                                               \
    MOVE_FUNCTION(name, ACCESS_STORE)                                                   \
    {                                                                                   \
        const bool done = sizeof(view) == 4 && store_fours(warp, op, lanes, addresses); \
        for (size_t k = 0; !done && k < op->vector; k++) {                              \
            const view *a = slot_lanes(warp, op->elements[k]);                          \
            STORE_EACH(view, k);                                                        \
        }                                                                               \
        note_store(warp, op);                                                           \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
STORE_VECTOR_FUNCTION(store_vector_32, lane_u32)
STORE_VECTOR_FUNCTION(store_vector_64, lane_u64)

static uint64_t sign_extended(uint64_t value, size_t bytes)
{
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

/* Note what the lanes have read, so that spin.c sees when it changes. Where notes are taken only
 * one warp runs at a time, so memory still holds what was loaded. */
static void note_reads(struct warp *warp, const struct op *op, uint32_t lanes,
                       const struct addresses *addresses)
{
    const uint64_t writes = launch_writes(warp->block->launch);
    for (; lanes; lanes &= lanes - 1)
        for (int k = 0; k < op->vector; k++) {
            const int lane = first_lane(lanes);
            const char *pointer = addresses->base + addresses->apart[lane] + (size_t)k * op->bytes;
            warp_note_read(warp, lane, pointer, op->bytes, load_element(pointer, op->bytes),
                           writes);
        }
}

/* Any load: each element is extended to the width of its register. */
EXECUTOR(load_any)
{
    struct addresses addresses;
    order(op);
    if (!access_addresses(warp, op, lanes, ACCESS_LOAD, &addresses))
        return;
    EACH_LANE(i, lanes) {
        for (int k = 0; k < op->vector; k++) {
            const uint64_t value = load_element(
                addresses.base + addresses.apart[i] + (size_t)k * op->bytes, op->bytes);
            if (op->elements[k].present)
                slot_write(warp, op->elements[k], i,
                           op->sign_extend ? sign_extended(value, op->bytes) : value);
        }
    }
    if (warp->watches && op->may_poll)
        note_reads(warp, op, lanes, &addresses);
    order(op);
}

EXECUTOR(store_any)
{
    struct addresses addresses;
    order(op);
    if (!access_addresses(warp, op, lanes, ACCESS_STORE, &addresses))
        return;
    bool changes = !warp->path->spun.polls;
    EACH_LANE(i, lanes) {
        for (int k = 0; k < op->vector; k++) {
            char *to = addresses.base + addresses.apart[i] + (size_t)k * op->bytes;
            const uint64_t old = changes ? 0 : load_element(to, op->bytes);
            store_element(to, op->bytes, slot_read(warp, op->elements[k], i));
            changes = changes || load_element(to, op->bytes) != old;
        }
    }
    if (changes)
        note_store(warp, op);
    order(op);
}

EXECUTOR(fence)
{
    const struct instruction_event event = instruction_event_of(warp, op, lanes);
    NOTIFY(warp->block->listeners->fence, &event);
    atomic_thread_fence(memory_order_seq_cst);
}

/* A prefetch has no effect that a program could see. An H200 refuses that of a tensor map which is
 * misaligned. */
EXECUTOR(prefetch_map)
{
    uint64_t addresses[WARP_SIZE];
    gather_addresses(warp, op, addresses);
    EACH_LANE(i, lanes)
        if (addresses[i] % TENSOR_MAP_ALIGNMENT) {
            warp_fault(warp, op->instr, i, FAULT_MISALIGNED, "misaligned tensor map",
                       "its address, 0x%" PRIx64 ", is not a multiple of %d", addresses[i],
                       TENSOR_MAP_ALIGNMENT);
            return;
        }
}

/* Bind the value at operand `i`, or the elements if it is a vector. */
static void bind_values(struct binder *binder, int i, bool destination)
{
    struct op *op = binder->op;
    const struct ptx_operand *operand = &binder->instr->operands[i];
    struct ptx_operand alone = {.kind = OPERAND_VECTOR, .elements = (struct ptx_operand *)operand};
    alone.count = 1;
    const bool is_vector = operand->kind == OPERAND_VECTOR;
    if (op->vector != (is_vector ? operand->count : 1)) {
        bind_refuse(binder, "the vector has not as many elements as the instruction moves");
        return;
    }
    bind_elements(binder, is_vector ? operand : &alone, op->bytes, destination);
}

/* Are the registers of all elements so wide? */
static bool has_registers(const struct op *op, uint8_t bytes)
{
    for (int k = 0; k < op->vector; k++)
        if (op->elements[k].present && op->elements[k].bytes != bytes)
            return false;
    return true;
}

/* Those that may go by their shapes. */
static void number_request(struct binder *binder)
{
    struct op *op = binder->op;
    const struct ptx_instr *instr = op->instr;
    const bool plain = !op->ordered && !instr->of_cluster && !op->frame_param &&
                       !ptx_has(instr, MOD_ASYNC) &&
                       !(op->address == ADDRESS_32 && op->space == PTX_GLOBAL);
    op->request = plain ? 1 + binder->program->request_count++ % MOST_SHAPES : 0;
}

#define SET_MOVE(op, loads, wide, load, store)                         \
    do {                                                               \
        (op)->handler = (loads)  ? ((wide) ? load##_64 : load##_32)    \
                        : (wide) ? store##_64                          \
                                 : store##_32;                         \
        (op)->move = (loads)  ? ((wide) ? load##_64_at : load##_32_at) \
                     : (wide) ? store##_64_at                          \
                              : store##_32_at;                         \
    } while (0)

static void choose_narrow(struct op *op, bool loads)
{
    static const struct {
        op_handler *handler;
        op_move *move;
    } narrow[2][3] = {{{load_u8, load_u8_at}, {load_s8, load_s8_at}, {store_8, store_8_at}},
                      {{load_u16, load_u16_at}, {load_s16, load_s16_at}, {store_16, store_16_at}}};
    const int kind = loads ? op->sign_extend : 2;
    op->handler = narrow[op->bytes == 2][kind].handler;
    op->move = narrow[op->bytes == 2][kind].move;
}

static void choose_handler(struct binder *binder, bool loads)
{
    struct op *op = binder->op;
    const bool wide = op->bytes == 8;
    op->handler = loads ? load_any : store_any;
    if (!op->elements || op->ordered)
        return;
    if (!has_registers(op, op->bytes < 4 ? 4 : op->bytes))
        return;
    if (op->bytes < 4) {
        choose_narrow(op, loads);
    } else if (op->vector > 1) {
        SET_MOVE(op, loads, wide, load_vector, store_vector);
    } else if (op->elements[0].present) {
        *(loads ? &op->d : &op->a) = op->elements[0];
        SET_MOVE(op, loads, wide, load, store);
    }
}

static bool is_loadable(enum ptx_space space)
{
    return space == PTX_GENERIC || space == PTX_GLOBAL || space == PTX_SHARED ||
           space == PTX_LOCAL || space == PTX_CONST || space == PTX_PARAM;
}

static void bind_load_or_store(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const bool loads = instr->opcode != OP_ST;
    op->type = ptx_type_of(instr);
    op->space = instr->space;
    op->bytes = (uint8_t)ptx_type_size(op->type);
    op->vector = (uint8_t)(instr->vector > 1 ? instr->vector : 1);
    op->sign_extend = ptx_type_is_signed(op->type);
    op->ordered = ptx_is_strong(instr);
    if (op->bytes == 0 || op->bytes > 8 || !is_loadable(op->space) ||
        (!loads && op->space == PTX_CONST)) {
        bind_refuse(binder, NULL);
        return;
    }
    bind_values(binder, loads ? 0 : 1, loads);
    bind_address(binder, loads ? 1 : 0);
    if (!loads && op->space == PTX_PARAM && !op->frame_param)
        bind_refuse(binder, "a kernel's parameters are only read");
    choose_handler(binder, loads);
    number_request(binder);
    if (ptx_has(instr, MOD_ASYNC))
        bind_bulk(binder);
}

void bind_memory(struct binder *binder)
{
    struct op *op = binder->op;
    switch (binder->instr->opcode) {
    case OP_LD:
    case OP_LDU:
    case OP_ST:
        bind_load_or_store(binder);
        break;
    case OP_ATOM:
    case OP_RED:
        bind_atomic(binder);
        break;
    case OP_MEMBAR:
    case OP_FENCE:
        op->handler = fence;
        break;
    case OP_PREFETCH:
        op->handler = do_nothing;
        if (ptx_has(binder->instr, MOD_TENSORMAP)) {
            op->handler = prefetch_map;
            op->space = binder->instr->space;
            bind_address(binder, 0);
        }
        break;
    default:
        op->handler = do_nothing;
    }
}
