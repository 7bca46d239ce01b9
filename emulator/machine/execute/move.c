/* SPDX-License-Identifier: MIT */
/* Moves: values, vectors, addresses of variables, special registers; addresses between spaces. */
#include "machine/access.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"

#define MOVE_TYPES(X, ...)                              \
    BIT_TYPES(X, __VA_ARGS__)                           \
    INTEGERS(X, __VA_ARGS__)                            \
    X(F32, lane_u32, uint32_t, uint32_t, __VA_ARGS__)   \
    X(F64, lane_u64, uint64_t, uint64_t, __VA_ARGS__)   \
    X(F16, lane_u32, uint16_t, uint16_t, __VA_ARGS__)   \
    X(F16X2, lane_u32, uint32_t, uint32_t, __VA_ARGS__) \
    X(BF16, lane_u32, uint16_t, uint16_t, __VA_ARGS__)  \
    X(BF16X2, lane_u32, uint32_t, uint32_t, __VA_ARGS__)
UNARY(MOVE_TYPES, mov, a)

EXECUTOR(mov_predicate)
{
    slot_set_predicate(warp, op->d, lanes, slot_predicate(warp, op->a));
}

/* All lanes' values of a slot; and the other way, for some lanes, from bit `shift` on. */
static void read_lanes(const struct warp *warp, struct slot slot, uint64_t *values)
{
    const lane_u64 *wide = slot_lanes(warp, slot);
    const lane_u32 *narrow = slot_lanes(warp, slot);
    if (slot.bytes == 8)
        for (int i = 0; i < WARP_SIZE; i++)
            values[i] = wide[i];
    else
        for (int i = 0; i < WARP_SIZE; i++)
            values[i] = narrow[i];
}

static void write_lanes(const struct warp *warp, struct slot slot, uint32_t lanes,
                        const uint64_t *values, int shift)
{
    lane_u64 *wide = slot_lanes(warp, slot);
    lane_u32 *narrow = slot_lanes(warp, slot);
    const uint32_t mask = slot.width < 4 ? (1u << 8 * slot.width) - 1 : UINT32_MAX;
    if (slot.bytes == 8)
        for (int i = 0; i < WARP_SIZE; i++)
            wide[i] = lanes >> i & 1 ? values[i] >> shift : wide[i];
    else
        for (int i = 0; i < WARP_SIZE; i++)
            narrow[i] = lanes >> i & 1 ? (uint32_t)(values[i] >> shift) & mask : narrow[i];
}

/* {a, b, ...} = d: the elements are parts of the value, the lowest part first. */
EXECUTOR(unpack)
{
    uint64_t values[WARP_SIZE];
    read_lanes(warp, op->a, values);
    for (int k = 0; k < op->vector; k++)
        if (op->elements[k].present)
            write_lanes(warp, op->elements[k], lanes, values, k * op->bytes * 8);
}

EXECUTOR(pack)
{
    const int bits = op->bytes * 8;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t values[WARP_SIZE] = {0}, part[WARP_SIZE];
    for (int k = 0; k < op->vector; k++) {
        read_lanes(warp, op->elements[k], part);
        for (int i = 0; i < WARP_SIZE; i++)
            values[i] |= (part[i] & mask) << (k * bits);
    }
    write_lanes(warp, op->d, lanes, values, 0);
}

static void write_all(struct warp *warp, struct slot slot, uint32_t lanes, uint64_t value)
{
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1)
            slot_write(warp, slot, i, value);
}

/* The clock in cycles, or in nanoseconds. If no time model provides a clock, it advances by one
 * with each instruction of the warp. */
EXECUTOR(mov_clock)
{
    const struct machine *machine = warp->block->launch->machine;
    const bool upper = op->immediate == SREG_CLOCK_HI || op->immediate == SREG_GLOBALTIMER_HI;
    uint64_t now = machine->clock ? machine->clock(machine->clock_self, warp) : warp->issued;
    if (machine->clock && op->immediate >= SREG_GLOBALTIMER)
        now = (uint64_t)((double)now * 1e6 / machine->gpu.clock_khz);
    warp->clocks += op->uses_time;
    write_all(warp, op->d, lanes, upper ? now >> 32 : now);
}

/* The address of a variable whose offset depends on the frame or the launch. */
EXECUTOR(mov_relative)
{
    write_all(warp, op->d, lanes, address_base(warp, op) + (uint64_t)op->offset);
}

/* Generic addresses of a space lie in a window; to convert an address, the start of the window
 * is added or subtracted. The window of global memory starts at 0. */
EXECUTOR(cvta)
{
    lane_u64 *d = slot_lanes(warp, op->d);
    const lane_u64 *a = slot_lanes(warp, op->a);
    const uint64_t window = op->window;
    SET_LANES(lanes, d, , a[i] + window);
}

EXECUTOR(cvta_to)
{
    lane_u64 *d = slot_lanes(warp, op->d);
    const lane_u64 *a = slot_lanes(warp, op->a);
    const uint64_t window = op->window;
    SET_LANES(lanes, d, , a[i] - window);
}

