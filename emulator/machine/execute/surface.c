/* SPDX-License-Identifier: MIT */
/* Loads, stores and reductions through surface objects: of the bytes of an array, by row, column
 * and layer. To memory, counters and checkers they are those of global memory. */
#include "machine/access.h"
#include "machine/execute/atomic.h"
#include "machine/execute/float.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/spin.h"
#include "machine/texture.h"

#include <fenv.h>
#include <inttypes.h>

/* Those of a warp's lanes that use the same surface object. */
struct reach {
    const struct texture *surface;
    uint32_t lanes;
    uint32_t inside; /* of them, those that touch memory */
    struct access access;
};

static bool loads(const struct op *op)
{
    return op->instr->opcode == OP_SULD;
}

static bool reduces(const struct op *op)
{
    return op->instr->opcode == OP_SURED;
}

/* Leave a lane out, or stop the kernel. */
static void refuse(struct warp *warp, const struct op *op, int lane, enum fault_kind kind,
                   const char *detail)
{
    char what[80];
    snprintf(what, sizeof what, "surface %s of %u bytes",
             loads(op)     ? "load"
             : reduces(op) ? "reduction"
                           : "store",
             (unsigned)op->bytes * op->vector);
    if (warp->block->launch->machine->lenient && kind == FAULT_ADDRESS)
        warp_complain(warp, op->instr, lane, kind, what, detail);
    else
        warp_fault(warp, op->instr, lane, kind, what, "%s", detail);
}

static const char *mismatch(const struct op *op, const struct texture *surface)
{
    const struct geometry geometry = texture_geometry(op->instr);
    if (!surface->surface)
        return "it is a texture object";
    return geometry.dimensions != surface->dimensions || geometry.layered != surface->layered
               ? "the instruction is for a surface of other dimensions"
               : NULL;
}

static const struct texture *find_surface(struct warp *warp, const struct op *op, int lane,
                                          uint64_t handle)
{
    const struct machine *machine = warp->block->launch->machine;
    const char *why = texture_refusal(machine, handle);
    const bool lost = why != NULL;
    const struct texture *surface = lost ? NULL : texture_find(machine, handle);
    char detail[120];
    if (surface)
        why = mismatch(op, surface);
    if (!why)
        return surface;
    snprintf(detail, sizeof detail, "through object 0x%" PRIx64 ": %s", handle, why);
    refuse(warp, op, lane, lost ? FAULT_ADDRESS : FAULT_UNSUPPORTED, detail);
    return NULL;
}

/* Bring *at into [0, size - bytes]. False: it is outside, and is not to be moved. */
static bool clamp(int64_t *at, int64_t bytes, int64_t size, bool moves)
{
    if (*at >= 0 && *at + bytes <= size)
        return true;
    *at = *at < 0 || bytes > size ? 0 : (size - bytes) / bytes * bytes;
    return moves && bytes <= size;
}

/* The address that a lane's coordinates mean; 0: they are outside. */
static uint64_t locate(const struct warp *warp, const struct op *op, int lane,
                       const struct texture *surface)
{
    const struct slot *slots[] = {&op->b, &op->c, &op->e};
    const int first = surface->layered, dimensions = surface->dimensions;
    const int64_t texel = surface->channels * surface->channel_bytes;
    const bool moves = ptx_has(op->instr, MOD_CLAMP), samples = ptx_has(op->instr, MOD_P);
    int64_t at[3] = {0}, layer = 0;
    if (first)
        layer = (int32_t)slot_read(warp, *slots[0], lane);
    for (int i = 0; i < dimensions; i++)
        at[i] = (int32_t)slot_read(warp, *slots[first + i], lane);
    at[0] *= samples ? texel : 1;
    bool inside = clamp(&at[0], op->bytes * op->vector, surface->size[0] * texel, moves);
    for (int i = 1; i < dimensions; i++)
        inside &= clamp(&at[i], 1, surface->size[i], moves);
    inside &= clamp(&layer, 1, surface->layers, moves);
    if (!inside)
        return 0;
    return texels_at(&surface->texels, (uint64_t)at[0], (uint64_t)at[1],
                     (uint64_t)(first ? layer : at[2]));
}

/* False: the kernel stops. */
static bool find_texels(struct warp *warp, const struct op *op, struct reach *reach)
{
    reach->inside = 0;
    memset(reach->access.addresses, 0, sizeof reach->access.addresses);
    EACH_LANE(lane, reach->lanes) {
        const uint64_t address = locate(warp, op, lane, reach->surface);
        reach->access.addresses[lane] = address;
        reach->inside |= (uint32_t)(address != 0) << lane;
        if (address || !ptx_has(op->instr, MOD_TRAP))
            continue;
        refuse(warp, op, lane, FAULT_ADDRESS, "the coordinates are outside of the surface");
        if (warp->block->failed)
            return false;
    }
    if (reach->inside)
        reach->inside = access_texels(warp, op, reach->inside,
                                      loads(op)     ? ACCESS_LOAD
                                      : reduces(op) ? ACCESS_ATOMIC
                                                    : ACCESS_STORE,
                                      &reach->access);
    return !warp->block->failed;
}

