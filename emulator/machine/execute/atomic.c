/* SPDX-License-Identifier: MIT */
/* Atomic operations. The lanes of a warp take their turns in the order that the schedule gives.
 * Where the order of blocks shows in the result, as with sums of floats, lockstep.c brings the
 * blocks into order; everywhere else two workers may change the same word at a time, and use
 * compare-and-swap. */
#include "machine/access.h"
#include "machine/spin.h"
#include "machine/execute/atomic.h"
#include "machine/execute/float.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"

#include <fenv.h>
#include <math.h>

/* By lane: what the operations take, and what each finds; and the lanes that change memory. */
struct operands {
    uint64_t with[WARP_SIZE], third[WARP_SIZE], old[WARP_SIZE];
    uint32_t changed;
};

static inline int next_lane(uint32_t lanes, bool reverse)
{
    return reverse ? WARP_SIZE - 1 - __builtin_clz(lanes) : first_lane(lanes);
}

/* The expression is of a, which memory holds, b and third. */
#define COMBINE(name, type, ...)                                                             \
    static uint64_t name(const struct op *op, uint64_t memory, uint32_t lanes, bool reverse, \
                         struct operands *operands)                                          \
    {                                                                                        \
        const uint64_t bits = UINT64_MAX >> (64 - 8 * op->bytes);                            \
        uint32_t changed = 0;                                                                \
        while (lanes) {                                                                      \
            const int i = next_lane(lanes, reverse);                                         \
            const uint64_t old = operands->old[i] = memory;                                  \
            const type a = (type)old;                                                        \
            const type b __attribute__((unused)) = (type)(operands->with[i] & bits);         \
            const uint64_t third __attribute__((unused)) = operands->third[i];               \
            memory = (uint64_t)(__VA_ARGS__)&bits;                                           \
            changed |= (uint32_t)(memory != old) << i;                                       \
            lanes &= ~(UINT32_C(1) << i);                                                    \
        }                                                                                    \
        operands->changed = changed;                                                         \
        return memory;                                                                       \
    }
COMBINE(add_bits, uint64_t, a + b)
COMBINE(and_bits, uint64_t, a &b)
COMBINE(or_bits, uint64_t, a | b)
COMBINE(xor_bits, uint64_t, a ^ b)
COMBINE(min_u32, uint32_t, a < b ? a : b)
COMBINE(max_u32, uint32_t, a > b ? a : b)
COMBINE(min_s32, int32_t, a < b ? a : b)
COMBINE(max_s32, int32_t, a > b ? a : b)
COMBINE(min_u64, uint64_t, a < b ? a : b)
COMBINE(max_u64, uint64_t, a > b ? a : b)
COMBINE(min_s64, int64_t, a < b ? a : b)
COMBINE(max_s64, int64_t, a > b ? a : b)
/* inc counts up to b and then starts at 0; dec counts down to 0 and then starts at b. */
COMBINE(increment, uint32_t, a >= b ? 0 : a + 1)
COMBINE(decrement, uint32_t, a == 0 || a > b ? b : a - 1)
COMBINE(exchange, uint64_t, ((void)a, b))
COMBINE(swap_if_equal, uint64_t, a == b ? third : a)
COMBINE(add_f64, uint64_t, bits_of_f64(f64_of(a) + f64_of(b)))

COMBINE(add_f32, uint32_t, bits_of_f32(canonical_f32(f32_of(a) + f32_of(b))))
COMBINE(add_f32_flushed, uint32_t,
        bits_of_f32(canonical_f32(flush_f32(flush_f32(f32_of(a)) + flush_f32(f32_of(b))))))

COMBINE(add_halves, uint32_t, half_add_bits(op->type, a, b))

/* Of two halves: a NaN counts only where both are, and -0 is below 0. */
static uint64_t extreme_half(const struct op *op, uint32_t old, uint32_t with, bool largest)
{
    const struct minifloat *format = op->type == PTX_F16 ? &f16_format : &bf16_format;
    const double a = minifloat_decode(format, old);
    const double b = minifloat_decode(format, with);
    const bool below = a < b || (a == b && signbit(a));
    const double chosen = a != a ? b : b != b ? a : below == largest ? b : a;
    return minifloat_encode(format, chosen, FE_TONEAREST);
}
COMBINE(min_half, uint32_t, extreme_half(op, a, b, false))
COMBINE(max_half, uint32_t, extreme_half(op, a, b, true))