static bool is_in_space(const struct warp *warp, const struct op *op, uint64_t address)
{
    const uint64_t window = address & WINDOW_MASK;
    const uint32_t marked = (uint32_t)address >> RANK_SHIFT;
    const struct allocation *allocation;
    switch (op->space) {
    case PTX_SHARED: /* without a suffix, .shared::cta: the memory of this block alone */
        return window == SHARED_WINDOW &&
               (op->instr->of_cluster || marked == 0 || marked - 1 == warp->block->rank);
    case PTX_LOCAL:
        return window == LOCAL_WINDOW;
    case PTX_PARAM:
        return window == PARAM_WINDOW;
    case PTX_CONST:
        allocation = memory_find(warp->block->launch->machine, address, 1);
        return allocation && allocation->kind == MEMORY_CONSTANT;
    default: /* global memory, in which the parameters of a kernel lie too */
        if (window == SHARED_WINDOW || window == LOCAL_WINDOW)
            return false;
        allocation = memory_find(warp->block->launch->machine, address, 1);
        return !allocation || allocation->kind != MEMORY_CONSTANT;
    }
}

EXECUTOR(isspacep)
{
    uint32_t mask = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1 && is_in_space(warp, op, slot_read(warp, op->a, i)))
            mask |= 1u << i;
    slot_set_predicate(warp, op->d, lanes, mask);
}

/* mov.b64 {a, b}, d and mov.b64 d, {a, b}. */
static void bind_vector_move(struct binder *binder, const struct ptx_operand *vector, bool unpacks)
{
    struct op *op = binder->op;
    const size_t size = ptx_type_size(ptx_type_of(binder->instr));
    const size_t part = vector->count > 0 ? size / (size_t)vector->count : 0;
    if (part == 0 || part > 4 || part * (size_t)vector->count != size) {
        bind_refuse(binder, NULL);
        return;
    }
    op->bytes = (uint8_t)part;
    op->vector = (uint8_t)vector->count;
    bind_elements(binder, vector, part, unpacks);
    if (unpacks)
        bind_source(binder, &op->a, 1, lane_bytes(ptx_type_of(binder->instr)));
    else
        bind_destination(binder, &op->d, 0, lane_bytes(ptx_type_of(binder->instr)));
    op->handler = unpacks ? unpack : pack;
}

static bool bind_clock(struct binder *binder, const struct ptx_operand *source)
{
    struct op *op = binder->op;
    if (source->kind != OPERAND_SPECIAL || source->number < SREG_FIRST_VOLATILE)
        return false;
    bind_destination(binder, &op->d, 0, lane_bytes(ptx_type_of(binder->instr)));
    op->immediate = (uint32_t)source->number;
    op->handler = mov_clock;
    return true;
}

static bool bind_relative(struct binder *binder, const struct ptx_operand *source)
{
    struct op *op = binder->op;
    if (source->kind != OPERAND_SYMBOL)
        return false;
    op->offset = source->offset + (int64_t)bind_symbol(binder, source->number, &op->relative);
    if (op->relative == RELATIVE_NONE)
        return false;
    bind_destination(binder, &op->d, 0, lane_bytes(ptx_type_of(binder->instr)));
    op->handler = mov_relative;
    return true;
}

static void bind_mov(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    const struct ptx_operand *target = &instr->operands[0], *source = &instr->operands[1];
    struct op *op = binder->op;
    if (target->kind == OPERAND_VECTOR) {
        bind_vector_move(binder, target, true);
    } else if (source->kind == OPERAND_VECTOR) {
        bind_vector_move(binder, source, false);
    } else if (ptx_type_of(instr) == PTX_PRED) {
        bind_operands(binder);
        op->handler = mov_predicate;
    } else if (!bind_clock(binder, source) && !bind_relative(binder, source)) {
        op->handler = mov_table[ptx_type_of(instr)];
        bind_operands(binder);
    }
}

static void bind_cvta(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->window = instr->space == PTX_SHARED  ? SHARED_WINDOW
                 : instr->space == PTX_LOCAL ? LOCAL_WINDOW
                 : instr->space == PTX_PARAM ? PARAM_WINDOW
                                             : 0;
    op->handler = ptx_has(instr, MOD_TO) ? cvta_to : cvta;
    if (ptx_type_of(instr) != PTX_U64)
        bind_refuse(binder, "generic addresses have 64 bits");
    bind_operands(binder);
}

void bind_move(struct binder *binder)
{
    struct op *op = binder->op;
    switch (binder->instr->opcode) {
    case OP_MOV:
        bind_mov(binder);
        break;
    case OP_CVT:
        bind_convert(binder);
        break;
    case OP_CVTA:
        bind_cvta(binder);
        break;
    default:
        op->space = binder->instr->space;
        bind_operands(binder);
        op->handler = isspacep;
    }
}