/* A load from outside gives 0, and a store or a reduction there has no effect. */
static void move(struct warp *warp, const struct op *op, const struct reach *reach)
{
    EACH_LANE(lane, loads(op) ? reach->lanes : reach->inside) {
        const bool inside = reach->inside >> lane & 1;
        for (int k = 0; k < op->vector; k++) {
            char *at = reach->access.pointers[lane] + (size_t)k * op->bytes;
            const struct slot element = op->elements[k];
            const uint64_t with = reduces(op) ? slot_read(warp, element, lane) : 0;
            if (reduces(op))
                atomic_reduce(warp, op->instr, op->type, at, (const char *)&with, op->bytes);
            else if (!loads(op))
                store_element(at, op->bytes, slot_read(warp, element, lane));
            else if (element.present)
                slot_write(warp, element, lane, inside ? load_element(at, op->bytes) : 0);
        }
    }
}

/* 32 bits as a channel of the surface: a float rounded to a half, an integer brought into range. */
static uint64_t sample(const struct texture *surface, uint32_t bits)
{
    const int width = 8 * surface->channel_bytes;
    if (width == 32)
        return bits;
    if (surface->kind == TEXEL_FLOAT)
        return minifloat_encode(&f16_format, f32_of(bits), FE_TONEAREST);
    const int64_t most = (INT64_C(1) << (width - (surface->kind == TEXEL_SIGNED))) - 1;
    const int64_t least = surface->kind == TEXEL_SIGNED ? -most - 1 : 0;
    const int64_t value = surface->kind == TEXEL_SIGNED ? (int64_t)(int32_t)bits : (int64_t)bits;
    return (uint64_t)(value < least ? least : value > most ? most : value);
}

/* Channels that the instruction lacks may become anything: here 0. What the surface lacks is left
 * out. */
static void store_samples(struct warp *warp, const struct op *op, const struct reach *reach)
{
    const size_t bytes = (size_t)reach->surface->channel_bytes;
    EACH_LANE(lane, reach->inside)
        for (int k = 0; k < reach->surface->channels; k++) {
            const bool given = k < op->vector;
            const uint32_t bits = given ? (uint32_t)slot_read(warp, op->elements[k], lane) : 0;
            store_element(reach->access.pointers[lane] + (size_t)k * bytes, bytes,
                          sample(reach->surface, bits));
        }
}

/* The instruction as it reaches this surface: whole texels, where it stores samples. */
static struct op reaching(const struct op *op, const struct texture *surface)
{
    struct op whole = *op;
    if (ptx_has(op->instr, MOD_P)) {
        whole.bytes = (uint8_t)surface->channel_bytes;
        whole.vector = (uint8_t)surface->channels;
    }
    return whole;
}

EXECUTOR(surface_access)
{
    for (uint32_t rest = lanes; rest;) {
        struct reach reach;
        const int first = first_lane(rest);
        reach.lanes = same_object(warp, op, rest);
        reach.surface = find_surface(warp, op, first, slot_read(warp, op->a, first));
        rest &= ~reach.lanes;
        if (warp->block->failed)
            return;
        if (!reach.surface)
            continue;
        const struct op whole = reaching(op, reach.surface);
        if (!find_texels(warp, &whole, &reach))
            return;
        if (ptx_has(op->instr, MOD_P))
            store_samples(warp, op, &reach);
        else
            move(warp, op, &reach);
    }
    if (!loads(op))
        note_write(warp);
}

void bind_surface(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const bool is_load = instr->opcode == OP_SULD;
    struct ptx_operand *value = (struct ptx_operand *)&instr->operands[is_load ? 0 : 1];
    const struct ptx_operand alone = {.kind = OPERAND_VECTOR, .elements = value, .count = 1};
    op->type = ptx_type_of(instr);
    op->space = PTX_GLOBAL;
    op->bytes = (uint8_t)ptx_type_size(op->type);
    op->vector = (uint8_t)(instr->vector > 1 ? instr->vector : 1);
    bind_object(binder, &instr->operands[is_load ? 1 : 0]);
    bind_elements(binder, value->kind == OPERAND_VECTOR ? value : &alone, op->bytes, is_load);
    op->handler = surface_access;
}