static const struct {
    enum modifier modifier;
    enum ptx_type type;
    combine_function *combine;
} operations[] = {
    {MOD_ADD, PTX_U32, add_bits},      {MOD_ADD, PTX_S32, add_bits},
    {MOD_ADD, PTX_U64, add_bits},      {MOD_ADD, PTX_S64, add_bits},
    {MOD_ADD, PTX_F32, add_f32},       {MOD_ADD, PTX_F64, add_f64},
    {MOD_ADD, PTX_F16, add_halves},    {MOD_ADD, PTX_F16X2, add_halves},
    {MOD_ADD, PTX_BF16, add_halves},   {MOD_ADD, PTX_BF16X2, add_halves},
    {MOD_MIN, PTX_U32, min_u32},       {MOD_MIN, PTX_S32, min_s32},
    {MOD_MIN, PTX_U64, min_u64},       {MOD_MIN, PTX_S64, min_s64},
    {MOD_MAX, PTX_U32, max_u32},       {MOD_MAX, PTX_S32, max_s32},
    {MOD_MAX, PTX_U64, max_u64},       {MOD_MAX, PTX_S64, max_s64},
    {MOD_AND, PTX_B32, and_bits},      {MOD_AND, PTX_B64, and_bits},
    {MOD_OR, PTX_B32, or_bits},        {MOD_OR, PTX_B64, or_bits},
    {MOD_XOR, PTX_B32, xor_bits},      {MOD_XOR, PTX_B64, xor_bits},
    {MOD_INC, PTX_U32, increment},     {MOD_DEC, PTX_U32, decrement},
    {MOD_EXCH, PTX_B32, exchange},     {MOD_EXCH, PTX_B64, exchange},
    {MOD_CAS, PTX_B16, swap_if_equal}, {MOD_CAS, PTX_B32, swap_if_equal},
    {MOD_CAS, PTX_B64, swap_if_equal}, {MOD_MIN, PTX_F16, min_half},
    {MOD_MAX, PTX_F16, max_half},      {MOD_MIN, PTX_BF16, min_half},
    {MOD_MAX, PTX_BF16, max_half},
};

static uint64_t cut(uint64_t value, size_t bytes)
{
    return bytes == 8 ? value : value & ((UINT64_C(1) << (8 * bytes)) - 1);
}

static bool swap_element(char *pointer, size_t bytes, uint64_t *expected, uint64_t value)
{
    typedef uint16_t __attribute__((may_alias)) element_u16;
    bool swapped;
    switch (bytes) {
    case 2: {
        uint16_t old = (uint16_t)*expected;
        swapped = __atomic_compare_exchange_n((element_u16 *)pointer, &old, (uint16_t)value, false,
                                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        *expected = old;
        return swapped;
    }
    case 4: {
        uint32_t old = (uint32_t)*expected;
        swapped = __atomic_compare_exchange_n((lane_u32 *)pointer, &old, (uint32_t)value, false,
                                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        *expected = old;
        return swapped;
    }
    default:
        return __atomic_compare_exchange_n((lane_u64 *)pointer, expected, value, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

/* f32 sums flush subnormal numbers in global memory, and do not in shared memory (PTX ISA,
 * atom). With generic addresses, which may point into either, the address of each lane decides. */
static combine_function *combine_at(const struct op *op, uint64_t address)
{
    const bool is_global =
        op->space == PTX_GLOBAL || (op->space == PTX_GENERIC && !(address & WINDOW_MASK));
    return is_global && op->combine == add_f32 ? add_f32_flushed : op->combine;
}

/* Perform the operations of `lanes`, which all meet at `address`, one after the other: nobody comes
 * between them, so memory gets the last result alone, if it is another. The host reaches it through
 * `pointer`. Sums of integers need no second try. */
static void perform(const struct op *op, uint32_t lanes, bool reverse, uint64_t address,
                    char *pointer, struct operands *operands)
{
    combine_function *combine = combine_at(op, address);
    uint64_t before = combine == add_bits ? 0 : load_element(pointer, op->bytes), after;
    if (combine == add_bits) {
        const uint64_t sum = combine(op, 0, lanes, reverse, operands);
        before = op->bytes == 4
                     ? __atomic_fetch_add((lane_u32 *)pointer, (uint32_t)sum, __ATOMIC_SEQ_CST)
                     : __atomic_fetch_add((lane_u64 *)pointer, sum, __ATOMIC_SEQ_CST);
        for (uint32_t left = lanes; before && left; left &= left - 1)
            operands->old[first_lane(left)] =
                cut(operands->old[first_lane(left)] + before, op->bytes);
        return;
    }
    do
        after = combine(op, before, lanes, reverse, operands);
    while (after != before && !swap_element(pointer, op->bytes, &before, after));
    if (after == before)
        atomic_thread_fence(memory_order_acquire);
}

/* What most are: sums of integers in shared memory, which no other thread of ours uses. */
static void add_in_shared(struct warp *warp, const struct op *op, uint32_t lanes, bool reverse,
                          char *const *pointers)
{
    for (uint32_t left = lanes; left;) {
        const int i = next_lane(left, reverse);
        lane_u32 *const at = (lane_u32 *)pointers[i];
        const uint32_t with = (uint32_t)slot_read(warp, op->b, i), old = *at;
        *at = old + with;
        if (with)
            note_write(warp);
        if (op->d.present)
            slot_write(warp, op->d, i, old);
        left &= ~(UINT32_C(1) << i);
    }
}

/* The values of a slot, if it is there. */
static void read_lanes(const struct warp *warp, struct slot slot, uint64_t values[WARP_SIZE])
{
    const lane_u32 *narrow = slot_lanes(warp, slot);
    if (slot.present && slot.bytes == 8)
        memcpy(values, narrow, WARP_SIZE * sizeof *values);
    else
        for (int i = 0; i < WARP_SIZE; i++)
            values[i] = slot.present ? narrow[i] : 0;
}

static void write_lanes(const struct warp *warp, struct slot slot, uint32_t lanes,
                        const uint64_t values[WARP_SIZE])
{
    lane_u32 *narrow = slot_lanes(warp, slot);
    lane_u64 *wide = slot_lanes(warp, slot);
    const uint32_t kept = slot.width == 2 ? UINT16_MAX : slot.width == 1 ? UINT8_MAX : UINT32_MAX;
    if (slot.bytes == 8)
        SET_LANES(lanes, wide, , values[i]);
    else
        SET_LANES(lanes, narrow, , (uint32_t)values[i] & kept);
}

/* Those of `lanes` that come next and meet in one element: mostly one, or all. */
static uint32_t take_alike(uint32_t lanes, bool reverse, char *const *pointers)
{
    const char *const pointer = pointers[next_lane(lanes, reverse)];
    uint32_t alike = 0, left = lanes;
    for (int i; left && pointers[i = next_lane(left, reverse)] == pointer; left &= ~(1u << i))
        alike |= 1u << i;
    return alike;
}

/* Lanes have changed memory, and read it. */
static void note_lanes(struct warp *warp, const struct op *op, uint32_t lanes, bool reverse,
                       char *pointer, const struct operands *operands)
{
    const uint32_t changed = operands->changed;
    if (!warp->watches || !op->may_poll) {
        note_many_writes(warp, (uint32_t)__builtin_popcount(changed));
        return;
    }
    uint64_t writes = launch_writes(warp->block->launch);
    while (lanes) {
        const int i = next_lane(lanes, reverse);
        if (changed >> i & 1) {
            note_write(warp);
            writes++;
        }
        warp_note_read(warp, i, pointer, op->bytes, operands->old[i], writes);
        lanes &= ~(1u << i);
    }
}

EXECUTOR(atomic)
{
    const bool reverse = warp->block->launch->machine->schedule.kind == SCHEDULE_REVERSE;
    struct access access;
    struct operands operands;
    if (!access_memory(warp, op, lanes, ACCESS_ATOMIC, &access))
        return;
    if (op->space == PTX_SHARED && op->bytes == 4 && op->combine == add_bits &&
        !(warp->watches && op->orders_blocks)) {
        add_in_shared(warp, op, lanes, reverse, access.pointers);
        return;
    }
    read_lanes(warp, op->b, operands.with);
    read_lanes(warp, op->c, operands.third);
    for (uint32_t left = lanes, alike; left; left &= ~alike) {
        const int first = next_lane(left, reverse);
        char *const pointer = access.pointers[first];
        alike = take_alike(left, reverse, access.pointers);
        perform(op, alike, reverse, access.addresses[first], pointer, &operands);
        note_lanes(warp, op, alike, reverse, pointer, &operands);
    }
    if (op->d.present)
        write_lanes(warp, op->d, lanes, operands.old);
}

static combine_function *combine_of(const struct ptx_instr *instr, enum ptx_type type)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (ptx_has(instr, operations[i].modifier) && type == operations[i].type)
            return operations[i].combine;
    return NULL;
}

/* The same of a tensor's elements, whose bits may be meant. */
static combine_function *combine_elements(const struct ptx_instr *instr, enum ptx_type type)
{
    combine_function *combine = combine_of(instr, type);
    if (combine || ptx_type_is_float(type))
        return combine;
    return combine_of(instr, ptx_type_size(type) == 8 ? PTX_B64 : PTX_B32);
}

bool atomic_can_reduce(const struct ptx_instr *instr, enum ptx_type type)
{
    return ptx_type_size(type) > 1 && combine_elements(instr, type);
}

void atomic_reduce(struct warp *warp, const struct ptx_instr *instr, enum ptx_type type, char *to,
                   const char *from, uint32_t bytes)
{
    const struct op element = {.instr = instr,
                               .type = type,
                               .space = PTX_GLOBAL,
                               .combine = combine_elements(instr, type),
                               .bytes = (uint8_t)ptx_type_size(type)};
    struct operands operands = {.with = {0}};
    for (uint32_t at = 0; at < bytes; at += element.bytes) {
        memcpy(operands.with, from + at, element.bytes);
        perform(&element, 1, false, 0, to + at, &operands);
        note_many_writes(warp, operands.changed);
    }
}

void bind_atomic(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->type = ptx_type_of(instr);
    op->space = instr->space;
    op->bytes = (uint8_t)ptx_type_size(op->type);
    op->vector = 1;
    op->combine = combine_of(instr, op->type);
    op->handler = atomic;
    if (!op->combine)
        bind_refuse(binder, NULL);
    bind_operands(binder);
}
